"""Impossible times and gaming days: they are refused with their field, and no table is blocked."""

from collections.abc import Iterator

import pytest

from events.desk.command_and_answer_structs import Answer
from events.store import open_store
from events.streams.problem_details import Problem
from tests.support.clocks.settable_clocks import SettableTime
from tests.support.houses.small_house import House

NOW = "2026-11-20T23:00:00.000Z"


@pytest.fixture
def clock() -> SettableTime:
    return SettableTime(NOW)


@pytest.fixture
def house(clock: SettableTime) -> Iterator[House]:
    house = House(open_store("memory://", clock))
    house.open_table("FR1")
    yield house
    house.close()


def buyin(house: House, time: str, key: str = "") -> Answer | Problem:
    key_field = {"_key": key} if key else {}
    action = house.action("buyin.make", seat=1, player="p", amount_minor=500, _time=time, **key_field)
    reply = house.send("tables", "FR1", "dora", action)[0]
    assert isinstance(reply, Answer | Problem)
    return reply


@pytest.mark.parametrize(
    "time",
    [
        "2026-11-20T24:00:00Z",
        "2026-11-20T23:59:60Z",
        "2026-02-30T10:00:00Z",
        "٢٠٢٦-11-20T10:00:00Z",
        "0000-01-01T00:00:00Z",
    ],
)
def test_a_time_that_is_none_is_refused(house: House, time: str) -> None:
    reply = buyin(house, time)
    assert isinstance(reply, Problem)
    assert (reply.status, reply.field) == (400, "time")


def test_a_fact_may_be_as_old_as_its_session_and_no_action_lies_ahead(house: House, clock: SettableTime) -> None:
    clock.time = "2026-11-21T04:00:00.000Z"
    assert isinstance(buyin(house, "2026-11-20T23:00:00.000Z"), Answer)
    assert isinstance(buyin(house, "2026-11-20T22:56:00.000Z"), Answer), "a device's clock may be minutes behind"
    assert isinstance(buyin(house, "2026-11-21T04:04:00.000Z"), Answer), "or before"
    for time in ("2026-11-20T22:54:00.000Z", "2026-11-21T04:06:00.000Z", "2126-11-20T23:00:00Z"):
        reply = buyin(house, time)
        assert isinstance(reply, Problem)
        assert (reply.status, reply.field) == (400, "time")


def test_a_fact_that_waited_for_days_is_still_of_its_session(house: House, clock: SettableTime) -> None:
    clock.time = "2026-11-23T12:00:00.000Z"
    assert isinstance(buyin(house, "2026-11-21T02:00:00.000Z"), Answer)


def test_what_belongs_to_no_session_is_told_within_a_day(house: House) -> None:
    for time, status in (("2026-11-19T23:30:00Z", 200), ("2026-11-19T22:30:00Z", 400), ("2026-11-21T00:00:00Z", 400)):
        grant = house.action("role.grant", person=f"p{time[:13]}", role="dealer", _time=time)
        reply = house.send("people", "", "adam", grant)[0]
        assert (reply.status if isinstance(reply, Problem) else 200) == status
    house.open_progressive()
    reading = house.action("meter.read", level="mega", read_minor=5_000_000, _time="2026-11-22T00:00:00Z")
    assert house.no("progressives", "blazing", "anna", reading).field == "time"


def test_a_key_that_was_used_gets_its_first_answer_however_late_it_comes_again(
    house: House, clock: SettableTime
) -> None:
    first = buyin(house, NOW, key="again")
    clock.time = "2026-11-20T20:00:00.000Z"  # the machine's clock was set back: the same time lies ahead now
    again = buyin(house, NOW, key="again")
    assert isinstance(first, Answer)
    assert isinstance(again, Answer)
    assert (again.position, again.repeated) == (first.position, True)


@pytest.mark.parametrize(
    "day",
    ["9999-99-99", "2026-11-20\n", "٢٠٢٦-١١-٢١", "2126-11-21", "2025-11-20", "2026-11-18", "2026-11-22", "2026-02-29"],
)
def test_a_gaming_day_is_a_real_one_near_the_houses(house: House, day: str) -> None:
    opening = house.action("session.open", gaming_day=day, opener={"100": 1})
    assert house.no("tables", "BJ1", "ines", opening).field == "data.gaming_day"
    house.open_progressive()
    house.open_table("BJ1")


@pytest.mark.parametrize("day", ["2026-11-20", "2026-11-21", "2026-11-22"])
def test_a_night_may_belong_to_the_day_before_or_after(house: House, day: str) -> None:
    house.open_progressive()
    house.store.clock = lambda: "2026-11-21T20:00:00.000Z"
    assert house.ok("tables", "BJ1", "ines", house.action("session.open", gaming_day=day, opener={"100": 1}))


def test_a_check_is_bounded_as_the_act_is(house: House) -> None:
    ahead = house.action(
        "buyin.make", seat=1, player="p", amount_minor=500, _time="2027-01-01T00:00:00Z", _intent="check"
    )
    assert house.no("tables", "FR1", "dora", ahead).field == "time"
