"""The three databases of a house as a backup sees them: their settings, files, tables, and how far each goes."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec

from backoffice.access.router import ALIAS
from backoffice.house.backup_manifest import Database, Role
from events.settings.setting_declarations import Settings

SQLITE = "sqlite:///"
OF_LOGINS = frozenset({"django_session", "usersessions_usersession", "backoffice_remembered"})
FILES = {"events": "events.sqlite3", "read": "read.sqlite3", "access": "access.sqlite3"}
TITLES = {"events": "event store", "read": "read models' database", "access": "access log's database"}
SETTINGS = {"events": "PITLEDGER_STORE", "read": "PITLEDGER_READ", "access": "PITLEDGER_ACCESS"}
ALIASES: dict[str, str] = {"read": "default", "access": ALIAS}  # Django's
# Tables whose rows are made again: read models, snapshots, reports of parts, rows of migrations.
REBUILT = ("projections_", "django_", "auth_", "pitledger_snapshots", "pitledger_notes", "backoffice_partreport")
# Rows that a house has before its first work.
OF_EMPTY = ("backoffice_backuprecord", "sqlite_", *REBUILT)
WAIT_S = 10  # for a server
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
