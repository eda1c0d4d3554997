"""`./manage.py alerts`: list alerts for surveillance, each with its evidence."""

from typing import Any

import msgspec
from django.core.management.base import CommandParser

from backoffice.access.personal_data_access_log import ALERT, from_terminal
from backoffice.freshness.history_mismatch import warn
from backoffice.management.gaming_day_argument import gaming_day
from backoffice.management.house_command import HouseCommand, closable_output
from backoffice.surveillance.raised_alert_queries import STATUSES, Alert, every_alert
from events.house.alert_rules import RULES


class Command(HouseCommand):
    """Reads only."""

    help = (
        "List alerts with their evidence, oldest first. docs/reference/alerts.md explains the rules. Exit code 2: "
        "a name is unknown."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--day", type=gaming_day, metavar="DAY", help="only of this gaming day")
        parser.add_argument("--name", default="", choices=("", *RULES), metavar="NAME", help="only of this rule")
        parser.add_argument("--status", choices=STATUSES, help="only open, assigned or cleared alerts")
        parser.add_argument(
            "--json", action="store_true", help="print one JSON object per line, amounts in minor units"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        warn(self.stderr.write)
        chosen = {name: options[name] or "" for name in ("day", "name", "status")}
        alerts = [*every_alert(*chosen.values())]
        what = "".join(f" --{name} {value}" for name, value in chosen.items() if value)
        from_terminal(ALERT, f"alerts{what}", self.stderr.write, count=len(alerts))
        with closable_output():
            for row in alerts:
                self.stdout.write(msgspec.json.encode(row).decode() if options["json"] else _alert_line(row))


def _alert_line(alert: Alert) -> str:
    """Return an alert as a line: position, time, name, place, person, state, raising event."""
    where = "/".join(str(part) for part in (alert.table, alert.gaming_day, alert.round) if part)
    parts = [str(alert.raised_at_position), alert.raised, alert.severity, alert.name, where, alert.person, alert.status]
    return "\t".join([*parts, alert.events[-1]])
