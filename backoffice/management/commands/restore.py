"""`./manage.py restore FOLDER`: restore a house from a backup into an empty place, and verify it."""

import sqlite3
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError

from backoffice.house.backup_manifest import Manifest
from backoffice.house.restore_from_backup import RestoreSource, restore
from backoffice.management.house_command import HouseCommand
from events.errors import PitledgerError
from events.settings.setting_declarations import EMBEDDED
from events.settings.settings_from_environment import settings


class Command(HouseCommand):
    """Writes to an empty house only."""

    help = (
        "Restore the backup in FOLDER into this house, which must be empty and stopped. The command checks every "
        "file against the manifest, loads and migrates the databases, builds the read models, and verifies the "
        "result. Use the database kind of the backup: SQLite or PostgreSQL. If a restore was interrupted, give the "
        "same command again. All people are signed out. Exit code 1: the restore failed, or the verification found "
        "a fault."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="FOLDER", help="the backup")
        parser.add_argument(
            "--keys", type=Path, metavar="FOLDER", help="the folder of its keys, if they are kept apart"
        )
        parser.add_argument("--without-keys", action="store_true", help="restore without the keys of the backup")
        parser.add_argument(
            "--only-keys", action="store_true", help="restore only the keys, in the container that signs"
        )

        parser.add_argument(
            "--witness",
            type=Path,
            metavar="FILE",
            help="a copy of the witness's file, instead of the witness at PITLEDGER_WITNESS: the keys of cases that it "
            "knows destroyed are destroyed again",
        )
        parser.add_argument(
            "--without-witness",
            action="store_true",
            help="read no witness: keys of cases that were destroyed after the backup come back",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["without_keys"] and (options["keys"] or options["only_keys"]):
            raise CommandError("--without-keys cannot be combined with --keys or --only-keys", returncode=2)
        if options["witness"] and options["without_witness"]:
            raise CommandError("--without-witness cannot be combined with --witness", returncode=2)
        source = RestoreSource(
            folder=options["folder"].absolute(),
            keys=options["keys"] and options["keys"].absolute(),
            without_keys=options["without_keys"],
            only_keys=options["only_keys"],
            witness=options["witness"],
            without_witness=options["without_witness"],
        )
        try:
            restored = restore(settings(), source, self._write_line)
        except (PitledgerError, OSError, sqlite3.Error, DatabaseError) as error:
            raise CommandError(f"not restored: {error}", returncode=1) from error
        if source.only_keys:
            self._write_line(
                "The keys are restored. Restore the databases with --without-keys on the machine that reaches them."
            )
        else:
            self._say_next(restored)

    def _write_line(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()

    def _say_next(self, made: Manifest) -> None:
        line = self.stdout.write
        line(f"Restored: {made.events:,} events up to position {made.position:,}, as of {made.made}. Next:")
        if settings().kafka != EMBEDDED:
            line("  ./manage.py relay --empty-topic       if Kafka holds events that are later than the backup")
        line(f"  ./manage.py heads --accept-restored {made.head}   if a topic or a witness holds later heads")
        line("  ./manage.py up                        start the house. Everybody signs in again")
        line("  ./manage.py refusal-log --json        what was revoked after the backup counts again: revoke it anew")
