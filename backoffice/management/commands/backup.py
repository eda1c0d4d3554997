"""`./manage.py backup FOLDER`: a copy of the house that fits together, made while it runs."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from django.core.management.base import BaseCommand, CommandError, CommandParser

from events.errors import Conflict, PitledgerError, Retry, Unknown
from events.integrity.heads import decode
from events.integrity.kept import open_heads
from events.settings import CLOCK, settings
from events.signing import keys
from events.store import open_store

SECRET = "secret-key"  # noqa: S105 - a file's name
OF_LOGINS = frozenset({"django_session", "usersessions_usersession", "backoffice_remembered"})
EVENTS, READ, ACCESS = "events.sqlite3", "read.sqlite3", "access.sqlite3"
_SQLITE = "sqlite:///"
_PAGE = "docs/howto/backup.md"


class Command(BaseCommand):
    """Only reads the house. The keys come first, then what is made of the events, and these; and the access log last,
    of which the heads beside the events say how far it was."""

    help = (
        "Copy the house into FOLDER while it runs: keys, read models with people and badges, events, access log. "
        "Whole or not at all: FOLDER must be missing or empty, and is there once everything in it was read back. A "
        f"database on PostgreSQL is left to PostgreSQL's own means ({_PAGE}). Put the copy in the place "
        "of the data folder to restore it. Exit code: 0; 1 where it could not be copied; 2 where there is no house."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the copy is to lie")

    def handle(self, *args: Any, **options: Any) -> None:
        to: Path = options["folder"].absolute()
        fresh = to.with_name(f"{to.name}.part")
        try:
            _must_be_free(to)
            _must_be_a_house()
            shutil.rmtree(fresh, ignore_errors=True)
            fresh.mkdir(parents=True, mode=0o700)
            self._make(fresh)
            fresh.replace(to)
            _sync_folder(to.parent)
        except Unknown as error:
            raise CommandError(str(error), returncode=2) from error
        except (PitledgerError, OSError, sqlite3.Error) as error:
            raise CommandError(f"nothing was copied: {error}", returncode=1) from error
        self.stdout.write(f"{to}: {', '.join(sorted(path.name for path in to.iterdir()))}")

    def _make(self, fresh: Path) -> None:
        """All of it, durable; or nothing, so that a full disk does not stay full by it."""
        try:
            self._fill(fresh)
            _sync(fresh)
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise

    def _fill(self, to: Path) -> None:
        _copy_keys(settings().data_folder, to)
        for url, name, what in _databases():
            if (path := _file_of(url)) is not None:
                _copy(path, to / name)
            else:
                self.stdout.write(f"The {what} on PostgreSQL: by its own means ({_PAGE}).")
        if (to / EVENTS).exists():
            self.stdout.write(_said(f"{_SQLITE}{to / EVENTS}"))


def _databases() -> tuple[tuple[str, str, str], ...]:
    given = settings()
    return (
        (given.read, READ, "read models"),
        (given.store, EVENTS, "event store"),
        (given.access, ACCESS, "access log"),
    )


def _must_be_free(to: Path) -> None:
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise Conflict(f"{to} is not empty: name another folder for each backup")


def _must_be_a_house() -> None:
    path = _file_of(settings().store)
    if path is not None and not path.exists():
        raise Unknown(f"there is no event store at {path}: nothing to copy")


def _file_of(url: str) -> Path | None:
    """The file of a database on SQLite."""
    return Path(unquote(url.removeprefix(_SQLITE))) if url.startswith(_SQLITE) else None


def _copy_keys(data: Path, to: Path) -> None:
    """What signs the heads and what it remembers, and the small files without which the house is another one."""
    folder = keys.keys_folder(data)
    if folder.is_dir():
        shutil.copytree(folder, to / folder.name, ignore=_half_written)
    for name in (SECRET, CLOCK):
        if (data / name).exists():
            shutil.copy2(data / name, to / name)


def _half_written(_folder: str, names: list[str]) -> list[str]:
    """Files under the number of the process that writes them: they have their names when they are whole."""
    return [name for name in names if name.rpartition(".")[2].isdecimal()]


def _copy(path: Path, to: Path) -> None:
    """One moment of a database, whoever writes to it meanwhile. Raises Retry where the copy is not sound."""
    if not path.exists():
        return
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as source, closing(sqlite3.connect(to)) as copy:
        source.backup(copy)
        [(found,)] = copy.execute("PRAGMA quick_check(1)").fetchall()
        if found != "ok":
            raise Retry(f"{path} is damaged ({found}): restore it from an older backup, {_PAGE}")
        _leave_sessions_out(copy)
        copy.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _leave_sessions_out(copy: sqlite3.Connection) -> None:
    """Nobody is signed in by a copy; what was deleted is overwritten."""
    tables = {name for (name,) in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    copy.execute("PRAGMA secure_delete = ON")
    for name in OF_LOGINS & tables:
        copy.execute(f"DELETE FROM {name}")
    copy.commit()


def _said(url: str) -> str:
    """How far the copied events go, for whoever restores them."""
    with closing(open_store(url)) as store, closing(open_heads(url)) as heads:
        raw = heads.last()
        vouched = f"head {decode(raw).number}" if raw else "no head yet"
        return f"events up to position {store.position():,}, {vouched}"


def _sync(folder: Path) -> None:
    """What is called a backup survives a power cut."""
    for path in _files(folder):
        with path.open("rb") as file:
            os.fsync(file.fileno())
    _sync_folder(folder)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _sync_folder(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
