"""`./manage.py cash`: list the players whose cash on a gaming day reaches a threshold."""

from contextlib import closing
from typing import Any

from django.core.management.base import CommandParser

from backoffice.access.personal_data_access_log import PERSON, from_terminal
from backoffice.freshness.history_mismatch import warn
from backoffice.management.gaming_day_argument import gaming_day
from backoffice.management.house_command import HouseCommand, exit_code
from backoffice.wording.books_as_terminal_tables import grid, money
from events import catalogue
from events.accounting import player_cash_totals
from events.accounting.event_with_position import AccountingEvent
from events.accounting.player_cash_totals import CashLine
from events.house.current_settings import settings_of
from events.house.property_currency_lookup import elsewhere, is_below, left_out, of_property
from events.settings.settings_from_environment import settings
from events.store import EventStore, everything, open_store


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
            foreign = elsewhere(store, property_, currency)
            cash_lines, note = lines(store, property_, options["day"], foreign), left_out(store, property_)
        from_terminal(PERSON, f"cash {options['day']}", self.stderr.write)
        chosen = [line for line in cash_lines if line.level or options["all"]]
        if options["json"]:
            self.write_json(chosen)
        else:
            self.stdout.write("\n".join(_text(chosen, currency)) or "no players")
        if note:
            self.stderr.write(note)


def lines(store: EventStore, property_: str, day: str, foreign: frozenset[str]) -> list[CashLine]:
    """Return the cash of all players, by the settings in force now.

    `others` are places in another currency, which are left out.
    """
    types = tuple(sorted(shape.TYPE for shape in player_cash_totals.types()))
    read = ((stored, catalogue.decode(stored.type, stored.raw)) for stored in everything(store, types=types))
    facts = (
        AccountingEvent(stored.position, stored.stream, event.actor, event.data, event.id)
        for stored, event in read
        if stored.stream.startswith(f"{property_}/") and not is_below(stored.stream, foreign)
    )
    return player_cash_totals.listed(player_cash_totals.fold(facts, day), settings_of(store, property_))


def _text(chosen: list[CashLine], currency: str) -> list[str]:
    amounts = [(money(line.in_minor, currency), money(line.out_minor, currency)) for line in chosen]
    rows = [[line.player, *both, line.level or "-"] for line, both in zip(chosen, amounts, strict=True)]
    return [f"amounts in {currency}", *grid(["player", "cash in", "cash out", "is"], rows)] if rows else []
