"""Copies of databases for a backup, each of one moment, while other processes write.

A file of SQLite is copied by its own backup function. In a PostgreSQL database, only tables that cannot be rebuilt from
the events are copied, as text of COPY. So no program of PostgreSQL is needed, and other versions can load them.
"""

import gzip
import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import psycopg
from psycopg import sql

from backoffice.house.manifest import BackupTable, Database, Role
from events.errors import Retry, Unknown
from events.settings.settings import Settings
from events.store.sessions import connect

SQLITE = "sqlite:///"
OF_LOGINS = frozenset({"django_session", "usersessions_usersession", "backoffice_remembered"})
FILES = {"events": "events.sqlite3", "read": "read.sqlite3", "access": "access.sqlite3"}
TITLES = {"events": "event store", "read": "read models' database", "access": "access log's database"}
SETTINGS = {"events": "PITLEDGER_STORE", "read": "PITLEDGER_READ", "access": "PITLEDGER_ACCESS"}
# Tables whose rows are made again: read models, snapshots, reports of parts, rows of migrations.
REBUILT = ("projections_", "django_", "auth_", "pitledger_snapshots", "pitledger_notes", "backoffice_partreport")
WAIT_S = 10
LEVEL = 1  # gzip's
Fetch = Callable[[str], list[tuple[Any, ...]]]


class Extent(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a copied database. `house`: the digest of the first event."""

    position: int = 0
    events: int = 0
    head: int = 0
    house: str = ""
    access_lines: int = 0


class DatabaseCopy(msgspec.Struct, frozen=True):
    """A copied database and how far it goes."""

    database: Database
    extent: Extent


def urls(settings: Settings) -> dict[Role, str]:
    """Return the databases in their order of copying: heads next to the events cover the access log."""
    return {"read": settings.read, "events": settings.store, "access": settings.access}


def file_of(url: str) -> Path | None:
    """Return the file of a database on SQLite; None for one on PostgreSQL."""
    return Path(unquote(url.removeprefix(SQLITE))) if url.startswith(SQLITE) else None


def size_of(role: Role, url: str) -> int:
    """Return the largest size of a copy in bytes. Raises Unknown, Conflict or Retry where there is no database to
    copy.
    """
    path = file_of(url)
    if path is not None:
        return _size_of_file(role, path)
    with _snapshot(role, url) as connection:
        tables = _tables(connection)
        if not tables:
            raise Unknown(f"the {TITLES[role]} ({SETTINGS[role]}) has no tables. Run `./manage.py migrate` first")
        row = connection.execute(
            "SELECT sum(pg_table_size(name::regclass))::bigint FROM unnest(%s::text[]) AS name", ([*tables],)
        ).fetchone()
    return int(row[0]) if row else 0


def copy_database(role: Role, url: str, to: Path) -> DatabaseCopy:
    """Copy a database into a folder. Raises Retry where the copy is not sound or the database does not answer."""
    path = file_of(url)
    if path is None:
        return _copy_tables(role, url, to)
    copy_file(path, to / FILES[role])
    with reading_file(to / FILES[role]) as connection:
        extent = extent_of(role, lambda query: connection.execute(query).fetchall(), "rowid")
    return DatabaseCopy(Database(role, "sqlite", FILES[role]), extent)


def extent_of(role: Role, fetch: Fetch, position: str) -> Extent:
    """Return how far a database goes; `position` is the column of the events' positions."""
    if role == "events":
        [(last, count)] = fetch(f"SELECT coalesce(max({position}), 0), count(*) FROM pitledger_events")
        first = fetch(f"SELECT state FROM pitledger_events ORDER BY {position} LIMIT 1")
        [(head,)] = fetch("SELECT coalesce(max(number), 0) FROM pitledger_heads")
        house = hashlib.sha256(first[0][0]).hexdigest() if first else ""
        return Extent(position=last, events=count, head=head, house=house)
    if role == "access":
        [(lines,)] = fetch("SELECT count(*) FROM access_look")
        return Extent(access_lines=lines)
    return Extent()


@contextmanager
def reading_file(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a file that no one writes to; it leaves no files of its own."""
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        yield connection


# --- SQLite -----------------------------------------------------------------------------------------------------------


def _size_of_file(role: Role, path: Path) -> int:
    if not path.is_file():
        raise Unknown(
            f"there is no {TITLES[role]} at {path}. {SETTINGS[role]} or PITLEDGER_DATA names another house, or it was "
            "never started. Correct the setting, or run `./manage.py migrate`"
        )
    return sum(file.stat().st_size for file in (path, path.with_name(f"{path.name}-wal")) if file.exists())


def copy_file(path: Path, to: Path) -> None:
    """Copy one moment of a file, a person who writes to it. Raises Retry where the copy is not sound."""
    source = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    with closing(source), closing(sqlite3.connect(to)) as copy:
        source.backup(copy)
        [(result,)] = copy.execute("PRAGMA quick_check(1)").fetchall()
        if result != "ok":
            raise Retry(f"{path} is damaged ({result}): restore it from an older backup, docs/howto/restore.md")
        _delete_sessions(copy)
        copy.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _delete_sessions(copy: sqlite3.Connection) -> None:
    """Delete the sessions from a copy, and overwrite them: a copy must sign no one in."""
    tables = {name for (name,) in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    copy.execute("PRAGMA secure_delete = ON")
    for name in OF_LOGINS & tables:
        copy.execute(f"DELETE FROM {name}")
    copy.commit()


# --- PostgreSQL -------------------------------------------------------------------------------------------------------


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


def _copy_tables(role: Role, url: str, to: Path) -> DatabaseCopy:
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
