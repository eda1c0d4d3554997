"""Scheduled backups: the time of the next one, its name, and the old ones to delete.

Each is a folder `PROPERTY-20261126T043000Z` (UTC) in PITLEDGER_BACKUP. Only folders of that form are read, whose
manifest names this house. Other files there stay.
"""

import re
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote
from zoneinfo import ZoneInfo

from backoffice.house import backup_manifest
from backoffice.house.backup_manifest import Manifest
from events.errors import Invalid, PitledgerError
from events.settings.setting_declarations import Settings

STAMP = "%Y%m%dT%H%M%SZ"
PART = ".part"
LOCK = ".pitledger-backup.lock"
AGAIN_S = 900.0  # after an attempt that failed, at most
DAY = timedelta(days=1)
Tell = Callable[[str], object]


def next_due(settings: Settings, last: datetime | None, now: datetime) -> datetime:
    """Return when the next scheduled backup is due; `last`: when the last good one began (None: no such backup)."""
    if last is None:
        return now
    if not settings.backup_at:
        return last + timedelta(seconds=settings.backup_every_s)
    hour, minute = map(int, settings.backup_at.split(":"))
    local = last.astimezone(ZoneInfo(settings.time_zone))
    due = local.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return due if due > local else (due.replace(tzinfo=None) + DAY).replace(tzinfo=due.tzinfo)


def is_due(settings: Settings, attempted: datetime | None, now: datetime | None = None) -> bool:
    """Return whether the worker makes a backup now; `attempted`: when it last began one."""
    if not settings.backup or settings.backup_by != "worker":
        return False
    now = now or datetime.now(UTC)
    pause = min(settings.backup_every_s, AGAIN_S)
    if attempted is not None and (now - attempted).total_seconds() < pause:
        return False
    times = folder_times(settings)
    return next_due(settings, max(times) if times else None, now) <= now


def folder_times(settings: Settings) -> list[datetime]:
    """Return the begin times of this property's scheduled backups in the folder."""
    pattern = _pattern(settings)
    return [
        datetime.strptime(match[1], STAMP).replace(tzinfo=UTC)
        for path in _entries(Path(settings.backup))
        if (match := pattern.fullmatch(path.name)) and (path / backup_manifest.NAME).is_file()
    ]


def folder_name(settings: Settings, now: datetime) -> str:
    """Return the name of a scheduled backup."""
    return f"{quote(settings.property_, safe='')}-{now.astimezone(UTC).strftime(STAMP)}"


def require_folder(setting: str, folder: str) -> Path:
    """Return the folder of a setting. Raises Invalid where it is not set or not there: its disk may not be mounted."""
    if not folder:
        raise Invalid(setting, "is not set. Name the folder for scheduled backups")
    path = Path(folder).absolute()
    if not path.is_dir():
        raise Invalid(setting, f"there is no folder {path}. Create it, or mount its disk")
    return path


def delete_parts(settings: Settings, *folders: Path) -> None:
    """Delete the remains of killed backups; the caller holds the lock of the folder."""
    pattern = re.compile(rf"{_pattern(settings).pattern}\.part")
    for path in (path for folder in folders for path in _entries(folder)):
        if pattern.fullmatch(path.name):
            shutil.rmtree(path, ignore_errors=True)


def delete_old(settings: Settings, house: str, folder: Path, keys: Path | None, tell: Tell) -> None:
    """Delete backups of this house that are older than the newest PITLEDGER_BACKUP_KEEP good ones."""
    backups = list(_backups(settings, house, folder))
    good = [path for path, backup in backups if is_complete(path, backup)]
    if len(good) <= settings.backup_keep:
        return
    oldest = good[settings.backup_keep - 1].name
    for path, backup in backups:
        if path.name < oldest:
            _delete(path)
            if keys is not None and _are_keys_of(keys / path.name, backup):
                _delete(keys / path.name)
            tell(f"deleted the old backup {path}")


def is_complete(folder: Path, backup: Manifest) -> bool:
    """Return whether every file of a backup is there in its length."""
    try:
        return all((folder / file.path).stat().st_size == file.size_bytes for file in backup.files)
    except OSError:
        return False


def _backups(settings: Settings, house: str, folder: Path) -> Iterator[tuple[Path, Manifest]]:
    """The scheduled backups of this house, the newest first."""
    pattern = _pattern(settings)
    for path in sorted(_entries(folder), key=lambda path: path.name, reverse=True):
        if pattern.fullmatch(path.name) and not path.is_symlink():
            try:
                backup = backup_manifest.read_manifest(path)
            except (PitledgerError, OSError):
                continue
            if backup.house == house and backup.property == settings.property_:
                yield path, backup


def _are_keys_of(folder: Path, backup: Manifest) -> bool:
    try:
        return backup_manifest.read_keys_manifest(folder).backup == backup.id
    except (PitledgerError, OSError):
        return False


def _delete(folder: Path) -> None:
    """A kill leaves a folder that the next backup deletes, and that does not look complete."""
    part = folder.with_name(f"{folder.name}{PART}")
    folder.replace(part)
    shutil.rmtree(part, ignore_errors=True)


def _pattern(settings: Settings) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(quote(settings.property_, safe=''))}-(\d{{8}}T\d{{6}}Z)")


def _entries(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_dir()]
    except OSError:
        return []
