"""Trial of a backup: it is restored into a scratch house, verified there, and the scratch house is deleted."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backoffice.house.databases_in_backup_with_extent import SETTINGS, file_of, urls
from backoffice.house.scheduled_backup_times_and_deletion import Tell
from backoffice.running import status_files
from backoffice.running.database_and_mail_settings import ROOT
from backoffice.running.open_files_locks_full_disk import hold_file_lock
from events.errors import Conflict
from events.settings.setting_declarations import PREFIX, Settings
from events.settings.settings_from_environment import settings

_AT_WORK = "another trial is at work here. Wait until it has ended"


def try_backup(folder: Path, keys: Path | None, tell: Tell) -> None:
    """Restore a backup into a scratch house and verify it. Raises Conflict with the failed check, and Retry.

    On PostgreSQL the scratch databases are made next to the house's own, whose role needs the right to create
    databases.
    """
    house_settings = settings()
    with hold_file_lock(status_files.run_folder(house_settings.data_folder) / "trial.lock", or_else=_AT_WORK):
        for leftover in house_settings.data_folder.glob("trial-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        data = Path(tempfile.mkdtemp(prefix="trial-", dir=house_settings.data_folder))
        try:
            with _scratch_databases(house_settings) as databases:
                _restore(folder, keys, _environment(house_settings, data, databases), tell)
        finally:
            shutil.rmtree(data, ignore_errors=True)


def _environment(settings: Settings, data: Path, databases: dict[str, str]) -> dict[str, str]:
    """The settings of the scratch house: those of the house, but for its places."""
    dropped = {*SETTINGS.values(), "PITLEDGER_KAFKA", "PITLEDGER_CELERY", "PITLEDGER_BACKUP", "PITLEDGER_WITNESS"}
    inherited = {name: value for name, value in os.environ.items() if name not in dropped}
    return inherited | databases | {"PITLEDGER_DATA": str(data), f"{PREFIX}PROPERTY": settings.property_}


def _restore(folder: Path, keys: Path | None, environment: dict[str, str], tell: Tell) -> None:
    words = ["restore", str(folder), "--without-witness", *(["--keys", str(keys)] if keys else ["--without-keys"])]
    command = [sys.executable, str(ROOT / "manage.py"), *words]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if result.returncode:
        raise Conflict(f"the trial of {folder} failed: {result.stderr.strip() or result.stdout.strip()}")
    tell(f"{folder} was restored as a trial")


@contextmanager
def _scratch_databases(settings: Settings) -> Iterator[dict[str, str]]:
    """Yield settings by name: empty databases for those on PostgreSQL; files of SQLite are in the scratch folder."""
    servers = {role: url for role, url in urls(settings).items() if file_of(url) is None}
    if not servers:
        yield {}
        return
    from backoffice.house.scratch_databases import scratch_databases  # here: a house on SQLite never loads the driver

    with scratch_databases(servers) as databases:
        yield databases
