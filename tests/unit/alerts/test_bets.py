"""Mispays, late bets and late changes: what raises them, and what does not."""

from typing import Any

import msgspec
import pytest

from events.games.craps.event_types import DiceOffered, DiceRolled
from events.games.roulette.event_types import BallLanded
from events.tables.event_types.rounds import (
    BetCorrected,
    BetPlaced,
    BetRestaked,
    BetsClosed,
    BetSettled,
    BetWithdrawn,
    PaymentMade,
    RoundEnded,
    RoundOpened,
    RoundVoided,
    SettlementVoided,
)
from events.tables.event_types.session import IrregularityRecorded, SessionClosed
from projections.alerts.models import Alert
from tests.support.houses.sample_event_streams import History, SampleTableDay
from tests.support.pages.raised_alerts import names, raised

BET: dict[str, Any] = {"bet": "b1", "wager": "red", "player": "g-1", "seat": 1, "amount_minor": 1000}
WON: dict[str, Any] = {**BET, "outcome": "win", "profit_minor": 1000}
PAID: dict[str, Any] = {**BET, "due_minor": 1000}


def alert_data(alert: Alert) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.json.decode(alert.data)
    return data


@pytest.fixture
def history() -> History:
    return History()


@pytest.fixture
def table(history: History) -> SampleTableDay:
    """A table in its first round, with a bet."""
    table_ = SampleTableDay(history).open()
    table_.round = 1
    table_.say(RoundOpened)
    table_.say(BetPlaced, **BET)
    return table_


def settle(table: SampleTableDay) -> None:
    table.say(BetsClosed)
    table.say(BallLanded, number=7, colour="red")
    table.say(BetSettled, **WON)


def test_a_payment_of_another_amount_is_a_mispay_when_the_round_ends(history: History, table: SampleTableDay) -> None:
    settle(table)
    table.say(PaymentMade, **{**PAID, "amount_minor": 1500})
    assert names(history) == []
    table.say(RoundEnded)
    [alert] = raised(history)
    about = alert_data(alert)
    assert (alert.name, alert.table, alert.round, alert.person) == ("mispay", "R1", 1, "g-1")
    assert (about["sum"], about["due"], about["paid"], about["dealer"]) == (500, 1000, 1500, "p-dealer")
    types = [
        history.events[int(event_id.rpartition("@")[2]) - 1].type for event_id in msgspec.json.decode(alert.events)
    ]
    assert types == ["bet.settled.v1", "payment.made.v1", "round.ended.v1"]


def test_what_is_put_right_before_the_end_is_none(history: History, table: SampleTableDay) -> None:
    settle(table)
    table.say(PaymentMade, **{**PAID, "amount_minor": 1500})
    table.say(PaymentMade, **{**PAID, "amount_minor": -500, "due_minor": 0})
    table.say(RoundEnded)
    assert names(history) == []


def test_a_bet_is_judged_once_and_what_was_left_unpaid_may_be_paid_later(
    history: History, table: SampleTableDay
) -> None:
    settle(table)
    where, action = {**table.where, "round": 1}, {"causation": "a-1", "intent": "fact"}
    history.append(table.stream, RoundEnded(**where), **action)
    unpaid = IrregularityRecorded(**where, kind="unpaid", clause="house payment", detail="1000 is still due")
    history.append(table.stream, unpaid, **action)
    table.round = 2
    table.say(RoundOpened)
    table.say(PaymentMade, **{**PAID, "won_in": 1})
    table.say(RoundEnded)
    [alert] = raised(history)
    assert (alert.name, alert_data(alert)["sum"]) == ("mispay", -1000)


def test_a_settlement_that_was_voided_is_not_due(history: History, table: SampleTableDay) -> None:
    settle(table)
    table.say(SettlementVoided, **{name: value for name, value in WON.items() if name != "outcome"})
    table.say(RoundVoided, reason="misdeal")
    assert names(history) == []


