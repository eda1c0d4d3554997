"""`./manage.py import`: what a house brings along from before there were events."""

import hashlib
import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from events import months
from events.errors import PitledgerError
from events.fields import LONG_MAX


class Command(BaseCommand):
    """Reads a file, and writes nothing: two people set what it says."""

    help = (
        "Check the drop and win by month of before (a CSV file: table or game, month, drop, win) and print the action "
        "that sets them, setting.change of hold_history: it is posted to the house by one person and agreed to by a "
        "second, as every figure that others depend on. Exit code: 0; 2 for a file that cannot be read, with its line."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=("history",), help="history: drop and win by month")
        parser.add_argument("file", type=Path, metavar="FILE", help="the CSV file")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            text = months.said(months.read(options["file"].read_text(encoding="utf-8")))
        except (PitledgerError, OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{options['file']}: {error}", returncode=2) from error
        if len(text) > LONG_MAX:
            message = f"{len(text)} characters of months, and {LONG_MAX} can be set: leave out the oldest"
            raise CommandError(message, returncode=2)
        key = f"hold_history:{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        action = {"type": "setting.change", "key": key, "data": {"setting": "hold_history", "value": text}}
        self.stdout.write(json.dumps(action))
