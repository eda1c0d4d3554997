"""`./manage.py refusal-log`: show the size of the log of refusals, or print all of it as lines of JSON."""

from typing import Any

import msgspec
from django.core.management.base import CommandParser
from django.db.models import Count, Max, Min, Q, Sum

from backoffice.access.models import Access
from backoffice.access.personal_data_access_log import PERSON, from_terminal
from backoffice.access.refusal_log_writer import DROPPED
from backoffice.management.house_command import HouseCommand
from events.settings.settings_from_environment import settings

_FIELDS = ("id", "at", "person", "device", "what", "outcome", "count")


class Command(HouseCommand):
    """Reads only."""

    help = (
        "Show the size of the log of refusals: lines, first and last time, and lines dropped under load. With --json "
        "print every line, oldest first, for an archive beyond PITLEDGER_ACCESS_DAYS."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print every line as JSON")
        parser.add_argument("--after", type=int, default=0, metavar="ID", help="only lines after this id")

    def handle(self, *args: Any, **options: Any) -> None:
        lines = Access.objects.filter(id__gt=options["after"])
        if options["json"]:
            after = f" --after {options['after']}" if options["after"] else ""
            from_terminal(PERSON, f"refusal-log{after} --json", self.stderr.write, count=lines.count())
            for row in lines.order_by("id").values(*_FIELDS).iterator():
                self.stdout.write(msgspec.json.encode(row).decode())
            return
        dropped = Sum("count", filter=Q(what=DROPPED), default=0)
        totals = lines.aggregate(lines=Count("id"), first=Min("at"), last=Max("at"), dropped=dropped)
        when = f", {totals['first']:%Y-%m-%d %H:%M} to {totals['last']:%Y-%m-%d %H:%M} UTC" if totals["lines"] else ""
        self.stdout.write(f"{totals['lines']:,} lines{when}; {totals['dropped']:,} were dropped")
        self.stdout.write(f"Lines are kept for {settings().access_days} days.")
