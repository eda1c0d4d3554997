"""`./manage.py verify-case FILE`: verify the export of a case, offline."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from backoffice.management.house_command import HouseCommand
from events.signing import house_signing_key
from tools import verify_case


class Command(HouseCommand):
    """Reads the file only: no store and no database."""

    help = (
        "Verify the export of a case, offline, as tools/verify_case.py does without Pitledger. Nothing is unpacked. "
        "Exit code 1: the export is not valid, and the first change is named. Exit code 2: the file cannot be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the archive that `case export` wrote")
        parser.add_argument(
            "--key", action="append", default=[], metavar="HEX", help="the house's public key (default: the keys here)"
        )
        parser.add_argument("--head", type=Path, metavar="FILE", help="heads from elsewhere, one a line, to compare")
        parser.add_argument("--json", action="store_true", help="print everything as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        arguments = [
            str(options["file"]),
            *(f"--key={key}" for key in options["key"] or sorted(house_signing_key.trusted())),
        ]
        arguments += [f"--head={options['head']}"] if options["head"] else []
        arguments += ["--json"] * options["json"]
        if code := verify_case.main(arguments):
            sys.exit(code)
