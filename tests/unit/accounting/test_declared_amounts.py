"""Every sum of money reads the table of amounts: it follows the table where an amount or a type of event is declared.

A reader that takes an amount from the event itself, or only from types that it names, fails here.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, get_args

import msgspec
import pytest

from events.accounting import player_cash_totals, table_shifts_fold
from events.accounting.event_with_position import AccountingEvent
from events.accounting.report.ledger_fold_for_journal_only import journal_events
from events.accounting.report.property_ledger_fold import Ledger
from events.envelope import EventData, Who
from events.hold.hold_entries_fold import HandleBooks
from events.luck.played_decisions_with_bet_results import corrected, played_decisions
from events.runtime import cache_until_declarations_change
from events.tables import moved_amount_declarations as declarations
from events.tables.event_types import money as event_types
from events.tables.event_types.rounds import BetPlaced
from events.tables.event_types.session import Seated
from events.tables.moved_amount_declarations import MovedAmount, Name, Term
from projections.accounts.projector import AccountsProjector
from projections.engine.decoded_events import Event, decode
from projections.floor.models import PlayedRound
from projections.floor.projector import FloorProjector
from projections.people.round_results_and_hourly_sums import TableResults
from projections.tables.models import TableDay, WagerDay
from projections.tables.projector import TablesProjector
from tests.integration.pages.test_sums_of_tables import closed, put_right
from tests.property.test_tables_money import InMemory
from tests.support.houses.sample_event_streams import History
from tests.support.tables.in_memory_tables import PROPERTY, TableInMemory

COUNT = Who(person="cora", roles=frozenset({"count"}), factor_s=0)
MOVED = 700
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
    cache_until_declarations_change.forget()


def evening() -> TableInMemory:
    """Play corrected, void and pressed bets, all tenders, a fill, a credit, counts of every kind, and a counted box."""
    table = put_right()
    for tender, amount in (("cash", 30_000), ("marker", 20_000), ("promotional", 10_000)):
        table.ask("buyin.make", seat=1, player="Ann", amount_minor=amount, tender=tender)
    table.lead("fill.receive", slip=1, chips={"2500": 40}).lead("credit.send", slip=2, chips={"2500": 10})
    closed(table).lead("drop.remove", drop_box="one", witness="sam")
    return table.ask("drop.count", who=COUNT, drop_box="one", amount_minor=64_000, promotional_minor=10_000)


def figures(table: TableInMemory, *further: EventData) -> dict[str, int]:
    """Return every amount that the folds and read models have of the table's events and further ones."""
    amounts = Counter[str]()
    for group in (_folded, _projected):
        for name, amount in group(table.state.stream, [*table.events, *further]):
            amounts[name] += amount
    return {name: amount for name, amount in amounts.items() if amount}


def _folded(stream: str, events: list[EventData]) -> Iterator[tuple[str, int]]:
    """Yield the amounts of shifts, journal, hold, players' cash and the results of decisions."""
    for decision in played_decisions(
        PROPERTY, ((stream, data) for data in events), corrected((stream, data) for data in events)
    ):
        yield from ((f"luck of {wager}", won) for wager, won in decision.won.items())
    day, ledger, handle = None, Ledger(), HandleBooks()
    for position, data in enumerate(events, 1):
        day = table_shifts_fold.evolve(day, data)
        ledger.take(AccountingEvent(position, stream, "dora", data, f"{stream}@{position}"))
        handle.take(data)
        if type(data) in player_cash_totals.types():
            yield "cash", player_cash_totals.player_and_cash(data)[1]
    yield from _paths(msgspec.to_builtins(day), "shifts")
    for sums in ledger.journal.sums.values():
        yield from ((f"journal {line.rule}", micro) for line, micro in sums.items())
    for entry in handle.entries():
        for name, amount in msgspec.to_builtins(entry.amounts).items():
            yield f"hold {sorted(entry.of)} {name}", amount or 0


def _projected(stream: str, happened: list[EventData]) -> Iterator[tuple[str, int]]:
    """Yield the amounts of people's results, and of the rows of the table's day, its kinds of bets and rounds."""
    history, results, target = History(), TableResults(stream, "Europe/Athens"), InMemory(rows={})
    for data in happened:
        history.append(stream.partition("/")[2], data)
    events = [event for event in decode(history.events) if isinstance(event, Event)]
    for event in events:
        results.take(event.position, event.envelope)
    for share in results.rounds():
        yield from ((f"person {name}", getattr(share, name)) for name in SUMMED)
    for projector in (AccountsProjector(target), TablesProjector(target), FloorProjector(target)):
        projector.load(events)
        projector.fold(events)
        target.upsert(projector.changes())
    for model in (TableDay, WagerDay, PlayedRound):
        names = [field.attname for field in model._meta.concrete_fields]
        for name in (name for name in names if name.endswith(("_minor", "_millionths"))):
            yield f"{model.__name__} {name}", sum(getattr(row, name) or 0 for row in target.rows[model].values())


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
    cache_until_declarations_change.forget()
    assert figures(table) == {name: 2 * amount for name, amount in before.items()}
    assert len(before) > 60


