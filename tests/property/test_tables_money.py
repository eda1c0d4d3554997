"""The read models of a table's day, for any actions and facts at a table of any game.

Both wins follow from the session's own tray, and every stake is settled or on the layout.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import msgspec
import pytest
from django.db import models
from hypothesis import given, settings

from events.envelope import EventData, Who
from events.tables.event_types.money import BuyinMade
from events.tables.event_types.rounds import (
    BetCorrected,
    BetPlaced,
    BetSettled,
    PaymentMade,
    RoundVoided,
    SettlementVoided,
)
from events.tables.event_types.session import IrregularityRecorded, SessionClosed
from events.tables.moved_amount_declarations import amount
from projections.accounts.projector import AccountsProjector
from projections.engine.bulk_writer import Changes, WriteTarget
from projections.engine.decoded_events import Event, decode
from projections.tables.models import TableDay, WagerDay
from projections.tables.projector import TablesProjector
from projections.tables.table_and_recorded_win_calculation import wins
from tests.property.test_tables import SEEDS, TABLES, act, onward, some_step
from tests.support.houses.sample_event_streams import History
from tests.support.pages.raised_alerts import raised
from tests.support.tables.in_memory_tables import INSPECTOR, WATCH, TableInMemory

BOSS = Who(person="paul", roles=frozenset({"pit boss"}), factor_s=0)  # nobody at the table
OF_BOTH = ("lost_minor", "due_minor", "commission_minor", "paid_minor", "kept_millionths", "bets")


class InMemory(WriteTarget, frozen=True, kw_only=True):
    """A target that keeps only the last written rows."""

    rows: dict[type[models.Model], dict[str, Any]]

    def load(self, model: type[models.Model], keys: Sequence[str]) -> list[Any]:
        return []

    def upsert(self, changes: Iterable[Changes]) -> None:
        for model, rows in changes:
            names = [field.attname for field in model._meta.concrete_fields]
            made = [model(**dict(zip(names, row, strict=True))) for row in rows]
            self.rows.setdefault(model, {}).update({row.pk: row for row in made})


def projected(table: TableInMemory) -> tuple[TableDay, list[WagerDay]]:
    """Return the rows that the projectors make of the table's events, each read from its bytes."""
    history = History()
    for event in table.events:
        history.append(table.state.stream.partition("/")[2], event)
    events = [event for event in decode(history.events) if isinstance(event, Event)]
    assert len(events) == len(table.events)
    target = InMemory(rows={})
    for projector in (AccountsProjector(target), TablesProjector(target)):
        projector.load(events)
        projector.fold(events)
        target.upsert(projector.changes())
    [day] = target.rows[TableDay].values()
    return day, list(target.rows.get(WagerDay, {}).values())


def events_of(table: TableInMemory, kind: type[EventData]) -> list[Any]:
    return [event for event in table.events if isinstance(event, kind)]


def settled(table: TableInMemory) -> list[Any]:
    """Every settlement that was not taken back: a void takes back the last ones of a bet."""
    stand: list[Any] = []
    for event in table.events:
        if isinstance(event, BetSettled):
            stand.append(event)
        elif isinstance(event, SettlementVoided):
            place = max(place for place, settled_ in enumerate(stand) if settled_.bet == event.bet)
            stand.pop(place)
    return stand


def holds(table: TableInMemory) -> None:
    """Assert the properties of the rows that hold at any time, within a round or at the end of the day."""
    day, wagers = projected(table)
    moved = day.opener_minor + day.fills_minor - day.credits_minor
    moved -= day.buyins_cash_minor + day.buyins_marker_minor + day.buyins_promotional_minor
    assert table.state.float_minor == moved + day.lost_minor - day.paid_minor + day.commission_minor
    assert day.stakes_minor - day.resolved_minor == sum(bet.stake for bet in table.state.bets.values())
    if not day.irregularities:
        assert day.due_minor - day.paid_minor == sum(due.amount for due in table.state.due.values())
    stand = settled(table)
    assert day.lost_minor - day.due_minor == -sum(settlement.profit_minor for settlement in stand)
    assert day.kept_millionths == sum(settlement.kept_millionths for settlement in stand)
    decided = [settlement for settlement in stand if settlement.outcome != "void"]
    assert sum(row.handle_minor for row in wagers) == sum(
        settlement.amount_minor - settlement.remaining_minor for settlement in decided
    )
    for name in OF_BOTH:
        assert sum(getattr(row, name) for row in wagers) == getattr(day, name), name
    assert day.corrections == len(events_of(table, BetCorrected)) + len(events_of(table, SettlementVoided))

    assert {row.wager: row.bets for row in wagers if row.bets} == laid(table)


def laid(table: TableInMemory) -> Counter[str]:
    """Return the number of placed bets of each kind, with later corrections."""
    kinds: dict[int, str] = {}
    latest: dict[str, int] = {}
    for place, event in enumerate(table.events):
        if isinstance(event, BetPlaced):
            latest[event.bet], kinds[place] = place, event.wager
        elif isinstance(event, BetCorrected):
            kinds[latest[event.bet]] = event.wager
    return Counter(kinds.values())


CHIPS = (2_500, 1)


def chips(amount: int) -> dict[str, int]:
    """An amount in chips of 25 and of 0.01."""
    large, small = divmod(amount, CHIPS[0])
    return {str(CHIPS[0]): large, str(CHIPS[1]): small}