def test_the_close_of_a_session_judges_what_is_left(history: History, table: SampleTableDay) -> None:
    settle(table)
    table.say(PaymentMade, **PAID)
    table.say(RoundEnded)
    table.say(PaymentMade, **{**PAID, "due_minor": 0})
    table.say(SessionClosed, closer={}, amount_minor=0, expected_minor=0)
    [alert] = raised(history)
    assert (alert.name, alert_data(alert)["sum"]) == ("mispay", 1000)


def test_a_stake_after_no_more_bets_is_late_once(history: History, table: SampleTableDay) -> None:
    table.say(BetsClosed)
    action = {"causation": "a-1", "intent": "fact"}
    where = {**table.where, "round": 1, "dealer": "p-dealer"}
    late = {**BET, "bet": "b2", "late": True}
    history.append(table.stream, BetPlaced(**where, **late), **action)
    about: dict[str, Any] = {
        "kind": "late bet",
        "clause": "P.3",
        "detail": "no more bets",
        "bet": "b2",
        "player": "g-1",
    }
    history.append(table.stream, IrregularityRecorded(**where, **about), **action)
    [alert] = raised(history)
    assert (alert.name, alert_data(alert)["sum"], alert_data(alert)["bet"]) == ("late bet", 1000, "b2")


@pytest.mark.parametrize(
    ("kind", "fields", "name"),
    [
        (BetRestaked, {"amount_minor": 500, "stake_minor": 1500, "reason": "raised"}, "late bet"),
        (BetRestaked, {"amount_minor": -500, "stake_minor": 500, "reason": "lowered"}, "late change"),
        (BetWithdrawn, {}, "late change"),
        (BetCorrected, {"corrects": "x@1", "stake_minor": 2000, "reason": "seen on video"}, "late bet"),
        (
            BetCorrected,
            {"corrects": "x@1", "stake_minor": 1000, "amount_minor": 0, "wager": "black", "reason": "moved"},
            "late bet",
        ),
    ],
)
def test_what_is_done_to_a_bet_while_bets_are_closed(
    history: History, table: SampleTableDay, kind: Any, fields: dict[str, Any], name: str
) -> None:
    settled = {**BET, **fields}
    table.say(kind, **settled)
    assert names(history) == []
    table.say(BetsClosed)
    table.say(kind, **settled)
    assert names(history) == ([] if kind is BetCorrected and fields.get("amount_minor") == 0 else [name])


def test_a_bet_that_is_moved_while_bets_are_closed_is_late(history: History, table: SampleTableDay) -> None:
    table.say(BetsClosed)
    moved = {**BET, "wager": "black", "amount_minor": 0}
    table.say(BetCorrected, **moved, corrects="x@1", stake_minor=1000, reason="seen on video")
    assert names(history) == ["late bet"]


def test_somebody_elses_bet_that_is_put_right_is_not_late(history: History, table: SampleTableDay) -> None:
    table.say(BetsClosed)
    other = {**BET, "player": "g-2", "amount_minor": 0}
    table.say(BetCorrected, **other, corrects="x@1", stake_minor=1000, reason="the seat beside it")
    assert names(history) == []


def test_after_the_outcome_bets_may_come_down(history: History, table: SampleTableDay) -> None:
    table.say(BetsClosed)
    table.say(BallLanded, number=7, colour="red")
    table.say(BetWithdrawn, **BET)
    assert names(history) == []


@pytest.mark.parametrize(("ruleset", "names_"), [("craps-gr", ["late bet"]), ("craps-by", [])])
def test_greek_craps_closes_with_the_dice(history: History, ruleset: str, names_: list[str]) -> None:
    craps = SampleTableDay(history, "C1", ruleset=ruleset).open(game="craps")
    craps.round = 1
    craps.say(RoundOpened)
    craps.say(DiceOffered, player="g-1")
    craps.say(BetPlaced, **BET)
    craps.say(DiceRolled, dice=(3, 4), total=7)
    craps.say(BetPlaced, **{**BET, "bet": "b2"})
    assert names(history) == names_
