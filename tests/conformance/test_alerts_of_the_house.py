"""Alerts about slips, chance, counts and cash, as docs/reference/alerts.md specifies them.

Each case is played through the desk, with the near misses on both sides. Each planted fault raises one alert, and
nothing else raises one.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.accounting.report import checklist_system_state_source
from events.accounting.report.checklist_system_state_source import SystemState
from tests.support.houses.alert_scenario_house import FULL, RED, AlertSummary, At, AtWork, wheel
from tests.support.houses.cage_house import counted
from tests.support.houses.small_house import DAY
from tests.support.houses.worked_day import WorkedDay

CASH: dict[str, Any] = {"seat": 1, "player": "g-1"}


# --- slips ------------------------------------------------------------------------------------------------------------


def slip(house: AtWork, kind: str, pieces: int = 100, table: str = "FR1") -> int:
    """Asked for by the table and issued by the cage: its number."""
    request = At(house, table)(f"{kind}.request", "ines", chips={"500": pieces})[0].data
    issued = house.ok("cage", "", "cage", house.action("slip.issue", request=request.request, runner="sid"))
    number: int = issued[0].data.slip
    return number


@pytest.fixture
def table(house: AtWork) -> At:
    """FR1, in a house with an open cage."""
    at = wheel(house)
    house.ok("cage", "", "cage", house.action("cage.open", gaming_day=DAY, **counted()))
    return at


def test_slip_whose_number_is_used_twice(house: AtWork, table: At) -> None:
    small = slip(house, "fill", pieces=5)
    table("fill.receive", "ines", slip=small, chips={"500": 5})
    assert house.new() == []
    table.fact("fill.receive", "ines", slip=small, chips={"500": 5})
    assert house.new() == [AlertSummary("slip", "ines", 2_500, "fill.received")]
    table.fact("fill.receive", "ines", slip=99, chips={"500": 5})
    assert house.new() == [AlertSummary("irregularity", "ines", None, "irregularity.recorded")], "the cage issued none"
    table.fact("fill.receive", "ines", slip=99, chips={"500": 5})
    assert house.new() == [AlertSummary("slip", "ines", 2_500, "fill.received")]


def test_slip_numbers_of_a_house_without_a_cage_are_a_business_years(house: AtWork) -> None:
    change = house.action("setting.change", setting="business_year_begins", value=12)
    house.agreed("house", "", ("anna", "cage"), change)
    at, other = wheel(house), wheel(house, "FR2")
    at("fill.receive", "ines", slip=7, chips={"500": 5})
    at.fact("credit.send", "ines", slip=7, chips={"500": 5})
    assert house.new() == [AlertSummary("irregularity", "ines", None, "irregularity.recorded")], "another series"
    other("fill.receive", "ines", slip=7, chips={"500": 5})
    assert house.new() == [AlertSummary("slip", "ines", 2_500, "fill.received")]
    assert house.alert_data()[-1]["year"] == "2025"
    at("session.close", "ines", closer=FULL)
    house.clock.advance(days=11)
    house.looked_at = len(house.alerts())
    at("session.open", "ines", gaming_day="2026-12-01", opener=FULL)
    at("staff.assign", "ines", post="dealer", person="dora")
    at("fill.receive", "ines", slip=7, chips={"500": 5})
    assert house.new() == []


@pytest.mark.parametrize(
    ("pieces", "names"),
    [
        ({"500": 100}, []),
        ({"500": 100, "100": 0}, []),
        ({"2500": 20}, ["slip"]),
        ({"500": 99}, ["slip"]),
        ({"500": 94}, ["slip", "discrepancy"]),
    ],
)
def test_slip_of_a_fill_whose_receipt_is_another(house: AtWork, table: At, pieces: Any, names: list[str]) -> None:
    """A difference below the house's reporting band raises no alert."""
    table("fill.receive", "ines", slip=slip(house, "fill"), chips=pieces)
    assert [alert.name for alert in house.new()] == names


@pytest.mark.parametrize(
    ("sent", "received", "names"),
    [(100, 100, []), (100, 99, ["slip"]), (99, 99, ["slip"]), (99, 100, ["slip"]), (99, 98, ["slip"])],
)
def test_slip_of_a_credit_is_one_when_it_is_received(
    house: AtWork, table: At, sent: int, received: int, names: list[str]
) -> None:
    number = slip(house, "credit")
    table("credit.send", "ines", slip=number, chips={"500": sent})
    assert house.new() == []
    house.ok("cage", "", "cage", house.action("credit.receive", slip=number, chips={"500": received, "100": 0}))
    assert [alert.name for alert in house.new()] == names


