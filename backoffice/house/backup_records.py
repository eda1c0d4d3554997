"""Records of backups, in the database of the directory: their content, their place, and whether the next one is late.

Every process and every container reads them there, also one without access to the folder with the backups.
"""

import threading
import time
from collections.abc import Collection
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from backoffice.house.backup_manifest import Manifest, total_bytes
from backoffice.models import BackupRecord
from events.settings.setting_declarations import Settings
from events.settings.settings_from_environment import settings

KEPT_MAX = 200  # records
GRACE_MIN_S = 60.0  # that a backup may take, at least, before the next one is called late
DAY_S = 86_400.0
KEPT_S = 30.0  # that a status is kept: every page of an administrator asks for it


class BackupStatus(msgspec.Struct, frozen=True, kw_only=True):
    """State of the backups. `last`: the last good one; `tried`: the last attempt; `reason`: why that one failed.

    `age_s` is the time since the last good backup ended (None: there is none); `is_late` is false where no schedule is
    set; `since`: when the lateness began.
    """

    is_scheduled: bool
    is_late: bool = False
    since: datetime | None = None
    last: datetime | None = None
    age_s: float | None = None
    folder: str = ""
    position: int = 0
    size_bytes: int = 0
    has_keys: bool = False
    tried: datetime | None = None
    reason: str = ""
    checked: datetime | None = None
    restored: datetime | None = None
    running: datetime | None = None


def begin_record(folder: str, *, is_scheduled: bool) -> int | None:
    """Record that a backup begins; its number, or None where the database takes no row: no backup fails for that."""
    if not _has_database():
        return None
    try:
        unended = BackupRecord.objects.filter(ended_at=None)
        unended.update(ended_at=timezone.now(), reason="It was stopped before it was complete.")
        row = BackupRecord.objects.create(began_at=timezone.now(), folder=folder, is_scheduled=is_scheduled)
        old = BackupRecord.objects.order_by("-pk").values_list("pk", flat=True)[KEPT_MAX:]
        BackupRecord.objects.filter(pk__in=list(old)).delete()
    except DatabaseError:
        return None
    return int(row.pk)


def end_record(number: int | None, **values: Any) -> None:
    """Record how a backup ended: `is_good`, `reason`, `position`, `size_bytes`, `has_keys`, `checked_at`."""
    change_record(number, ended_at=timezone.now(), **values)


def end_good(number: int | None, backup: Manifest) -> None:
    """Record a good backup: every file of it was read back."""
    end_record(
        number,
        is_good=True,
        position=backup.position,
        size_bytes=total_bytes(backup),
        has_keys=backup.keys != "none",
        checked_at=timezone.now(),
    )


def change_record(number: int | None, **values: Any) -> None:
    """Change a record, where there is one."""
    if number is None:
        return
    try:
        BackupRecord.objects.filter(pk=number).update(**values)
    except DatabaseError:
        return


def _has_database() -> bool:
    """Return whether the directory's database exists: looking must not create a file of SQLite."""
    name = connection.settings_dict["NAME"]
    return connection.vendor != "sqlite" or "memory" in str(name) or Path(name).exists()


def backup_status(now: datetime | None = None) -> BackupStatus:
    """Return the state of the backups. Raises DatabaseError where the directory's database does not answer."""
    house_settings, now = settings(), now or timezone.now()
    rows = BackupRecord.objects.order_by("-pk")
    last = rows.filter(is_good=True).first()
    latest_backup = rows.first()
    first = BackupRecord.objects.order_by("pk").values_list("began_at", flat=True).first() or _tables_made()
    status = BackupStatus(is_scheduled=bool(house_settings.backup))
    if latest_backup is not None:
        status = msgspec.structs.replace(
            status,
            tried=latest_backup.began_at,
            reason=latest_backup.reason,
            running=latest_backup.began_at if latest_backup.ended_at is None else None,
        )
    if last is not None:
        status = msgspec.structs.replace(
            status,
            last=last.ended_at,
            age_s=max((now - last.ended_at).total_seconds(), 0.0) if last.ended_at else None,
            folder=last.folder,
            position=last.position or 0,
            size_bytes=last.size_bytes or 0,
            has_keys=last.has_keys,
            checked=last.checked_at,
            restored=last.restored_at,
        )
    return _with_lateness(status, house_settings, first, now)


def _tables_made() -> datetime | None:
    """Return the time at which this house got its table of backups: a schedule that never ran is late as well."""
    applied = MigrationRecorder.Migration.objects.filter(app="backoffice", name="0010_backup_records")
    return applied.values_list("applied", flat=True).first()


def _with_lateness(status: BackupStatus, settings: Settings, first: datetime | None, now: datetime) -> BackupStatus:
    """A house without one good backup is late once its first attempt, or its table of backups, is older than that."""
    begin = status.last or first
    if not status.is_scheduled or begin is None:
        return status
    interval = interval_s(settings) if status.last else 0.0
    since = begin + timedelta(seconds=interval + grace_s(settings))
    return msgspec.structs.replace(status, is_late=now > since, since=since if now > since else None)


def interval_s(settings: Settings) -> float:
    """Return the seconds between two scheduled backups."""
    return DAY_S if settings.backup_at else settings.backup_every_s


def grace_s(settings: Settings) -> float:
    """Return the seconds after which a backup that is due is late: a quarter of the interval."""
    return max(interval_s(settings) / 4, GRACE_MIN_S)


_lock = threading.Lock()
_statuses: dict[str, tuple[float, BackupStatus]] = {}


def late_backup_for(roles: Collection[str]) -> BackupStatus | None:
    """Return the state of late backups for the roles that are responsible for them."""
    if "administrator" not in roles or not settings().backup:
        return None
    status = _kept_status()
    return status if status is not None and status.is_late else None


def forget_status() -> None:
    """Ask the database at the next look."""
    with _lock:
        _statuses.clear()


def _kept_status() -> BackupStatus | None:
    now = time.monotonic()
    with _lock:
        at, status = _statuses.get(settings().read, (float("-inf"), None))
    if status is not None and now - at < KEPT_S:
        return status
    try:
        status = backup_status()
    except DatabaseError:
        return None
    with _lock:
        _statuses[settings().read] = (now, status)
    return status
