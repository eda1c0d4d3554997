"""Every total over the events of a day equals its figure in the read models.

The days have raised, corrected, pressed, kept and voided bets.
"""

from types import SimpleNamespace
from typing import Any

import pytest
from django.db.models import Sum as Total

from backoffice.event_log.filters import Filters
from events.tables.event_types.rounds import RoundEnded
from events.tables.table_session_state_structs import TableContext
from projections.engine.batch_applier import Applier
from projections.floor.models import PlayedRound
from projections.registry import projectors
from projections.tables.models import TableDay, WagerDay
from projections.tables.table_and_recorded_win_calculation import wins
from tests.support.houses.sample_event_streams import History
from tests.support.tables.in_memory_tables import INSPECTOR, PROPERTY, TableInMemory, baccarat_table, craps_table

pytestmark = pytest.mark.django_db


def craps() -> TableInMemory:
    """Play buy and lay bets with changing commissions, a pressed bet, a void bet and a void settlement."""
    table = craps_table("craps-by")

    def bet(name: str, wager: str, stake: int, number: int | None = None, **fields: Any) -> None:
        where = {"player": table.state.play.shooter, "seat": 1, "number": number}
        table.ask("bet.place", bet=name, wager=wager, amount_minor=stake, **where, **fields)

    bet("line", "pass", 1_000)
    table.ask("dice.offer").ask("dice.roll", dice=[2, 2])
    bet("b5", "buy", 2_000, 5)
    bet("b9", "buy", 2_000, 9)
    bet("l10", "lay", 4_000, 10)
    bet("p6", "place", 1_200, 6, after_win="stay")
    table.ask("bet.restake", bet="b5", amount_minor=4_000)
    table.ask("bet.restake", bet="l10", amount_minor=2_000)
    placed = f"{table.state.stream}@12"
    table.act("bet.correct", who=INSPECTOR, corrects=placed, reason="misread", bet="b9", amount_minor=4_000)
    table.ask("bet.withdraw", bet="l10")
    table.ask("dice.offer").ask("dice.roll", dice=[3, 3]).ask("bet.press", bet="p6").pay()
    table.ask("dice.offer").ask("dice.roll", dice=[4, 5]).pay()
    table.ask("dice.offer").ask("dice.roll", dice=[3, 4]).end()
    table.ask("shooter.appoint", seat=2, player="Bob").ask("round.open").ask("dice.choose", places=[0, 1])
    bet("line", "pass", 1_000)
    bet("f", "field", 500)
    bet("any", "any7", 500)
    table.ask("dice.offer").ask("dice.roll", dice=[1, 3])
    table.approved("round.void", round=2, reason="a die on the floor")
    return table


def baccarat() -> TableInMemory:
    """Play a banker win with 5 % commission, and a returned late bet."""
    table = baccarat_table()
    table.ask("round.open")
    table.ask("bet.place", bet="a", wager="banker", amount_minor=1_001, player="Ann", seat=1)
    table.ask("bets.close")
    late: dict[str, Any] = {"bet": "b", "wager": "player", "amount_minor": 500, "player": "Bob", "seat": 2}
    table.act("bet.place", intent="fact", **late)
    for to, card in (("player", "2C"), ("banker", "9D"), ("player", "KH"), ("banker", "KS")):
        table.ask("card.deal", to=to, card=card)
    return table.end()


def put_right() -> TableInMemory:
    """The line of the first round lost 15.00 and not 10.00, and of the bet on 9 half as much was laid and won."""
    table = craps()
    resettle(table, "line", 1_500)
    resettle(table, "b9", 2_000)
    return table


def resettle(table: TableInMemory, bet: str, stake: int) -> None:
    """Correct a settlement by the events of the first round, as the desk reads them."""
    end = next(at for at, event in enumerate(table.events) if isinstance(event, RoundEnded))
    dealt: Any = tuple(
        SimpleNamespace(id=f"{PROPERTY}@{at}", data=event) for at, event in enumerate(table.events[:end])
    )
    table.context = TableContext(dealt=dealt)
    correction: dict[str, Any] = {"bet": bet, "settled_in": 1, "amount_minor": stake, "reason": "by the camera"}
    assert table.approved("settlement.correct", **correction)[-1].TYPE == "settlement.corrected.v1"
    table.context = TableContext()


def closed(table: TableInMemory) -> TableInMemory:
    """Counted in between with 10.00 too much, at the end of a shift with 30.00 too little, closed with 5.00 so."""
    table.ask("buyin.make", seat=1, player="Ann", amount_minor=5_000)
    table.lead("table.count", chips=_tray(table, 1_000), witness="dora")
    table.lead("shift.count", chips=_tray(table, -3_000), witness="dora", next_shift="night")
    return table.lead("session.close", closer=_tray(table, -500))


def _tray(table: TableInMemory, beyond: int) -> dict[str, int]:
    """Return the expected tray, plus an amount."""
    large, small = divmod(table.state.float_minor + beyond, 2_500)
    return {"1": small, "2500": large}


FIGURES = {
    "stakes": "stakes_minor",
    "lost": "lost_minor",
    "due": "due_minor",
    "commission": "commission_minor",
    "corrections": "corrected_minor",
}


def total(name: str, **fields: Any) -> int:
    amount = Filters(sum=name, **fields).matching().aggregate(amount=Total("counts"))["amount"]
    return int(amount or 0)


@pytest.mark.parametrize("play", [craps, baccarat, put_right])
def test_every_sum_over_the_events_is_the_figure_of_the_read_models(play: Any) -> None:
    table, history, later = closed(play()), History(), 0
    if play is put_right:  # 50.00, and they won nothing: the count, which stands, misses as much more
        later = 4_000
        resettle(table, "line", 1_500 + later)
    for event in table.events:
        history.append(table.state.stream.partition("/")[2], event)
    applier = Applier(projectors(), PROPERTY)
    applier.load()
    assert applier.apply(history.events).poisoned == 0
    day = TableDay.objects.get()
    both_wins = wins(day)
    assert {name: total(name) for name in FIGURES} == {name: getattr(day, of) for name, of in FIGURES.items()}
    assert both_wins.explained is not None
    assert total("event-win") == both_wins.event_win_minor
    assert total("undecided") == both_wins.explained.uncounted_minor == 0
    assert total("closer-variance") == both_wins.explained.closer_minor
    mispaid = day.due_minor - day.paid_minor
    assert total("mispay") == -total("overpaid") == both_wins.explained.mispay_minor == mispaid
    assert bool(mispaid) == (play is put_right)
    assert both_wins.explained.closer_minor == -2_500 - later
    assert (both_wins.difference_minor, both_wins.explained.rest_minor) == (mispaid - 2_500 - later, 0)
    for row in WagerDay.objects.all():
        assert total("handle", wager=row.wager) == row.handle_minor
        win = row.lost_minor - row.due_minor + row.commission_minor
        assert total("event-win", wager=row.wager) == win
    played = {row.round: row.win_minor for row in PlayedRound.objects.all()}  # the course of the win is drawn of these
    assert played == {number: total("event-win", round=number) for number in played}
    assert sum(played.values()) == both_wins.event_win_minor
    assert bool(day.corrections) == (play is not baccarat)
    assert bool(day.kept_millionths) == (play is baccarat)