def test_the_reduced_ledger_reads_each_stake_with_a_declared_commission(patch: pytest.MonkeyPatch) -> None:
    history = History()
    placed = next(event for event in put_right().events if isinstance(event, BetPlaced))
    history.append("tables/T1/2026-11-20", placed)
    assert not placed.commission_minor
    assert list(journal_events(history.events)) == []
    declared: Any = declarations.MOVES
    patch.setitem(declared, BetPlaced, (MovedAmount("commission", (Term("amount_minor"),)),))
    cache_until_declarations_change.forget()
    assert list(journal_events(history.events)) == history.events


def moved_by(table: TableInMemory, name: Name, patch: pytest.MonkeyPatch) -> dict[str, int]:
    """Return the changes by an event that has this amount."""
    before = figures(table)
    declared: Any = declarations.MOVES
    patch.setattr(event_types, "AmountMoved", AmountMoved, raising=False)
    patch.setitem(declared, AmountMoved, (MovedAmount(name, (Term("amount_minor"),)),))
    cache_until_declarations_change.forget()
    where = {**table.state.where(), "round": 1}
    after = figures(table, AmountMoved(**where, player="Ann", seat=1, amount_minor=MOVED))
    return {key: by for key in {*before, *after} if (by := after.get(key, 0) - before.get(key, 0))}


# Each name of an amount, and where an event that no module names moves it. Rows of rounds and people hold the round,
# those of a kind of bet the kind. Openers and counts end or begin something: events of other types do not.
WON = {
    "PlayedRound win_minor",
    "person win_minor",
    *(f"hold ['{of}'] event_win_minor" for of in ("bet", "dealer", "player")),
}
WHERE: Mapping[Name, set[str]] = {
    "opener": {"TableDay opener_minor"},
    "closer": set(),
    "counted": {"journal count.short"},
    "found": {"TableDay found_minor"},
    "found_at_close": set(),
    "fills": {"shifts.last.fills", "TableDay fills_minor", "journal fill.issued", "journal fill.received"},
    "credits": {"shifts.last.credits", "TableDay credits_minor", "journal credit.sent", "journal credit.received"},
    "buyins_cash": {
        *("shifts.last.buyins.cash", "shifts.last.boxes.recorded.cash"),
        *("TableDay buyins_cash_minor", "journal buyin.cash", "cash"),
    },
    "buyins_marker": {
        *("shifts.last.buyins.marker", "shifts.last.boxes.recorded.marker"),
        *("TableDay buyins_marker_minor", "journal buyin.marker"),
    },
    "buyins_promotional": {
        *("shifts.last.buyins.promotional", "shifts.last.boxes.recorded.promotional"),
        *("TableDay buyins_promotional_minor", "journal buyin.promotional"),
    },
    "drop": {
        *("shifts.last.boxes.found.cash", "TableDay beyond_record_minor"),
        *("journal box.cash", "journal box.short"),
    },
    "drop_promotional": {"shifts.last.boxes.found.promotional"},
    "staked": {"shifts.lying", "TableDay stakes_minor", "PlayedRound stakes_minor", "person staked_minor"},
    "decided": {"shifts.lying", "TableDay resolved_minor"},
    "handle": {
        *("WagerDay handle_minor", "person handle_minor"),
        *(f"hold {of} handle_minor" for of in (["bet"], ["dealer"], ["player"], ["game", "pit", "table"])),
    },
    "lost": {"shifts.last.lost", "TableDay lost_minor", "WagerDay lost_minor", "journal stake.lost", *WON},
    "promotional_stakes": {"shifts.last.promotional_stakes"},
    "due": {
        *("shifts.last.due", "TableDay due_minor", "WagerDay due_minor", "PlayedRound due_minor"),
        *("person mispay_minor", "journal winnings.due", "journal winnings.mispaid", *WON),
    },
    "paid": {
        *("shifts.last.paid", "TableDay paid_minor", "WagerDay paid_minor", "PlayedRound paid_minor"),
        *("person mispay_minor", "journal winnings.paid", "journal winnings.mispaid"),
    },
    "returned": {"PlayedRound returned_minor"},
    "commission": {
        *("shifts.last.commission", "TableDay commission_minor", "WagerDay commission_minor"),
        *("journal commission", *WON),
    },
    "corrected": {"TableDay corrected_minor"},
    "carried_in": {"TableDay carried_in_minor"},
    "carried_out": {"TableDay carried_out_minor"},
    "rounded": {"TableDay rounded_millionths"},
    "kept": {"TableDay kept_millionths", "WagerDay kept_millionths"},
}


@pytest.mark.parametrize("name", get_args(Name))
def test_an_event_that_no_module_names_moves_the_figures_of_its_amounts(name: Name, patch: pytest.MonkeyPatch) -> None:
    changes = moved_by(put_right().lead("drop.put", drop_box="one"), name, patch)
    assert set(changes) == WHERE[name]
