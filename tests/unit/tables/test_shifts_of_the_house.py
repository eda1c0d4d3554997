"""A table that is opened or rolled without a shift runs in the one of the house that runs then."""

from collections.abc import Iterator
from typing import Any

import pytest

from events.store import open_store
from tests.support.clocks.settable_clocks import SettableTime
from tests.support.houses.small_house import DAY, House

SHIFTS = "morning 06:00, evening 18:00, night 23:30"


@pytest.fixture
def house() -> Iterator[House]:
    house = House(open_store("memory://", SettableTime(f"{DAY}T20:00:00.000Z")))
    yield house
    house.close()


def opens(house: House, **fields: Any) -> Any:
    action = house.action("session.open", gaming_day=DAY, opener={"100": 10}, **fields)
    return house.ok("tables", "FR1", "ines", action)[0].data


def set_shifts(house: House) -> None:
    change = house.action("setting.change", setting="shifts", value=SHIFTS)
    house.agreed("house", "", ("anna", "sven"), change)


def test_a_house_that_set_no_shifts_has_one(house: House) -> None:
    assert opens(house).shift == "day"


@pytest.mark.parametrize(
    ("now", "shift"),
    [("20:00", "evening"), ("23:29", "evening"), ("23:30", "night"), ("05:59", "night"), ("06:00", "morning")],
)
def test_the_shift_that_began_last(house: House, now: str, shift: str) -> None:
    set_shifts(house)
    house.store.clock = lambda: f"{DAY if now > '12' else '2026-11-21'}T{now}:00.000Z"
    assert opens(house).shift == shift


def test_a_report_of_later_is_in_the_shift_of_its_time(house: House) -> None:
    set_shifts(house)
    house.store.clock = lambda: "2026-11-21T07:00:00.000Z"
    assert opens(house, _intent="fact", _time=f"{DAY}T22:00:00.000Z").shift == "evening"


def test_a_shift_that_is_named_is_taken(house: House) -> None:
    set_shifts(house)
    assert opens(house, shift="gala").shift == "gala"


def test_a_roll_goes_into_the_shift_that_runs(house: House) -> None:
    set_shifts(house)
    opens(house)
    house.store.clock = lambda: "2026-11-21T06:10:00.000Z"
    roll = house.action("session.roll", gaming_day="2026-11-21", closer={"100": 10})
    events = house.ok("tables", "FR1", "ines", roll)
    assert [event.data.shift for event in events if event.type == "session.opened.v1"] == ["morning"]


def test_the_name_of_an_omitted_shift_is_claimed_as_well(house: House) -> None:
    opens(house)
    count = house.action("shift.count", chips={"100": 10}, next_shift="Day", witness="sid")
    assert house.no("tables", "FR1", "ines", count).field == "data.next_shift"
