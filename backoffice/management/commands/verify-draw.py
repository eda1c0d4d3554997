"""`./manage.py verify-draw FILE`: verify the proof of a draw, offline."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from backoffice.management.house_command import HouseCommand
from events.signing import house_signing_key
from tools import verify_draw


class Command(HouseCommand):
    """Reads the file only."""

    help = (
        "Verify the proof of a draw: the commitment, the head that decided, the secret and the drawn entries. Exit "
        "code 1: it is not proved. Exit code 2: the file cannot be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="the file that `inspection-draws export` wrote")
        parser.add_argument("--key", action="append", default=[], metavar="HEX", help="the house's public key")
        parser.add_argument("--witness", type=Path, metavar="FILE", help="the witness's file of heads, to compare")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        arguments = [
            str(options["file"]),
            *(f"--key={key}" for key in options["key"] or sorted(house_signing_key.trusted())),
        ]
        arguments += [f"--witness={options['witness']}"] * bool(options["witness"])
        arguments += ["--json"] * options["json"]
        if code := verify_draw.main(arguments):
            sys.exit(code)