def test_slip_that_is_open_for_over_half_an_hour(house: AtWork, table: At) -> None:
    def alerts_after(**apart: float) -> list[AlertSummary]:
        house.clock.advance(**apart)
        house.watch()
        return house.new()

    late = slip(house, "fill")
    assert alerts_after(minutes=30) == []
    assert alerts_after(milliseconds=1) == [AlertSummary("slip", "", None, "time.passed")]
    assert alerts_after(hours=1) == []
    table("fill.receive", "ines", slip=late, chips={"500": 100})
    void, sent = slip(house, "fill"), slip(house, "credit")
    house.clock.advance(minutes=29)
    house.agreed("cage", "", ("cage", "ines"), house.action("slip.void", kind="fill", slip=void, reason="not needed"))
    table("credit.send", "ines", slip=sent, chips={"500": 100})
    assert alerts_after(minutes=2) == [AlertSummary("slip", "", None, "time.passed")], "until the cage has received it"
    assert house.alert_data()[-1]["slip"] == f"credit-2026-{sent}"


# --- chance -----------------------------------------------------------------------------------------------------------


def test_void_rate_from_so_many_voids_on_as_chance_does_not_give_once(house: AtWork) -> None:
    """Sixty rounds of each dealer; the nineteenth void of one alone is under 1 in 100,000, the eighteenth is not."""
    at, other = wheel(house), wheel(house, "FR2")
    other("staff.assign", "ines", post="dealer", person="dan")
    for act, dealer in ((at, "dora"), (other, "dan")):
        for _ in range(60):
            act("round.open", dealer)
            act("bet.place", dealer, bet="a", **RED)
            act.spin(2, dealer)
            act("round.end", dealer)
    for number in range(61, 61 + 18):
        at("round.open")
        house.void("FR1", number)
    assert house.new() == []
    for number in (79, 80):
        at("round.open")
        house.void("FR1", number)
    assert house.new() == [AlertSummary("void rate", "dora", None, "round.voided")]
    about = house.alert_data()[-1]
    assert (about["voids"], about["rounds"], about["of_rounds"]) == (19, 79, 139)
    assert about["p"] < 1e-5


@pytest.mark.parametrize(("number", "won"), [(1, -1_000), (2, 1_000)])
@pytest.mark.parametrize("rounds", [12, 13])
def test_hold_of_a_shift_to_either_side(house: AtWork, number: int, won: int, rounds: int) -> None:
    """Thirteen times one colour is 0.000085, under 1 in 10,000; twelve times is 0.00018."""
    at = wheel(house)
    for _ in range(rounds):
        at("round.open")
        at("bet.place", bet="a", **RED, on_zero="half")
        at.spin(number)
        if won < 0:
            at("payment.make", bet="a", amount_minor=1_000)
        at("round.end")
    left = {**FULL, "100": 1_000 + rounds * won // 100}
    at("shift.count", "ines", chips=left, next_shift="night", witness="dora")
    for _ in range(2):
        house.watch()
    assert house.new() == ([AlertSummary("hold", "", rounds * won, "chance.judged")] if rounds == 13 else [])
    at("session.close", "ines", closer=left)
    house.watch()
    assert house.new() == [], "the next shift had no bets"


@pytest.mark.parametrize("rounds", [12, 13])
def test_hold_takes_the_bets_of_a_round_together(house: AtWork, rounds: int) -> None:
    """Three players on one colour win or lose by one number: no rarer than one of them."""
    at = wheel(house)
    for _ in range(rounds):
        at("round.open")
        for seat in (1, 2, 3):
            where = {"seat": seat, "player": f"g-{seat}", "on_zero": "half"}
            at("bet.place", bet=f"b{seat}", **{**RED, **where})
        at.spin(2)
        at("round.end")
    at.close()
    house.watch()
    assert house.new() == ([AlertSummary("hold", "", 13 * 3_000, "chance.judged")] if rounds == 13 else [])


class WorkedDayWithAlerts(AtWork, WorkedDay):
    """A whole gaming day."""


@pytest.fixture
def day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDayWithAlerts]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    made = WorkedDayWithAlerts()
    checklist_system_state_source.register_source(made.store, lambda: SystemState(readers={}, head=10**9, aside={}))
    yield made
    made.close()


