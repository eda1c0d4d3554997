"""A scheduled backup: made, checked, tried if the house wants it, recorded. Then the oldest are deleted."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from django.utils import timezone

from backoffice.house import backup_records, scheduled_backup_times_and_deletion, trial_restore_into_scratch_house
from backoffice.house.backup_manifest import Manifest, check_files
from backoffice.house.complete_backup_folder_creation import BackupPlan, make_backup
from backoffice.house.scheduled_backup_times_and_deletion import Tell
from backoffice.running.open_files_locks_full_disk import hold_file_lock
from events.errors import PitledgerError
from events.settings.setting_declarations import Settings

_AT_WORK = "another scheduled backup is at work. Wait until it has ended"


def make_scheduled(settings: Settings, tell: Tell) -> tuple[BackupPlan, Manifest]:
    """Make the next scheduled backup. Raises the errors of `make_backup` and `try_backup`; the record keeps the
    reason.
    """
    number = backup_records.begin_record(settings.backup, is_scheduled=True)
    try:
        folder = scheduled_backup_times_and_deletion.require_folder("PITLEDGER_BACKUP", settings.backup)
        keys = (
            scheduled_backup_times_and_deletion.require_folder("PITLEDGER_BACKUP_KEYS", settings.backup_keys)
            if settings.backup_keys
            else None
        )
        with hold_file_lock(folder / scheduled_backup_times_and_deletion.LOCK, or_else=_AT_WORK):
            scheduled_backup_times_and_deletion.delete_parts(settings, *filter(None, (folder, keys)))
            plan = _plan(settings, folder, keys)
            backup_records.change_record(number, folder=str(plan.folder))
            backup = _make(settings, plan, number, tell)
            scheduled_backup_times_and_deletion.delete_old(settings, backup.house, folder, keys, tell)
    except (PitledgerError, OSError, sqlite3.Error) as error:
        backup_records.end_record(number, reason=str(error))
        raise
    return plan, backup


def _plan(settings: Settings, folder: Path, keys: Path | None) -> BackupPlan:
    name = scheduled_backup_times_and_deletion.folder_name(settings, datetime.now(UTC))
    return BackupPlan(folder=folder / name, keys=keys and keys / name, without_keys=keys is None)


def _make(settings: Settings, plan: BackupPlan, number: int | None, tell: Tell) -> Manifest:
    backup = make_backup(settings, plan)
    check_files(plan.folder, backup.files)
    if settings.backup_try == "yes":
        trial_restore_into_scratch_house.try_backup(plan.folder, plan.keys, tell)
        backup_records.change_record(number, restored_at=timezone.now())
    backup_records.end_good(number, backup)
    return backup
