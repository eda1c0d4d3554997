"""Copies of databases for a backup, each of one moment, while other processes write.

A file of SQLite is copied by its own backup function. In a PostgreSQL database, only tables that cannot be rebuilt from
the events are copied, as text of COPY. So no program of PostgreSQL is needed, and other versions can load them.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from backoffice.house.backup_manifest import Database, Role
from backoffice.house.databases_in_backup_with_extent import (
    FILES,
    OF_LOGINS,
    SETTINGS,
    TITLES,
    DatabaseCopy,
    extent_of,
    file_of,
)
from events.errors import Retry, Unknown


def size_of(role: Role, url: str) -> int:
    """Return the largest size of a copy in bytes. Raises Unknown, Conflict or Retry where there is no database to
    copy.
    """
    path = file_of(url)
    if path is not None:
        return _size_of_file(role, path)
    from backoffice.house.postgres_tables_to_backup_files import (
        size_of_tables,  # here: a house on SQLite never loads the driver
    )

    return size_of_tables(role, url)


def copy_database(role: Role, url: str, to: Path) -> DatabaseCopy:
    """Copy a database into a folder. Raises Retry where the copy is not sound or the database does not answer."""
    path = file_of(url)
    if path is None:
        from backoffice.house.postgres_tables_to_backup_files import copy_tables  # here: as above

        return copy_tables(role, url, to)
    copy_file(path, to / FILES[role])
    with reading_file(to / FILES[role]) as connection:
        extent = extent_of(role, lambda query: connection.execute(query).fetchall(), "rowid")
    return DatabaseCopy(Database(role, "sqlite", FILES[role]), extent)


@contextmanager
def reading_file(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a file that no one writes to; it leaves no files of its own."""
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        yield connection


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
