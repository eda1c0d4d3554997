"""A test's own databases for read models, beside Django's default one.

A migration takes a second of processor time, and hundreds of tests need empty read models. So each run migrates one
database of each kind, and then copies it.
"""

import functools
import itertools
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import LiteralString

import psycopg
from django.core.management import call_command
from django.db import connections
from django.db.utils import ConnectionHandler
from psycopg import sql

from backoffice.access.router import ALIAS, LABEL
from backoffice.running.database_and_mail_settings import database
from tests.servers import reused_databases

_numbers = itertools.count(1)
_SQLITE = "sqlite:///"


@contextmanager
def read_models(url: str) -> Iterator[str]:
    """Migrated read models at this URL; gives their alias, which is good inside the `with` only."""
    migrate(url)
    with database_alias(url) as alias:
        yield alias


@contextmanager
def migrated(url: str) -> Iterator[str]:
    """Migrate read models outside of a run of tests, without a copy for later tests."""
    with database_alias(url) as alias:
        call_command("migrate", database=alias, verbosity=0)
        yield alias


def migrate(url: str) -> None:
    """Make the tables of read models at this URL, unless there are some."""
    if _is_empty(url):
        _copy(_template(url.rpartition("/")[0] if url.startswith("postgres") else _SQLITE), url)


@contextmanager
def database_alias(url: str) -> Iterator[str]:
    """Connect Django to the database at this URL for the block, under an alias of its own."""
    alias = f"scratch{next(_numbers)}"
    connections.settings[alias] = ConnectionHandler({"default": database(url)}).settings["default"]
    try:
        yield alias
    finally:
        connections[alias].close()
        del connections.settings[alias], connections[alias]


def new_access_log(data: Path) -> None:
    """The empty access log of a house that has its data there, as every house has it."""
    shutil.copyfile(_access_template(), data / "access.sqlite3")


@functools.cache
def _access_template() -> Path:
    path = Path(os.environ["PITLEDGER_DATA"]) / "access-migrated.sqlite3"
    access_log(f"{_SQLITE}{path}")
    return path


def access_log(url: str) -> None:
    """The migrated tables of an access log at this URL."""
    with as_access_log(url):
        call_command("migrate", LABEL, database=ALIAS, verbosity=0)


@contextmanager
def as_access_log(url: str) -> Iterator[None]:
    """Write the access log to this database during the block."""
    usual = connections[ALIAS]
    connections[ALIAS] = ConnectionHandler({"default": database(url)})["default"]
    connections[ALIAS].alias = ALIAS
    try:
        yield
    finally:
        connections[ALIAS].close()
        connections[ALIAS] = usual


def _is_empty(url: str) -> bool:
    if url.startswith(_SQLITE):
        return not Path(url.removeprefix(_SQLITE)).exists()
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT FROM pg_tables WHERE schemaname = 'public' LIMIT 1").fetchone() is None


@functools.cache
def _template(place: str) -> str:
    """Return the URL of the migrated read models, of this run or on this server, which the tests' databases copy."""
    if place == _SQLITE:
        url = f"{_SQLITE}{os.environ['PITLEDGER_DATA']}/migrated.sqlite3"
    else:
        url = f"{place}/migrated"
        _on_server(url, "CREATE DATABASE {0}", "migrated")
    with database_alias(url) as alias:
        call_command("migrate", database=alias, verbosity=0)
    if place != _SQLITE:
        reused_databases.learn(url)
    return url


def _copy(template: str, url: str) -> None:
    if url.startswith(_SQLITE):
        shutil.copyfile(template.removeprefix(_SQLITE), url.removeprefix(_SQLITE))
        return
    if reused_databases.becomes_migrated(url):
        return
    name = url.rpartition("/")[2]
    _on_server(url, "DROP DATABASE {0}", name)
    _on_server(url, "CREATE DATABASE {0} TEMPLATE migrated", name)


def _on_server(url: str, statement: LiteralString, name: str) -> None:
    with psycopg.connect(f"{url.rpartition('/')[0]}/postgres", autocommit=True) as connection:
        connection.execute(sql.SQL(statement).format(sql.Identifier(name)))


@contextmanager
def as_default(alias: str) -> Iterator[None]:
    """The pages of this thread read that database instead of Django's default one, inside the `with`."""
    usual = connections["default"]
    connections["default"] = connections[alias]
    try:
        yield
    finally:
        connections["default"] = usual


def new_file(folder: Path) -> str:
    """The URL of an SQLite file in this folder that is not there yet."""
    return f"{_SQLITE}{folder / f'read{next(_numbers)}.sqlite3'}"
