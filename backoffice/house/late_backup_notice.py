"""Late backups, for administrators. The answer is kept for half a minute: every page of theirs asks."""

import threading
import time
from collections.abc import Collection

from django.db import DatabaseError

from backoffice.house.backup_records import BackupStatus, backup_status
from events.settings.settings_from_environment import settings

KEPT_S = 30.0
_lock = threading.Lock()
_statuses: dict[str, tuple[float, BackupStatus]] = {}


def late_backup_for(roles: Collection[str]) -> BackupStatus | None:
    """Return the state of the backups where they are late and one of the roles looks after them."""
    if "administrator" not in roles or not settings().backup:
        return None
    status = _status()
    return status if status is not None and status.is_late else None


def forget() -> None:
    """Ask the database at the next look."""
    with _lock:
        _statuses.clear()


def _status() -> BackupStatus | None:
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
