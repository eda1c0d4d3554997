"""`./manage.py case-key change FILE`: wrap the keys of all cases by another house case key."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from backoffice.management.house_command import HouseCommand, exit_code
from events.cases.case_key_and_file_vault import vault

KEY_MIN = 32


class Command(HouseCommand):
    """Writes the wrapped keys. The keys of cases, and their texts, stay."""

    help = (
        "Manage the house case key. change FILE wraps the key of every case by the house case key in FILE; then set "
        "PITLEDGER_CASE_KEY_FILE to it. It can be repeated after an interruption. check tells whether the house "
        "case key opens every case. Exit code 1: a key is not opened, or a database does not answer."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        subcommands = parser.add_subparsers(dest="subcommand", required=True)
        change = subcommands.add_parser("change", help="wrap the keys of all cases by another house case key")
        change.add_argument("file", type=Path, metavar="FILE", help="the file with the new house case key")
        subcommands.add_parser("check", help="tell whether the house case key opens every case")

    def handle(self, *args: Any, **options: Any) -> None:
        with exit_code(1, OSError):
            if options["subcommand"] == "change":
                self._change(options["file"])
            else:
                self._check()

    def _change(self, file: Path) -> None:
        key = file.read_text(encoding="utf-8").strip()
        if len(key) < KEY_MIN:
            raise CommandError(f"{file} holds fewer than {KEY_MIN} characters", returncode=1)
        count = vault().rewrap(key)
        self.stdout.write(f"Wrapped the keys of {count} cases. Now set PITLEDGER_CASE_KEY_FILE to {file}.")

    def _check(self) -> None:
        unreadable, cases = vault().unreadable(), vault().keys()
        self.stdout.write(f"{len(cases) - len(unreadable)} of {len(cases)} keys of cases are opened.")
        if unreadable:
            raise CommandError("The house case key is not the one of these cases.", returncode=1)
