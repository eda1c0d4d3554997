"""Scheduled backups: when the next one is due, what it is called, and which old ones go.

Each is a folder `PROPERTY-20261126T043000Z` (UTC) in PITLEDGER_BACKUP. Only folders of that form are looked at, whose
manifest names this house; whatever else lies there stays.
"""

import re
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote
from zoneinfo import ZoneInfo

from backoffice.house import manifest
from backoffice.house.manifest import Manifest
from events.errors import Invalid, PitledgerError
from events.settings import Settings

STAMP = "%Y%m%dT%H%M%SZ"
PART = ".part"
LOCK = ".pitledger-backup.lock"
AGAIN_S = 900.0  # after an attempt that failed, at most
DAY = timedelta(days=1)
Tell = Callable[[str], object]


def next_due(given: Settings, last: datetime | None, now: datetime) -> datetime:
    """Return when the next scheduled backup is due; `last`: when the last good one began (None: there is none)."""
    if last is None:
        return now
    if not given.backup_at:
        return last + timedelta(seconds=given.backup_every_s)
    hour, minute = map(int, given.backup_at.split(":"))
    local = last.astimezone(ZoneInfo(given.time_zone))
    due = local.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return due if due > local else (due.replace(tzinfo=None) + DAY).replace(tzinfo=due.tzinfo)


def is_due(given: Settings, attempted: datetime | None, now: datetime | None = None) -> bool:
    """Whether the worker makes a backup now; `attempted`: when it last began one."""
    if not given.backup or given.backup_by != "worker":
        return False
    now = now or datetime.now(UTC)
    pause = min(given.backup_every_s, AGAIN_S)
    if attempted is not None and (now - attempted).total_seconds() < pause:
        return False
    made = folder_times(given)
    return next_due(given, max(made) if made else None, now) <= now


def folder_times(given: Settings) -> list[datetime]:
    """Return when the scheduled backups of this property that lie in the folder were begun."""
    pattern = _pattern(given)
    return [
        datetime.strptime(match[1], STAMP).replace(tzinfo=UTC)
        for path in _entries(Path(given.backup))
        if (match := pattern.fullmatch(path.name)) and (path / manifest.NAME).is_file()
    ]


def folder_name(given: Settings, now: datetime) -> str:
    """Return the name of a scheduled backup."""
    return f"{quote(given.property_, safe='')}-{now.astimezone(UTC).strftime(STAMP)}"


def require_folder(setting: str, folder: str) -> Path:
    """Return the folder of a setting. Raises Invalid where it is not set or not there: its disk may not be mounted."""
    if not folder:
        raise Invalid(setting, "is not set. Name the folder for scheduled backups")
    path = Path(folder).absolute()
    if not path.is_dir():
        raise Invalid(setting, f"there is no folder {path}. Create it, or mount its disk")
    return path


def delete_parts(given: Settings, *folders: Path) -> None:
    """Delete what killed backups left; the caller holds the lock of the folder."""
    pattern = re.compile(rf"{_pattern(given).pattern}\.part")
    for path in (path for folder in folders for path in _entries(folder)):
        if pattern.fullmatch(path.name):
            shutil.rmtree(path, ignore_errors=True)


def delete_old(given: Settings, house: str, folder: Path, keys: Path | None, tell: Tell) -> None:
    """Delete backups of this house that are older than the newest PITLEDGER_BACKUP_KEEP good ones."""
    mine = list(_backups(given, house, folder))
    good = [path for path, made in mine if is_complete(path, made)]
    if len(good) <= given.backup_keep:
        return
    oldest = good[given.backup_keep - 1].name
    for path, made in mine:
        if path.name < oldest:
            _delete(path)
            if keys is not None and _are_keys_of(keys / path.name, made):
                _delete(keys / path.name)
            tell(f"deleted the old backup {path}")


def is_complete(folder: Path, made: Manifest) -> bool:
    """Whether every file of a backup is there in its length."""
    try:
        return all((folder / file.path).stat().st_size == file.size_bytes for file in made.files)
    except OSError:
        return False


def _backups(given: Settings, house: str, folder: Path) -> Iterator[tuple[Path, Manifest]]:
    """The scheduled backups of this house, the newest first."""
    pattern = _pattern(given)
    for path in sorted(_entries(folder), key=lambda path: path.name, reverse=True):
        if pattern.fullmatch(path.name) and not path.is_symlink():
            try:
                made = manifest.read_manifest(path)
            except (PitledgerError, OSError):
                continue
            if made.house == house and made.property == given.property_:
                yield path, made


def _are_keys_of(folder: Path, made: Manifest) -> bool:
    try:
        return manifest.read_keys_manifest(folder).backup == made.id
    except (PitledgerError, OSError):
        return False


def _delete(folder: Path) -> None:
    """A kill in the middle leaves a folder that the next backup deletes, and none that looks whole."""
    part = folder.with_name(f"{folder.name}{PART}")
    folder.replace(part)
    shutil.rmtree(part, ignore_errors=True)


def _pattern(given: Settings) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(quote(given.property_, safe=''))}-(\d{{8}}T\d{{6}}Z)")


def _entries(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_dir()]
    except OSError:
        return []
