"""Copies of the tables of a PostgreSQL database, as text of COPY (`snapshot_copies_of_databases.py`)."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from backoffice.house.backup_manifest import BackupTable, Database, Role
from backoffice.house.databases_in_backup_with_extent import (
    OF_LOGINS,
    REBUILT,
    SETTINGS,
    TITLES,
    WAIT_S,
    DatabaseCopy,
    extent_of,
)
from events.errors import Retry, Unknown
from events.store.postgres_session_settings import connect

LEVEL = 1  # gzip's


@contextmanager
def _snapshot(role: Role, url: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection that reads one moment. Raises Retry where the database does not answer."""
    try:
        with connect(url, connect_timeout=WAIT_S) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            yield connection
    except psycopg.Error as error:
        raise Retry(
            f"the {TITLES[role]} ({SETTINGS[role]}) cannot be read from here: {' '.join(str(error).split())}. "
            "Start it, or run the command where it can be reached"
        ) from error


def size_of_tables(role: Role, url: str) -> int:
    """Return the size of the copied tables in bytes. Raises Unknown for a database without tables, and Retry."""
    with _snapshot(role, url) as connection:
        tables = _tables(connection)
        if not tables:
            raise Unknown(f"the {TITLES[role]} ({SETTINGS[role]}) has no tables. Run `./manage.py migrate` first")
        row = connection.execute(
            "SELECT sum(pg_table_size(name::regclass))::bigint FROM unnest(%s::text[]) AS name", ([*tables],)
        ).fetchone()
    return int(row[0]) if row else 0


def copy_tables(role: Role, url: str, to: Path) -> DatabaseCopy:
    """Copy the tables of a database into a folder of its name. Raises Retry where the database does not answer."""
    folder = to / role
    folder.mkdir(mode=0o700)
    with _snapshot(role, url) as connection:
        tables = tuple(
            _copy_table(connection, name, columns, folder / f"{name}.copy.gz", to)
            for name, columns in _tables(connection).items()
        )
        migrations = _migrations(connection)
        extent = extent_of(role, lambda query: connection.execute(query.encode()).fetchall(), "notification_id")
    return DatabaseCopy(Database(role, "postgresql", tables=tables, migrations=migrations), extent)


def _tables(connection: psycopg.Connection[Any]) -> dict[str, tuple[str, ...]]:
    """The tables that are copied, each with its columns."""
    rows = connection.execute(
        """SELECT c.relname::text, array_agg(a.attname::text ORDER BY a.attnum)
           FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
           WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
             AND a.attgenerated = '' GROUP BY c.relname ORDER BY c.relname"""
    ).fetchall()
    return {name: tuple(columns) for name, columns in rows if name not in OF_LOGINS and not name.startswith(REBUILT)}


def _migrations(connection: psycopg.Connection[Any]) -> tuple[tuple[str, str], ...]:
    row = connection.execute("SELECT to_regclass('public.django_migrations') IS NOT NULL").fetchone()
    if not row or not row[0]:
        return ()
    return tuple(connection.execute("SELECT app::text, name::text FROM django_migrations ORDER BY id").fetchall())


def _copy_table(
    connection: psycopg.Connection[Any], name: str, columns: tuple[str, ...], path: Path, root: Path
) -> BackupTable:
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    statement = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT").format(names, sql.Identifier("public", name))
    with gzip.open(path, "wb", compresslevel=LEVEL) as file, connection.cursor() as cursor:
        with cursor.copy(statement) as copy:
            for chunk in copy:
                file.write(chunk)
        rows = cursor.rowcount
    return BackupTable(name, columns, rows, str(path.relative_to(root)))
