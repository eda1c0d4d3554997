"""Scratch databases on PostgreSQL for the trial of a backup (`trial_restore_into_scratch_house.py`)."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from backoffice.house.backup_manifest import Role
from backoffice.house.databases_in_backup_with_extent import SETTINGS
from events.errors import Conflict, Retry
from events.store.postgres_session_settings import connect

NAME = "pitledger_trial_"


@contextmanager
def scratch_databases(servers: Mapping[Role, str]) -> Iterator[dict[str, str]]:
    """Yield settings by name: an empty database next to each of these. Raises Conflict and Retry."""
    created: dict[str, str] = {}
    try:
        for role, url in servers.items():
            name = _name(role)
            _execute(url, "CREATE DATABASE {} ENCODING 'UTF8' TEMPLATE template0", name)
            created[name] = url
        yield {
            SETTINGS[role]: urlunsplit(urlsplit(url)._replace(path=f"/{_name(role)}")) for role, url in servers.items()
        }
    finally:
        for name, url in created.items():
            _execute(url, "DROP DATABASE IF EXISTS {} WITH (FORCE)", name)


def _name(role: Role) -> str:
    return f"{NAME}{role}_{os.getpid()}"


def _execute(url: str, statement: str, name: str) -> None:
    try:
        with connect(url) as connection:
            connection.autocommit = True
            connection.execute(sql.SQL(statement).format(sql.Identifier(name)))
    except psycopg.errors.InsufficientPrivilege as error:
        raise Conflict(
            "the trial needs scratch databases, which this role may not create. ALTER ROLE ... CREATEDB allows it, or "
            "restore the backup by hand into empty databases"
        ) from error
    except psycopg.Error as error:
        raise Retry(f"the scratch database {name}: {' '.join(str(error).split())}") from error
