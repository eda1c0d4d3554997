"""Every sum of money reads the table of amounts: it follows the table where an amount or a type of event is declared.

A reader that takes an amount from the event itself, or only from types that it names, fails here.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, get_args

import msgspec
import pytest
from django.db import models

from events.accounting import player_cash_totals, table_shifts_fold
from events.accounting.event_with_position import AccountingEvent
from events.accounting.report.property_ledger_fold import Ledger
from events.envelope import EventData, Who
from events.hold.handle_by_dealer_bet_player import HandleBooks
from events.runtime import declaration_cache
from events.tables import moved_amount_declarations as declarations
from events.tables.event_types import money as event_types
from events.tables.event_types.session import Seated
from events.tables.moved_amount_declarations import MovedAmount, Name, Term
from projections.accounts.projector import Accounts
from projections.engine.decoded_events import Event, decode
from projections.floor.projector import Floor
from projections.people.round_results_and_hourly_sums import TableResults
from projections.tables.projector import Tables
from tests.integration.pages.test_sums_of_tables import closed, put_right
from tests.property.test_tables_money import InMemory
from tests.support.in_memory_tables import Given
from tests.support.sample_event_streams import History

COUNT = Who(person="cora", roles=frozenset({"count"}), factor_s=0)
MOVED = 700
NO_MONEY = ("id", "position", "progressive_stakes_minor")
SUMMED = ("staked_minor", "handle_minor", "win_minor", "mispay_minor")


class AmountMoved(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """An event that no module names."""

    TYPE: ClassVar[str] = "amount.moved.v1"
    bet: str = "line"
    wager: str = "pass"
    drop_box: str = "one"


@pytest.fixture
def patch() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as context:
        yield context
    declaration_cache.forget()


def evening() -> Given:
    """Play corrected, void and pressed bets, all tenders, a fill, a credit, counts of every kind, and a counted box."""
    table = put_right().lead("drop.put", drop_box="one")
    for tender, amount in (("cash", 30_000), ("marker", 20_000), ("promotional", 10_000)):
        table.ask("buyin.make", seat=1, player="Ann", amount_minor=amount, tender=tender)
    table.lead("fill.receive", slip=1, chips={"2500": 40}).lead("credit.send", slip=2, chips={"2500": 10})
    closed(table).lead("drop.remove", drop_box="one", witness="sam")
    return table.ask("drop.count", who=COUNT, drop_box="one", amount_minor=64_000, promotional_minor=10_000)


def figures(table: Given, *further: EventData) -> dict[str, int]:
    """Return every amount that the folds and read models have of the table's events and further ones."""
    stream, history, amounts = table.state.stream, History(), dict[str, int]()
    day, ledger, handle, results = None, Ledger(), HandleBooks(), TableResults(stream, "Europe/Athens")
    for position, data in enumerate((*table.events, *further), 1):
        day = table_shifts_fold.evolve(day, data)
        ledger.take(AccountingEvent(position, stream, "dora", data, f"{stream}@{position}"))
        handle.take(data)
        if type(data) in player_cash_totals.types():
            _add(amounts, "cash", player_cash_totals.moved(data)[1])
        history.append(stream.partition("/")[2], data)
    for sums in ledger.journal.sums.values():
        for line, micro in sums.items():
            _add(amounts, f"journal {line.rule}", micro)
    for entry in handle.entries():
        for name, amount in msgspec.to_builtins(entry.amounts).items():
            _add(amounts, f"hold {sorted(entry.of)} {name}", amount or 0)
    events = [event for event in decode(history.events) if isinstance(event, Event)]
    for event in events:
        results.take(event.position, event.envelope)
    for share in results.rounds():
        for name in SUMMED:
            _add(amounts, f"person {name}", getattr(share, name))
    for row in _rows(events):
        for field in row._meta.concrete_fields:
            if field.attname.endswith(("_minor", "_millionths")) and field.attname not in NO_MONEY:
                _add(amounts, f"{type(row).__name__} {field.attname}", getattr(row, field.attname) or 0)
    for path, amount in _paths(msgspec.to_builtins(day), "shifts"):
        _add(amounts, path, amount)
    return {name: amount for name, amount in amounts.items() if amount}


def _add(amounts: dict[str, int], name: str, amount: int) -> None:
    amounts[name] = amounts.get(name, 0) + amount


def _rows(events: list[Event]) -> Iterator[models.Model]:
    target = InMemory(rows={})
    for projector in (Accounts(target), Tables(target), Floor(target)):
        projector.load(events)
        projector.fold(events)
        target.upsert(projector.changes())
    for name in ("TableDay", "WagerDay", "PlayedRound"):
        yield from next(rows for model, rows in target.rows.items() if model.__name__ == name).values()


def _paths(value: Any, path: str) -> Iterator[tuple[str, int]]:
    """Yield each number in nested values, by the names on the way to it."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _paths(each, f"{path}.{name}")
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _paths(each, path)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield path, value


def test_every_figure_doubles_with_its_declared_amounts(patch: pytest.MonkeyPatch) -> None:
    table = evening()
    before = figures(table)
    read: Callable[[MovedAmount], Callable[[Any], int]] = declarations._reader

    def doubled(moved: MovedAmount) -> Callable[[Any], int]:
        once = read(moved)
        return lambda data: 2 * once(data)

    patch.setattr(declarations, "_reader", doubled)
    declaration_cache.forget()
    assert figures(table) == {name: 2 * amount for name, amount in before.items()}
    assert len(before) > 60


def moved_by(table: Given, name: Name, patch: pytest.MonkeyPatch) -> dict[str, int]:
    """Return the changes by an event that has this amount."""
    before = figures(table)
    declared: Any = declarations._MOVES
    patch.setattr(event_types, "AmountMoved", AmountMoved, raising=False)
    patch.setitem(declared, AmountMoved, (MovedAmount(name, (Term("amount_minor"),)),))
    declaration_cache.forget()
    where = {**table.state.where(), "round": 1}
    after = figures(table, AmountMoved(**where, player="Ann", seat=1, amount_minor=MOVED))
    return {key: by for key in {*before, *after} if (by := after.get(key, 0) - before.get(key, 0))}


if __name__ == "__main__":
    for name in get_args(Name):
        with pytest.MonkeyPatch.context() as context:
            table = put_right().lead("drop.put", drop_box="one")
            print(name, moved_by(table, name, context))
        declaration_cache.forget()
