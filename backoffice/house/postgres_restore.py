"""Loading the tables of a backup into a PostgreSQL database (`database_restore.py`)."""

import gzip
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from psycopg import sql

from backoffice.house.backup_manifest import CHUNK, BackupTable, Database, Role
from backoffice.house.databases_in_backup_with_extent import ALIASES, OF_EMPTY, SETTINGS, TITLES, WAIT_S
from events.cases.case_key_and_file_vault import vault_notes
from events.errors import Conflict, Retry
from events.store import open_store
from events.store.postgres_session_settings import connect


def are_loaded(database: Database, url: str) -> bool:
    """Return whether the database holds as many rows of each table as the backup. Raises Conflict or Retry."""
    with _connected(database.role, url) as connection:
        existing = set(_tables(connection))
        return all(table.name in existing and _count(connection, table.name) == table.rows for table in database.tables)


def filled_table(role: Role, url: str) -> str:
    """Return the first table in which something was recorded; "" for an empty database. Raises Conflict or Retry."""
    with _connected(role, url) as connection:
        names = [name for name in _tables(connection) if not name.startswith(OF_EMPTY)]
        query = sql.SQL("SELECT 1 FROM {} LIMIT 1")
        return next((name for name in names if connection.execute(query.format(_public(name))).fetchone()), "")


def load_tables(database: Database, url: str, folder: Path) -> None:
    """Make the tables, and load their rows in one transaction. Raises Conflict or Retry."""
    _make_tables(database, url)
    with _connected(database.role, url) as connection:
        for table in database.tables:
            _load_table(connection, table, folder)
        _set_sequences(connection, [table.name for table in database.tables])


@contextmanager
def _connected(role: Role, url: str) -> Iterator[psycopg.Connection[Any]]:
    """A transaction on a database of the house. Raises Conflict or Retry with the reason."""
    try:
        with connect(url, connect_timeout=WAIT_S) as connection:
            yield connection
    except psycopg.Error as error:
        text = f"the {TITLES[role]} ({SETTINGS[role]}): {' '.join(str(error).split())}"
        if isinstance(error, psycopg.errors.InsufficientPrivilege):
            raise Conflict(f"{text}. Restore as the role that owns the tables, the one that runs `migrate`") from error
        raise Retry(text) from error


def _public(name: str) -> sql.Identifier:
    return sql.Identifier("public", name)


def _tables(connection: psycopg.Connection[Any]) -> list[str]:
    rows = connection.execute(
        "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
        " AND NOT relispartition ORDER BY relname"
    ).fetchall()
    return [name for (name,) in rows]


def _count(connection: psycopg.Connection[Any], name: str) -> int:
    row = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(_public(name))).fetchone()
    return int(row[0]) if row else 0


def _make_tables(database: Database, url: str) -> None:
    """The tables as they were when the backup was made: `migrate` brings them up to date with the rows in them."""
    if database.role == "events":
        with closing(open_store(url)) as store:
            store.create()
        return
    connection = connections[ALIASES[database.role]]
    applied = set(MigrationExecutor(connection).loader.applied_migrations)
    if applied != set(database.migrations):
        _drop_tables(database.role, url)
        connection.close()
    MigrationExecutor(connection).migrate([*database.migrations])
    connection.close()
    if database.role == "access":
        vault_notes(url).create()


def _drop_tables(role: Role, url: str) -> None:
    """Drop the tables of another version, which are empty."""
    with _connected(role, url) as connection:
        if names := _tables(connection):
            connection.execute(sql.SQL("DROP TABLE {} CASCADE").format(sql.SQL(", ").join(map(_public, names))))


def _load_table(connection: psycopg.Connection[Any], table: BackupTable, folder: Path) -> None:
    if table.name.startswith(OF_EMPTY[0]):
        connection.execute(sql.SQL("DELETE FROM {}").format(_public(table.name)))
    columns = sql.SQL(", ").join(map(sql.Identifier, table.columns))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(_public(table.name), columns)
    with connection.cursor() as cursor:
        with gzip.open(folder / table.file, "rb") as file, cursor.copy(statement) as copy:
            while chunk := file.read(CHUNK):
                copy.write(chunk)
        if cursor.rowcount != table.rows:
            raise Conflict(f"{table.file} holds {cursor.rowcount:,} rows of {table.rows:,}. Use another backup")


def _set_sequences(connection: psycopg.Connection[Any], tables: Sequence[str]) -> None:
    """The next id follows the last one that was loaded."""
    rows = connection.execute(
        """SELECT c.relname::text, a.attname::text, pg_get_serial_sequence(quote_ident(c.relname), a.attname)
           FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
           WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY (%s)""",
        ([*tables],),
    ).fetchall()
    for table, column, sequence in rows:
        if sequence is not None:
            name = sql.Identifier(column)
            row = connection.execute(sql.SQL("SELECT max({}) FROM {}").format(name, _public(table))).fetchone()
            if row and row[0] is not None:
                _set_sequence(connection, sequence, int(row[0]))


def _set_sequence(connection: psycopg.Connection[Any], sequence: str, last: int) -> None:
    """Set a sequence. Only its owner may; the role of the house counts it up instead."""
    row = connection.execute("SELECT has_sequence_privilege(%s, 'UPDATE')", (sequence,)).fetchone()
    if row and row[0]:
        connection.execute("SELECT setval(%s, %s)", (sequence, last))
        return
    row = connection.execute("SELECT nextval(%s)", (sequence,)).fetchone()
    reached = int(row[0]) if row else 0
    connection.execute("SELECT count(nextval(%s)) FROM generate_series(1, %s)", (sequence, max(last - reached, 0)))
