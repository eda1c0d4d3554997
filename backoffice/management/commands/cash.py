"""`./manage.py cash`: list the players whose cash on a gaming day reaches a threshold."""

from contextlib import closing
from typing import Any

from django.core.management.base import CommandParser

from backoffice.access.personal_data_access_log import PERSON, from_terminal
from backoffice.days.cash_by_player_from_event_store import cash_lines, cash_text
from backoffice.freshness.history_mismatch import warn
from backoffice.management.gaming_day_argument import gaming_day
from backoffice.management.house_command import HouseCommand, exit_code
from events.house.property_currency_lookup import left_out, of_property, streams_in_other_currency
from events.settings.settings_from_environment import settings
from events.store import open_store


class Command(HouseCommand):
    """Reads only."""

    help = (
        "List the players whose cash in or cash out of a gaming day reaches a threshold of the house "
        "(cash_warning_minor, cash_report_minor). Pit and cage count together. Players appear by opaque id. Exit "
        "code 2: the day cannot be read."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("day", type=gaming_day, metavar="DAY", help="the gaming day, as 2026-11-20")
        parser.add_argument("--all", action="store_true", help="every player with cash, also below the thresholds")
        parser.add_argument("--json", action="store_true", help="print JSON, amounts in minor units")

    def handle(self, *args: Any, **options: Any) -> None:
        warn(self.stderr.write)
        with closing(open_store(settings().store)) as store, exit_code(2):
            property_ = settings().property_
            currency = of_property(store, property_)
            foreign = streams_in_other_currency(store, property_, currency)
            players, note = cash_lines(store, property_, options["day"], foreign), left_out(store, property_)
        from_terminal(PERSON, f"cash {options['day']}", self.stderr.write)
        chosen = [line for line in players if line.level or options["all"]]
        if options["json"]:
            self.write_json(chosen)
        else:
            self.stdout.write("\n".join(cash_text(chosen, currency)) or "no players")
        if note:
            self.stderr.write(note)
