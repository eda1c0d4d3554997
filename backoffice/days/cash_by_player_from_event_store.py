"""Cash by player of a gaming day from the event store, for a terminal: without read models."""

from backoffice.wording.terminal_tables import grid, money
from events import catalogue
from events.accounting import player_cash_totals
from events.accounting.event_with_position import AccountingEvent
from events.accounting.player_cash_totals import CashLine
from events.house.current_settings import settings_of
from events.house.property_currency_lookup import is_below
from events.store import EventStore, everything


def cash_lines(store: EventStore, property_: str, day: str, foreign: frozenset[str]) -> list[CashLine]:
    """Return the cash of all players, by the settings in force now.

    `foreign` are places in another currency, which are left out.
    """
    types = tuple(sorted(shape.TYPE for shape in player_cash_totals.types()))
    read = ((stored, catalogue.decode(stored.type, stored.raw)) for stored in everything(store, types=types))
    facts = (
        AccountingEvent(stored.position, stored.stream, event.actor, event.data, event.id)
        for stored, event in read
        if stored.stream.startswith(f"{property_}/") and not is_below(stored.stream, foreign)
    )
    return player_cash_totals.cash_lines(player_cash_totals.fold(facts, day), settings_of(store, property_))


def cash_text(lines: list[CashLine], currency: str) -> list[str]:
    """Return the lines as a table for a terminal; nothing for no players."""
    amounts = [(money(line.in_minor, currency), money(line.out_minor, currency)) for line in lines]
    rows = [[line.player, *both, line.level or "-"] for line, both in zip(lines, amounts, strict=True)]
    return [f"amounts in {currency}", *grid(["player", "cash in", "cash out", "is"], rows)] if rows else []