@pytest.mark.parametrize("rounds", [12, 13])
def test_luck_of_a_player_at_the_close_of_the_day(day: WorkedDayWithAlerts, rounds: int) -> None:
    """Two players win and lose the same amounts. The table's hold stays normal, and only the winner gets an alert."""
    day.begin()
    for _ in range(rounds):
        day.deal("round.open")
        for bet, wager, player in (("a", "red", "lucky"), ("b", "black", "other")):
            stake = {"amount_minor": 1_000, "seat": 2, "on_zero": "half"}
            day.deal("bet.place", bet=bet, wager=wager, player=player, **stake)
        day.red_falls()
        day.deal("payment.make", bet="a", amount_minor=1_000)
        day.deal("round.end")
    for step in (day.first_shift, day.count_first, day.second_shift, day.count_boxes, day.close_cage):
        step()
    day.watch()
    assert [alert.name for alert in day.new()] == ["mispay"], "the day's own"
    day.ok("days", "", "anna", day.action("day.close"))
    for _ in range(2):
        day.watch()
    assert day.new() == ([AlertSummary("luck", "lucky", 13_000, "chance.judged")] if rounds == 13 else [])


@pytest.mark.parametrize("beyond", [0, 100])
def test_inventory_of_more_chips_than_were_issued_once_a_day(day: WorkedDayWithAlerts, beyond: int) -> None:
    """Players have no chips yet, so a surplus of the tray would make their holding negative."""
    day.begin()
    for _ in range(2):
        day.lead("table.count", chips={"500": 2_000_000 // 500, "100": beyond // 100}, witness="dora")
        day.watch()
    inventory_alerts = [alert for alert in day.new() if alert.name == "inventory"]
    assert inventory_alerts == ([AlertSummary("inventory", "", beyond, "chips.exceeded")] if beyond else [])


# --- counts and cash --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("missing", "expected"),
    [(0, []), (2_500, []), (2_600, [AlertSummary("discrepancy", "ines", -2_600, "discrepancy.found")])],
)
@pytest.mark.parametrize("count", ["table.count", "shift.count", "session.close"])
def test_discrepancy_over_what_the_house_reports(house: AtWork, count: str, missing: int, expected: Any) -> None:
    at = wheel(house)
    chips = {**FULL, "100": 1_000 - missing // 100}
    fields = {"next_shift": "night"} if count == "shift.count" else {}
    at(count, "ines", **{"closer" if count == "session.close" else "chips": chips}, witness="dora", **fields)
    assert house.new() == expected


@pytest.mark.parametrize(
    ("opener", "expected"),
    [
        ({"1": 100, "100": 30_999}, []),
        ({"1": 200, "100": 30_998}, []),
        ({"1": 101, "100": 30_999}, [AlertSummary("inventory", "ines", 1, "discrepancy.found")]),
        ({"1": 99, "100": 30_999}, [AlertSummary("inventory", "ines", -1, "discrepancy.found")]),
    ],
)
def test_inventory_of_an_opener_from_a_cent_on(
    house: AtWork, opener: dict[str, int], expected: list[AlertSummary]
) -> None:
    at = wheel(house)
    at("session.close", "ines", closer={"1": 100, "100": 30_999})
    house.clock.advance(hours=12)
    at("session.open", "ines", gaming_day="2026-11-21", opener=opener)
    assert house.new() == expected


def test_cash_near_the_threshold_and_over_it_each_once(house: AtWork, table: At) -> None:
    steps: list[tuple[int, list[int]]] = [
        (799_900, []),
        (100, [800_000]),
        (200_000, []),
        (100, [1_000_100]),
        (50_000, []),
    ]
    for amount, sums in steps:
        table("buyin.make", "ines", **CASH, amount_minor=amount)
        assert house.new() == [AlertSummary("cash", "g-1", sum_, "buyin.made") for sum_ in sums]
    table("buyin.make", "ines", seat=2, player="g-2", amount_minor=2_000_000, tender="marker")
    assert house.new() == [], "a marker is no cash"
    for way, sums in (("in", [900_000]), ("out", [])):
        house.ok("cage", "", "cage", house.action(f"cage.cash_{way}", chips={"2500": 360}, player="g-3"))
        assert [alert.sum for alert in house.new()] == sums, "each way by itself"
