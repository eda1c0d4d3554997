"""Slips, discrepancies and cash."""

from typing import Any

import msgspec
import pytest

from events.accounting.event_types.cage import CashedIn, CashedOut, CreditReceived
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.controls.slip_issued_event import SlipIssued
from events.house.setting_and_chip_structs import SettingChanged
from events.tables.event_types.money import BuyinMade, CreditSent, FillReceived
from projections.alerts.projector import AlertsProjector
from projections.engine.decoded_events import Event, decode
from tests.support.houses.sample_event_streams import DAY, History, SampleTableDay
from tests.support.pages.raised_alerts import Nowhere, names, raised

CHIPS = {2500: 4}
OTHER = {2500: 3}


@pytest.fixture
def history() -> History:
    return History()


def issued(history: History, kind: Any = "fill", slip: int = 1) -> None:
    issue = SlipIssued(
        kind=kind,
        year="2026",
        slip=slip,
        gaming_day=DAY,
        table="R1",
        request="r",
        chips=CHIPS,
        amount_minor=10_000,
    )
    history.append(f"cage/{DAY}", issue, actorrole="cage")


def used(history: History, kind: Any, chips: dict[int, int] = CHIPS, year: str = "2026", table: str = "R1") -> None:
    where = SampleTableDay(history, table).where
    history.append(f"tables/{table}/{DAY}", kind(**where, slip=1, chips=chips, amount_minor=10_000, year=year))


def received(history: History, chips: dict[int, int]) -> None:
    receipt = CreditReceived(gaming_day=DAY, table="R1", slip=1, year="2026", chips=chips, amount_minor=10_000)
    history.append(f"cage/{DAY}", receipt, actorrole="cage")


def test_slips_that_are_used_as_they_were_issued(history: History) -> None:
    issued(history)
    used(history, FillReceived)
    issued(history, "credit")
    used(history, CreditSent)
    received(history, CHIPS)
    assert names(history) == []


def test_a_number_that_is_used_twice_in_its_series(history: History) -> None:
    issued(history)
    used(history, FillReceived)
    used(history, FillReceived, table="R2")
    [alert] = raised(history)
    about = msgspec.json.decode(alert.data)
    assert (alert.name, alert.table, about["slip"], about["reason"]) == ("slip", "R2", 1, "number used twice")
    assert len(msgspec.json.decode(alert.events)) == 2


def test_a_series_without_a_cage_is_that_of_the_gaming_days_year(history: History) -> None:
    used(history, FillReceived, year="")
    used(history, CreditSent, year="")
    assert names(history) == []
    used(history, FillReceived, year="", table="R2")
    assert names(history) == ["slip"]


@pytest.mark.parametrize("where", ["table", "cage", "cage alone"])
def test_a_receipt_that_is_another(history: History, where: str) -> None:
    if where == "table":
        issued(history)
        used(history, FillReceived, OTHER)
    else:
        issued(history, "credit")
        if where == "cage":
            used(history, CreditSent)
        received(history, OTHER)
    [alert] = raised(history)
    assert msgspec.json.decode(alert.data)["reason"] == "the receipt is another"


@pytest.mark.parametrize(
    ("kind", "band", "names_"),
    [
        ("closer", "recorded", []),
        ("closer", "reported", ["discrepancy"]),
        ("cage", "regulator", ["discrepancy"]),
        ("opener", "recorded", ["inventory"]),
    ],
)
def test_a_discrepancy_by_its_band_an_opener_from_the_first_cent(
    history: History, kind: Any, band: Any, names_: list[str]
) -> None:
    discrepancy = DiscrepancyFound(
        **SampleTableDay(history).where, kind=kind, band=band, expected_minor=100, found_minor=99, counted_by=("ines",)
    )
    history.append(SampleTableDay(history).stream, discrepancy)
    assert names(history) == names_
    if names_:
        [alert] = raised(history)
        assert (msgspec.json.decode(alert.data)["sum"], alert.person) == (-1, "ines")


def test_an_opener_of_the_same_money_in_other_pieces_is_none(history: History) -> None:
    discrepancy = DiscrepancyFound(
        **SampleTableDay(history).where,
        kind="opener",
        band="recorded",
        expected_minor=100,
        found_minor=100,
        counted_by=("ines",),
    )
    history.append(SampleTableDay(history).stream, discrepancy)
    assert names(history) == []


def cash(history: History, kind: Any, amount: int, player: str | None = "g-1") -> None:
    about = {"gaming_day": DAY, "chips": {}, "amount_minor": amount, "player": player}
    history.append(f"cage/{DAY}", kind(**about), actorrole="cage")


def levels(history: History) -> list[str]:
    return [msgspec.json.decode(alert.data)["level"] for alert in raised(history, "cash")]


def test_cash_is_raised_near_the_threshold_and_over_it(history: History) -> None:
    bought = BuyinMade(**SampleTableDay(history).where, amount_minor=500_000, tender="cash", player="g-1")
    history.append(SampleTableDay(history).stream, bought)
    cash(history, CashedOut, 799_999)
    assert levels(history) == []
    cash(history, CashedIn, 300_000)
    assert levels(history) == ["warning"]
    cash(history, CashedIn, 200_000)
    assert levels(history) == ["warning"]
    cash(history, CashedIn, 1)
    cash(history, CashedIn, 1)
    assert levels(history) == ["warning", "report"]


def test_what_is_known_of_a_players_cash_does_not_grow_once_all_is_raised(history: History) -> None:
    """Each further event was one more in a state that every batch writes: one player held up all read models."""
    cash(history, CashedIn, 1_500_000)
    for _ in range(50):
        cash(history, CashedIn, 100)
    projector = AlertsProjector(Nowhere())  # type: ignore[arg-type]  # as in `raised`
    events = [event for event in decode(history.events) if isinstance(event, Event)]
    projector.load(events)
    projector.fold(events)
    (known,) = (cash for name, cash in projector._states["cash"]._state_by_key.items() if name.endswith("/g-1"))
    assert (known.given, known.level, known.events) == (1_505_000, "report", [])
    (alert,) = raised(history, "cash")
    assert len(msgspec.json.decode(alert.events)) == 1


def test_nobody_and_others_are_apart_and_the_houses_own_bounds_hold(history: History) -> None:
    cash(history, CashedIn, 900_000, None)
    cash(history, CashedIn, 700_000, "g-2")
    assert levels(history) == []
    history.append("house", SettingChanged(setting="cash_warning_minor", value=650_000, before=800_000, approvals=()))
    cash(history, CashedIn, 1, "g-2")
    assert levels(history) == ["warning"]
