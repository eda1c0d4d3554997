"""Loading the databases of a backup into an empty house. Each is loaded in one transaction."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from backoffice.house.backup_manifest import Database, Role, digest_of
from backoffice.house.databases_in_backup_with_extent import ALIASES, OF_EMPTY, SETTINGS, TITLES, file_of
from events.errors import Conflict, Invalid

_THEN = "Restore into empty databases and an empty PITLEDGER_DATA (docs/howto/restore.md)"


def must_be_of_kind(database: Database, url: str) -> None:
    """Raise Invalid where a database of the backup is of another kind than the house's."""
    kind = "sqlite" if file_of(url) else "postgresql"
    if database.kind != kind:
        names = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
        raise Invalid(
            SETTINGS[database.role],
            f"the backup holds the {TITLES[database.role]} of {names[database.kind]}, this house has "
            f"{names[kind]}. A backup is restored into a house of the same kind",
        )


def must_be_known(database: Database) -> None:
    """Raise Invalid for tables of a later version of the software than this one."""
    if database.kind == "postgresql" and database.role in ALIASES:
        nodes = MigrationExecutor(connections[ALIASES[database.role]]).loader.graph.nodes
        if unknown := [f"{app}.{name}" for app, name in database.migrations if (app, name) not in nodes]:
            raise Invalid("FOLDER", f"a later version made this backup ({unknown[0]}). Restore it with that version")


def is_loaded(database: Database, url: str, folder: Path) -> bool:
    """Return whether the house already holds exactly this database of the backup: then an interrupted restore skips
    it."""
    path = file_of(url)
    if path is not None:
        return path.is_file() and digest_of(path) == digest_of(folder / database.file)
    from backoffice.house.postgres_restore import are_loaded  # here: a house on SQLite never loads the driver

    return are_loaded(database, url)


def must_be_empty(role: Role, url: str) -> None:
    """Raise Conflict for a database in which something was recorded."""
    path = file_of(url)
    if path is not None:
        filled = _filled_of_file(path)
    else:
        from backoffice.house.postgres_restore import filled_table  # here: as above

        filled = filled_table(role, url)
    if filled:
        raise Conflict(f"this house is not empty: {filled} in {SETTINGS[role]} holds rows. {_THEN}")


def _filled_of_file(path: Path) -> str:
    if not path.exists():
        return ""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        names = [name for (name,) in rows if not name.startswith(OF_EMPTY)]
        return next((name for name in names if connection.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchone()), "")


def load_database(database: Database, url: str, folder: Path) -> None:
    """Load one database. Raises Conflict or Retry; nothing of it is loaded then."""
    path = file_of(url)
    if path is not None:
        _put_file(folder / database.file, path)
        return
    from backoffice.house.postgres_restore import load_tables  # here: as above

    load_tables(database, url, folder)


def _put_file(source: Path, path: Path) -> None:
    part = path.with_name(f"{path.name}.restored")
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, part)
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    for end in ("-wal", "-shm"):
        path.with_name(f"{path.name}{end}").unlink(missing_ok=True)
    part.replace(path)
