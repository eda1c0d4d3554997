"""The alert of a time without signal names the stakes, corrections and payments that the device recorded meanwhile."""

from hashlib import sha256
from typing import Any

import msgspec
import pytest

from events.alerts.offline_money import SignalLosses
from events.floor.device_and_entry_decider import DeviceReconnected
from events.games.blackjack.event_types import HandDoubled, HandSplit, InsuranceTaken
from events.tables.event_types.rounds import (
    BetCorrected,
    BetPlaced,
    BetRestaked,
    BetWithdrawn,
    PaymentMade,
    SettlementCorrected,
    SettlementVoided,
)
from events.tables.event_types.session import LayoutCarried, SessionRolled
from events.tables.moved_amount_declarations import types_with
from projections.alerts.models import Alert
from tests.support.houses.sample_event_streams import DAY, PROPERTY, TIME, History, SampleTableDay
from tests.support.pages.raised_alerts import raised

DEVICE = "screen-R1"
BET: dict[str, Any] = {"bet": "b", "wager": "red", "player": "g-1", "seat": 1}
DOUBLED: dict[str, Any] = {"bet": "b", "player": "g-1", "seat": 1, "hand": 0}
CORRECTED: dict[str, Any] = {**BET, "corrects": "athens/x@1", "reason": "by the camera"}


def alerts(*events: tuple[Any, dict[str, Any]], queued: bool = True) -> list[Alert]:
    """Return the alerts after these events of a device and its return."""
    history = History()
    where = SampleTableDay(history).where
    for kind, data in events:
        history.append(f"tables/R1/{DAY}", kind(**where, **data), actordevice=DEVICE, queued=queued)
    back = DeviceReconnected(device=DEVICE, table="R1", since=TIME, until=TIME, entries=len(events))
    history.append(f"devices/{DEVICE}", back, actordevice=DEVICE)
    return raised(history, "without signal")


def sums(*events: tuple[Any, dict[str, Any]], queued: bool = True) -> list[dict[str, Any]]:
    """Return the figures of these alerts."""
    names = ("stakes", "corrections", "payments", "sum")
    figures = [msgspec.json.decode(alert.data) for alert in alerts(*events, queued=queued)]
    return [{name: of_alert[name] for name in names} for of_alert in figures]


def settlement(before: int, now: int, **changes: int) -> tuple[Any, dict[str, Any]]:
    stakes = {"stake_before_minor": 1_000, "stake_minor": 1_000 + changes.get("amount_minor", 0)}
    profits = {"profit_before_minor": before, "profit_minor": now}
    return SettlementCorrected, {**CORRECTED, **stakes, **profits, **changes}


@pytest.mark.parametrize(
    ("correction", "amount"),
    [
        (settlement(-1_000, 1_000, lost_minor=-1_000, due_minor=1_000), 2_000),  # a loss was a win
        (settlement(1_000, -1_000, lost_minor=1_000, due_minor=-1_000), 2_000),
        (settlement(-1_000, 1_000, promotional_minor=-1_000, due_minor=1_000), 2_000),  # a lost voucher was a win
        (settlement(-1_000, 0, promotional_minor=-1_000), 1_000),  # a lost voucher was given back
        (settlement(-1_000, -3_000, amount_minor=2_000, lost_minor=2_000), 2_000),
        (settlement(0, 0, amount_minor=500), 500),  # a push: only the stake changed
        ((BetCorrected, {**CORRECTED, "stake_minor": 400, "amount_minor": -600}), 600),
        ((BetCorrected, {**CORRECTED, "stake_minor": 1_000, "commission_minor": 100}), 100),
    ],
)
def test_a_correction_counts_with_the_money_that_it_changed(
    correction: tuple[Any, dict[str, Any]], amount: int
) -> None:
    assert sums(correction) == [{"stakes": 0, "corrections": amount, "payments": 0, "sum": amount}]


def test_stakes_and_payments_are_added_up_apart() -> None:
    placed = (BetPlaced, {**BET, "amount_minor": 1_000})
    lowered = (BetRestaked, {**BET, "amount_minor": -400, "stake_minor": 600, "reason": "lowered"})
    paid = (PaymentMade, {**BET, "amount_minor": 700, "due_minor": 700})
    assert sums(placed, lowered, paid) == [{"stakes": 1_400, "corrections": 0, "payments": 700, "sum": 2_100}]


@pytest.mark.parametrize(
    "staked",
    [
        (HandDoubled, {"hand": 0}),
        (HandSplit, {"hand": 0, "new_bet": "c"}),
        (InsuranceTaken, {}),
        (BetWithdrawn, {"wager": "main"}),
    ],
)
def test_a_stake_counts_that_is_added_or_taken_back_later(staked: tuple[Any, dict[str, Any]]) -> None:
    kind, data = staked
    later = (kind, {"bet": "b", "player": "g-1", "seat": 1, "amount_minor": 1_000, **data})
    placed = (BetPlaced, {**BET, "amount_minor": 1_000})
    assert sums(later) == [{"stakes": 1_000, "corrections": 0, "payments": 0, "sum": 1_000}]
    [before], [now] = alerts(placed), alerts(placed, later)
    assert msgspec.json.decode(now.data)["sum"] == 2_000
    assert len(msgspec.json.decode(now.events)) == len(msgspec.json.decode(before.events)) + 1 == 3


def test_an_alert_of_an_earlier_version_keeps_its_id() -> None:
    placed, doubled = (BetPlaced, {**BET, "amount_minor": 1_000}), (HandDoubled, {**DOUBLED, "amount_minor": 1_000})
    [alert] = alerts(placed, doubled)
    events = (f"{PROPERTY}/tables/R1/{DAY}@1", f"{PROPERTY}/devices/{DEVICE}@1")
    assert alert.id == sha256("\n".join(("without signal", *events, "")).encode()).hexdigest()


def test_a_void_settlement_counts_with_its_win() -> None:
    voided = (SettlementVoided, {**BET, "amount_minor": 1_000, "profit_minor": 2_000})
    assert sums(voided) == [{"stakes": 0, "corrections": 2_000, "payments": 0, "sum": 2_000}]


def test_all_types_of_the_table_of_amounts_count_that_change_a_stake_or_a_win_or_are_a_payment() -> None:
    """A layout that is carried to another gaming day was staked before."""
    counted = set(SignalLosses().handlers()) - {DeviceReconnected}
    assert counted == set(types_with(("staked", "corrected", "paid"))) - {LayoutCarried, SessionRolled}
    assert {HandDoubled, HandSplit, InsuranceTaken} <= counted


def test_nothing_is_raised_for_events_that_were_sent_at_once() -> None:
    assert sums((BetPlaced, {**BET, "amount_minor": 1_000}), queued=False) == []
