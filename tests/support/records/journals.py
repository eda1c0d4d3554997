"""The journal compared with the accounts, at any position of a test."""

from collections.abc import Iterable, Iterator

from events.accounting.event_with_position import AccountingEvent
from events.accounting.journal import balances
from events.accounting.journal.journal_against_other_accounts_checks import broken
from events.accounting.journal.ledger_entry import MICRO
from events.accounting.report import chip_value_by_place
from events.accounting.report.property_ledger_fold import Ledger, accounting_event
from events.envelope import EventData
from events.money.posting_rules import AMOUNTS
from events.store import EventStore, everything
from tests.support.houses.small_house import PROPERTY


def holds(ledger: Ledger, where: object = "") -> None:
    """Every identity."""
    days = {day.gaming_day for day in ledger.tables.values()}
    assert broken(ledger, days) == [], where
    of_chips(ledger, where)


def of_chips(ledger: Ledger, where: object = "") -> None:
    """Check the chips in transit, and the chips of players: the issued chips that are not in a place of the house."""
    chips = chip_value_by_place.places(ledger)
    assert _balance(ledger, "Assets:Chips:Transit") == (chips["transit_minor"] or 0) * MICRO, where
    if chips["players_minor"] is not None:
        left = -_balance(ledger, "Liabilities:Chips:Issued") - _balance(ledger, "Assets:Chips:")
        assert left == chips["players_minor"] * MICRO, where


def _balance(ledger: Ledger, name: str) -> int:
    """The balance of accounts that begin so, as the default rules would have it."""
    held = [(AMOUNTS[rule], micro) for (rule, _, _), micro in ledger.journal.held.items()]
    return sum(micro * (posting.debit.startswith(name) - posting.credit.startswith(name)) for posting, micro in held)


def positions(store: EventStore, property_: str = PROPERTY) -> Iterator[tuple[str, Ledger]]:
    """The accounts after every event of a store that they take; the same ones, going on."""
    going = Ledger()
    for stored_event in everything(store):
        if (fact := accounting_event(stored_event, property_)) is not None:
            going.take(fact)
            yield stored_event.type, going


def take(ledger: Ledger, stream: str, events: Iterable[EventData], first: int) -> int:
    """Events of one stream without a store, every identity held after each; the position after them."""
    for position, data in enumerate(events, first):
        ledger.take(AccountingEvent(position, stream, "dora", data, f"{stream}@{position}"))
        holds(ledger, data)
        first = position + 1
    return first


def account(ledger: Ledger, name: str) -> int:
    """A balance over all days, in minor units, of those whose name begins so."""
    amounts = balances.balances(balances.all_lines(ledger.journal.sums))
    return sum(micro for account_name, micro in amounts.items() if account_name.startswith(name)) // MICRO
