"""The alert of a time without signal names the stakes, corrections and payments that the device recorded meanwhile."""

from typing import Any

import msgspec
import pytest

from events.floor.device_and_entry_decider import DeviceReconnected
from events.tables.event_types.rounds import BetCorrected, BetPlaced, BetRestaked, PaymentMade, SettlementCorrected
from tests.support.houses.sample_event_streams import DAY, TIME, History, SampleTableDay
from tests.support.pages.raised_alerts import raised

DEVICE = "screen-R1"
BET: dict[str, Any] = {"bet": "b", "wager": "red", "player": "g-1", "seat": 1}
CORRECTED: dict[str, Any] = {**BET, "corrects": "athens/x@1", "reason": "by the camera"}


def sums(*events: tuple[Any, dict[str, Any]], queued: bool = True) -> list[dict[str, Any]]:
    """Return the figures of the alerts after these events of a device and its return."""
    history = History()
    where = SampleTableDay(history).where
    for kind, data in events:
        history.append(f"tables/R1/{DAY}", kind(**where, **data), actordevice=DEVICE, queued=queued)
    back = DeviceReconnected(device=DEVICE, table="R1", since=TIME, until=TIME, entries=len(events))
    history.append(f"devices/{DEVICE}", back, actordevice=DEVICE)
    names = ("stakes", "corrections", "payments", "sum")
    alerts = raised(history, "without signal")
    return [{name: alert_data[name] for name in names} for alert_data in map(_data_of, alerts)]


def _data_of(alert: Any) -> dict[str, Any]:
    return dict(msgspec.json.decode(alert.data))


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


def test_nothing_is_raised_for_events_that_were_sent_at_once() -> None:
    assert sums((BetPlaced, {**BET, "amount_minor": 1_000}), queued=False) == []