def money_moves(random: Random, table: TableInMemory, slip: int) -> None:
    """Send a fill, a credit and a voucher, if the tray has enough chips."""
    table.lead("fill.receive", slip=slip, chips=chips(random.randrange(1, 500_000)))
    if table.state.float_minor > 100_000:
        table.lead("credit.send", slip=slip + 1, chips=chips(random.randrange(1, 50_000)))
        if table.state.phase in ("idle", "open"):
            table.ask("buyin.make", seat=1, player="Ann", amount_minor=5_000, tender="promotional")


def mispay(random: Random, table: TableInMemory) -> None:
    """Something that is due is paid, and not exactly."""
    if table.state.due:
        name, due = random.choice([*table.state.due.items()])
        amount = max(1, due.amount + random.choice((-50, 300)))
        table.act("payment.make", intent="fact", who=INSPECTOR, bet=name, amount_minor=amount)


def play_out(random: Random, table: TableInMemory) -> None:
    """Place no new bets. Withdraw bets where possible, and play the others until they are settled.

    A round that cannot end, such as blackjack without a bet, is voided.
    """
    for turn in range(1, 600):
        if table.state.phase == "idle" and not table.state.bets:
            return
        for bet in [*table.state.bets]:
            act(random, table, ("bet.withdraw", {"bet": bet}))
        act(random, table, onward(random, table))
        if turn % 50 == 0 and table.state.phase != "idle":
            table.approved("round.void", round=table.state.round, reason="nobody bets", who=BOSS, by=WATCH)
    raise AssertionError(f"the layout is never empty: {table.state.bets}")


def in_vouchers(table: TableInMemory) -> int:
    return sum(buyin.amount_minor for buyin in events_of(table, BuyinMade) if buyin.tender == "promotional")


def close(random: Random, table: TableInMemory) -> tuple[int, int]:
    """Close and count, with a float and a box that are out by these two amounts."""
    if table.state.float_minor < 100_000:
        table.lead("fill.receive", slip=9_000, chips=chips(200_000 - table.state.float_minor))
    closer, box = random.choice((0, 0, -2_500, 700)), random.choice((0, 0, -1_000, 300))
    bought, vouchers = sum(buyin.amount_minor for buyin in events_of(table, BuyinMade)), in_vouchers(table)
    held = max(vouchers, bought + box)
    count = Who(person="cora", roles=frozenset({"count"}), factor_s=0)
    expected = table.state.float_minor
    table.lead("session.close", closer=chips(expected + closer))
    assert table.last(SessionClosed).expected_minor == expected
    table.lead("drop.remove", drop_box="b-1")
    table.ask("drop.count", who=count, drop_box="b-1", amount_minor=held, promotional_minor=vouchers)
    return closer, held - bought


@pytest.mark.parametrize("name", TABLES)
@settings(max_examples=25, deadline=None)
@given(random=SEEDS)
def test_both_wins_agree_but_for_what_explains_their_difference(name: str, random: Random) -> None:
    new, choose = TABLES[name]
    table = new()
    for number in range(80):
        act(random, table, some_step(random, table, choose, number))
        if random.random() < 0.05:
            mispay(random, table)
        if number % 20 == 19:
            money_moves(random, table, slip=number)
            holds(table)
    play_out(random, table)
    closer, box = close(random, table)
    holds_at_the_end(table, closer, box)


def holds_at_the_end(table: TableInMemory, closer: int, box: int) -> None:
    day, _ = projected(table)
    assert day.stakes_minor == day.resolved_minor
    both_wins = wins(day)
    assert (both_wins.basis, day.status) == ("counted", "counted")
    assert both_wins.explained is not None
    why = both_wins.explained
    mispaid = sum(paid.amount_minor - paid.due_minor for paid in events_of(table, PaymentMade))
    irregular = {event.kind for event in events_of(table, IrregularityRecorded)}
    if not irregular & {"unpaid", "paid before the void"}:
        assert why.mispay_minor == -mispaid
    vouchers = in_vouchers(table)
    assert (why.closer_minor, why.drop_minor, why.promotional_minor) == (closer, box, -vouchers)
    assert (why.uncounted_minor, why.rest_minor) == (0, 0)
    assert both_wins.difference_minor == why.mispay_minor + closer + box - vouchers
    alerts_agree_with_the_sums(table)


def alerts_agree_with_the_sums(table: TableInMemory) -> None:
    """Assert that each alert has the due and paid amounts of its bet. A void round owes nothing."""
    history, due, paid = History(), Counter[tuple[int, str]](), Counter[tuple[int, str]]()
    at: dict[int, tuple[EventData, dict[tuple[int, str], int], dict[tuple[int, str], int]]] = {}
    for event in table.events:
        position = history.append(table.state.stream.partition("/")[2], event)
        if isinstance(event, BetSettled | SettlementVoided):
            due[event.round or 0, event.bet] += amount(event, "due")
        if isinstance(event, PaymentMade):
            paid[event.won_in or event.round or 0, event.bet] += event.amount_minor
        at[position] = event, dict(due), dict(paid)
    for alert in raised(history, "mispay"):
        raising, due_then, paid_then = at[alert.raised_at_position]
        seen = msgspec.json.decode(alert.data)
        if "due" in seen:
            bet = (alert.round or 0, seen["bet"])
            assert (seen["due"], seen["paid"]) == (due_then.get(bet, 0), paid_then.get(bet, 0))
            assert not isinstance(raising, RoundVoided) or alert.round != raising.round or seen["due"] == 0
