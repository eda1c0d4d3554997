"""`./manage.py backup FOLDER`: copy a running house into a folder."""

import sqlite3
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from backoffice.house import backup_records, trial_restore_into_scratch_house
from backoffice.house.backup_manifest import Manifest, check_files, read_manifest, total_bytes
from backoffice.house.complete_backup_folder_creation import BackupPlan, make_backup
from backoffice.house.scheduled_backup import make_scheduled
from backoffice.management.house_command import HouseCommand
from events.errors import PitledgerError, Unknown
from events.settings.settings_from_environment import settings

_PAGE = "docs/howto/backup.md"


class Command(HouseCommand):
    """Reads only, and records the backup in the directory's database."""

    help = (
        "Copy the running house into FOLDER: people and badges, events, access log, keys, and on SQLite the read "
        "models. FOLDER must be missing or empty. It appears only after every file was read back; its manifest has "
        "the digest of every file. --keys puts the keys into another folder, so that the backup alone gives "
        "no access. `./manage.py restore FOLDER` makes a house from it. --scheduled makes the next backup in "
        "PITLEDGER_BACKUP and deletes old ones. --check compares a backup with its manifest. --try restores it "
        "into a temporary house and verifies it. Exit code 1: the copy failed or a backup has changed. Exit code "
        "2: there is no house."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER", help="destination folder")
        parser.add_argument("--keys", type=Path, metavar="FOLDER", help="destination folder of the keys")
        parser.add_argument("--without-keys", action="store_true", help="do not copy the keys")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--scheduled", action="store_true", help="make the next backup in PITLEDGER_BACKUP")
        what.add_argument("--check", action="store_true", help="check the backup in FOLDER against its manifest")
        what.add_argument(
            "--try", action="store_true", dest="trial", help="restore FOLDER into a temporary house and verify it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path | None = options["folder"] and options["folder"].absolute()
        is_known = bool(folder) != options["scheduled"] and not (options["keys"] and options["without_keys"])
        if not is_known or ((options["keys"] or options["without_keys"]) and options["check"]):
            raise CommandError(f"Name a FOLDER or --scheduled, and one of the options: {_PAGE}", returncode=2)
        try:
            if folder is None:
                self._write_report(*make_scheduled(settings(), self.stdout.write))
            elif options["check"] or options["trial"]:
                self._check(folder, options["keys"], is_trial=options["trial"])
            else:
                keys = options["keys"] and options["keys"].absolute()
                plan = BackupPlan(folder=folder, keys=keys, without_keys=options["without_keys"])
                self._write_report(plan, self._make(plan))
        except Unknown as error:
            raise CommandError(str(error), returncode=2) from error
        except (PitledgerError, OSError, sqlite3.Error) as error:
            failed = "" if options["check"] or options["trial"] else "nothing was copied: "
            raise CommandError(f"{failed}{error}", returncode=1) from error

    def _make(self, plan: BackupPlan) -> Manifest:
        number = backup_records.begin_record(str(plan.folder), is_scheduled=False)
        try:
            made = make_backup(settings(), plan)
        except BaseException as error:
            backup_records.end_record(number, reason=str(error) or type(error).__name__)
            raise
        backup_records.end_good(number, made)
        if made.keys == "here":
            self.stderr.write("The keys are beside the databases. Keep them apart with --keys FOLDER.")
        return made

    def _write_report(self, plan: BackupPlan, made: Manifest) -> None:
        vouched = f"head {made.head}" if made.head else "no head yet"
        self.stdout.write(f"events up to position {made.position:,}, {vouched}")
        self.stdout.write(f"{plan.folder}: {', '.join(sorted(path.name for path in plan.folder.iterdir()))}")
        if plan.keys is not None:
            self.stdout.write(f"{plan.keys}: {', '.join(sorted(path.name for path in plan.keys.iterdir()))}")

    def _check(self, folder: Path, keys: Path | None, *, is_trial: bool) -> None:
        made = read_manifest(folder)
        check_files(folder, made.files)
        self.stdout.write(f"{folder}: {len(made.files)} files, {total_bytes(made):,} bytes, as they were backed up")
        if is_trial:
            trial_restore_into_scratch_house.try_backup(folder, keys, self.stdout.write)
            self.stdout.write(f"{folder}: restored into a temporary house and verified.")
