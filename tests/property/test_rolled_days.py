"""A rolled gaming day: the table plays on without a change, and both days' books are right."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from events.envelope import Who
from events.tables.event_types.session import LayoutCarried, SessionOpened, SessionRolled
from events.tables.table_session_state_structs import Session
from projections.tables.table_and_recorded_win_calculation import wins
from tests.property.test_tables import SEEDS, TABLES, Chooser, act, onward, some_step
from tests.property.test_tables_money import chips, holds, play_out, projected
from tests.support.tables.in_memory_tables import TableInMemory

NEXT = "2026-11-21"
BOSS = Who(person="paul", roles=frozenset({"pit boss"}), factor_s=0)
COUNT = Who(person="cora", roles=frozenset({"count"}), factor_s=0)


def until_it_can_roll(random: Random, table: TableInMemory) -> None:
    """Play to the end of the round, and pay all winnings due, also those of earlier rounds."""
    for turn in range(1, 400):
        for late in table.state.unpaid:
            table.lead("payment.make", bet=late.bet.id, amount_minor=late.amount)
        if table.state.phase == "idle" and not table.state.due and not table.state.unpaid:
            return
        act(random, table, onward(random, table))
        if turn % 50 == 0 and table.state.phase != "idle":
            table.approved("round.void", round=table.state.round, reason="nobody bets", who=BOSS)
    raise AssertionError(f"the round has no end: {table.state.phase}")


def of_the_day(state: Session) -> Session:
    """Return the state without the fields of one day."""
    day: dict[str, Any] = {
        "stream": "", "gaming_day": "", "shift": "", "status": "open", "round": 0, "opener_minor": 0, "is_moved": True,
        "slips": frozenset(), "settled": (), "paid": {}, "returned": {}, "acted": (), "used": frozenset(),
        "requests": {}, "ahead": {},
    }  # fmt: skip
    bets = {name: replace(bet, placed_in=0) for name, bet in state.bets.items()}
    return replace(state, **day, bets=bets, play=state.play.carried())


def roll(table: TableInMemory, out: int) -> TableInMemory:
    """Roll the day with a count that differs by this amount."""
    if table.state.float_minor < 100_000:
        table.lead("fill.receive", slip=9_000, chips=chips(200_000 - table.state.float_minor))
    before = table.state
    after = table.roll(NEXT, **chips(before.float_minor + out))
    assert of_the_day(replace(after.state, float_minor=before.float_minor)) == of_the_day(before)
    assert after.state.float_minor == before.float_minor + out
    assert (table.state.status, table.state.bets) == ("closed", {})
    return after


def play(random: Random, table: TableInMemory, choose: Chooser, steps: int) -> None:
    for number in range(steps):
        act(random, table, some_step(random, table, choose, number))


@pytest.mark.parametrize("name", TABLES)
@settings(max_examples=25, deadline=None)
@given(random=SEEDS)
def test_what_lies_is_played_on_and_both_days_add_up(name: str, random: Random) -> None:
    new, choose = TABLES[name]
    table = new()
    play(random, table, choose, 60)
    until_it_can_roll(random, table)
    out = random.choice((0, 0, -2_500, 700))
    after = roll(table, out)
    if not out:
        after.chips_are_conserved()
    table.replays()
    after.replays()
    play(random, after, choose, 40)
    holds(after)
    play_out(random, after)
    if after.state.float_minor < 100_000:
        after.lead("fill.receive", slip=9_001, chips=chips(200_000 - after.state.float_minor))
    after.lead("session.close", closer=chips(after.state.float_minor))
    add_up(table, after, out)


def add_up(table: TableInMemory, after: TableInMemory, out: int) -> None:
    """Assert that both days settle every stake, that opener and closer agree, and that no part is unexplained."""
    (before, _), (day, _) = projected(table), projected(after)
    rolled, opened, carried = table.last(SessionRolled), after.last(SessionOpened), after.last(LayoutCarried)
    assert (rolled.into, opened.follows, opened.opener) == (NEXT, table.state.stream, rolled.closer)
    assert rolled.carried_minor == carried.amount_minor == sum(bet.stake_minor for bet in carried.bets)
    assert (before.rolled_into, before.carried_out_minor) == (NEXT, rolled.carried_minor)
    assert (day.rolled_from, day.carried_in_minor) == ("2026-11-20", rolled.carried_minor)
    assert before.closer_chips == day.opener_chips
    for session, closer in ((before, out), (day, 0)):
        assert session.stakes_minor == session.resolved_minor
        explained = wins(session).explained
        assert explained is not None
        assert (explained.rest_minor, explained.closer_minor, explained.uncounted_minor) == (0, closer, 0)


@pytest.mark.parametrize("name", TABLES)
def test_the_old_day_is_counted_like_any_other(name: str) -> None:
    table = TABLES[name][0]()
    if table.state.phase != "idle":
        until_it_can_roll(Random(1), table)
    roll(table, 0)
    table.lead("drop.remove", drop_box="b-1").ask("drop.count", who=COUNT, drop_box="b-1", amount_minor=0)
    assert table.state.status == "counted"
