"""Databases that tests copy and restore: a file, or a PostgreSQL database of the test's server."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

import psycopg
from django.db import connections
from django.db.backends.signals import connection_created
from django.db.utils import ConnectionHandler, load_backend
from psycopg import sql

from backoffice.access.router import ALIAS
from backoffice.running.database_and_mail_settings import database
from events.settings.settings_from_environment import settings
from events.store import EventStore, open_store
from events.store.sqlite import SQLiteStore
from tests.servers import PostgreSQL, reused_databases


class Databases(Protocol):
    """The databases of a house's events and read models. Copying or restoring one closes all its connections."""

    def new(self, name: str) -> str:
        """The URL of an empty one."""

    def keep(self, url: str) -> str:
        """Copy a database, and return the copy for `restore`."""

    def restore(self, url: str, backup: str) -> None:
        """Restore a database from its copy."""

    def do(self, url: str, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement by hand, past the guards."""

    def cut(self, url: str, table: str) -> None:
        """The files lose their second half: all of it, or that of the table."""

    def full(self, url: str) -> AbstractContextManager[EventStore]:
        """Open the event store on a disk without space for one more event."""

    def full_of_reads(self, url: str) -> AbstractContextManager[None]:
        """Leave the read models no space for one more row, for all connections inside the `with`."""


class SqliteDatabases:
    """Databases on SQLite."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0

    def new(self, name: str) -> str:
        return f"sqlite:///{self._folder / name}.sqlite3"

    def keep(self, url: str) -> str:
        self._count += 1
        to = self._folder / f"kept-{self._count}.sqlite3"
        with closing(sqlite3.connect(_path(url))) as source, closing(sqlite3.connect(to)) as copy:
            source.backup(copy)
        return str(to)

    def restore(self, url: str, backup: str) -> None:
        for end in ("", "-wal", "-shm"):
            Path(f"{_path(url)}{end}").unlink(missing_ok=True)
        shutil.copyfile(backup, _path(url))

    def do(self, url: str, statement: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(_path(url), isolation_level=None)) as file:
            triggers = file.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for name, _ in triggers:
                file.execute(f"DROP TRIGGER {name}")
            rows = file.execute(statement).fetchall()
            for _, made_by in triggers:
                file.execute(made_by)
            return rows

    def cut(self, url: str, table: str) -> None:
        path = _path(url)
        with closing(sqlite3.connect(path)) as file:
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        os.truncate(path, path.stat().st_size // 2)

    @contextmanager
    def full(self, url: str) -> Iterator[EventStore]:
        store = open_store(url)
        assert isinstance(store, SQLiteStore)
        with store.recorder.cursor(writer=True) as curs:  # of the one connection that writes
            curs.execute("PRAGMA max_page_count = 1")  # it is never set below what there is
        yield store
        store.close()

    @contextmanager
    def full_of_reads(self, url: str) -> Iterator[None]:
        """The limit belongs to one connection. A new connection gets it too, and connects again after a refusal."""

        def limit(connection: Any, **_: Any) -> None:
            if connection.settings_dict["NAME"] == str(_path(url)):
                connection.connection.execute("PRAGMA max_page_count = 1")

        connection_created.connect(limit)
        try:
            yield
        finally:
            connection_created.disconnect(limit)


def _path(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


class PostgresDatabases:
    """Databases on PostgreSQL."""

    def __init__(self, server: PostgreSQL) -> None:
        self._server = server
        self._made: list[str] = []

    def new(self, name: str) -> str:
        self._made.append(reused_databases.take(self._server.url()) or self._server.new_database())
        return self._made[-1]

    def keep(self, url: str) -> str:
        backup = f"{url}_kept_{len(self._made)}"
        self._made.append(backup)
        self._copy(url, backup)
        return backup

    def restore(self, url: str, backup: str) -> None:
        self._server.drop_database(url)
        self._copy(backup, url)

    def _copy(self, backup: str, url: str) -> None:
        with psycopg.connect(self._server.url(), autocommit=True) as connection:
            make = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
            connection.execute(make.format(sql.Identifier(_name(url)), sql.Identifier(_name(backup))))

    def do(self, url: str, statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(url) as connection:
            connection.execute("SET session_replication_role = replica")  # no trigger fires
            rows = connection.execute(statement.encode())
            return rows.fetchall() if rows.description else []

    def cut(self, url: str, table: str) -> None:
        with psycopg.connect(url) as connection:
            row = connection.execute("SELECT pg_relation_filepath(%s::regclass)", (table,)).fetchone()
        assert row is not None
        path = self._server.folder / "data" / row[0]
        self._server.stop()  # or it would go on with what it has in memory
        os.truncate(path, path.stat().st_size // 2)
        self._server.start()

    @contextmanager
    def full(self, url: str) -> Iterator[EventStore]:
        with psycopg.connect(url, autocommit=True) as admin:
            admin.execute(_NO_ROOM)
            with closing(open_store(url)) as store:
                yield store
            admin.execute("DROP FUNCTION no_room CASCADE")

    @contextmanager
    def full_of_reads(self, url: str) -> Iterator[None]:
        with psycopg.connect(url, autocommit=True) as admin:
            admin.execute(_NO_ROOM.replace("pitledger_events", "projections_eventlog"))
        yield
        with psycopg.connect(url, autocommit=True) as admin:
            admin.execute("DROP FUNCTION no_room CASCADE")

    def drop_all(self) -> None:
        for url in self._made:
            reused_databases.give_back(url)


# What PostgreSQL says where a file cannot be extended.
_NO_ROOM = """
CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END; $body$;
CREATE TRIGGER no_room BEFORE INSERT ON pitledger_events FOR EACH STATEMENT EXECUTE FUNCTION no_room();
"""


def _name(url: str) -> str:
    return url.rsplit("/", 1)[1]


@contextmanager
def as_default(url: str) -> Iterator[None]:
    """Let commands find their databases as in a process whose PITLEDGER_READ is this URL.

    The access log is in the process's data folder.
    """
    databases = {"default": database(url), ALIAS: database(settings().access)}
    before = {alias: connections[alias] for alias in databases}
    for alias, values in ConnectionHandler(databases).settings.items():
        connections[alias] = load_backend(values["ENGINE"]).DatabaseWrapper(values, alias)
    try:
        yield
    finally:
        for alias, connection in before.items():
            connections[alias].close()
            connections[alias] = connection
