"""A house opens its gaming days in order: no day opens after a later one, at a table or in the cage."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from events.desk.desk import Desk
from events.store import Append, AppendResult, Key, open_store
from events.streams.problem_details import Problem
from tests.support.houses.small_house import DAY, PROPERTY, House

NEXT, AFTER, CHIPS = "2026-11-21", "2026-11-22", {"100": 10}
CASH = {"cash_minor": 10_000, "marker_minor": 0}


def opening(house: House, day: str) -> Any:
    return house.action("session.open", gaming_day=day, opener=CHIPS)


@pytest.fixture
def mornings() -> Iterator[House]:
    """FR1 has played a day, and it is the next noon."""
    house = House(open_store("memory://", lambda: f"{DAY}T20:00:00.000Z"))
    house.ok("tables", "FR1", "ines", opening(house, DAY))
    house.ok("tables", "FR1", "ines", house.action("session.close", closer=CHIPS))
    house.open_progressive()
    house.store.clock = lambda: f"{NEXT}T12:00:00.000Z"
    yield house
    house.close()


def test_a_day_begins_no_more_once_a_later_one_has(mornings: House) -> None:
    mornings.ok("tables", "FR1", "ines", opening(mornings, AFTER))
    problem = mornings.no("tables", "BJ1", "ines", opening(mornings, NEXT))
    assert (problem.field, problem.clause) == ("data.gaming_day", "house session")
    assert f"{AFTER} has begun at FR1" in problem.detail
    assert NEXT in problem.detail


def test_a_table_opens_late_for_a_day_that_has_begun(mornings: House) -> None:
    mornings.ok("tables", "FR1", "ines", opening(mornings, NEXT))
    mornings.ok("tables", "BJ1", "ines", opening(mornings, DAY))
    mornings.ok("tables", "BJ1", "ines", mornings.action("session.roll", gaming_day=NEXT, closer=CHIPS))


def test_no_table_rolls_into_a_day_that_was_left_out(mornings: House) -> None:
    mornings.ok("tables", "BJ1", "ines", opening(mornings, DAY))
    mornings.ok("tables", "FR1", "ines", opening(mornings, AFTER))
    problem = mornings.no("tables", "BJ1", "ines", mornings.action("session.roll", gaming_day=NEXT, closer=CHIPS))
    assert f"{AFTER} has begun at FR1" in problem.detail


def void(house: House, table: str) -> None:
    request = house.ok("tables", table, "ines", house.action("session.void", reason="the wrong day"))[-1].data
    approval = house.action("approval.give", request=request.request, content=request.content)
    house.ok("tables", table, "sven", approval)


def test_a_day_opened_by_mistake_holds_none_up(mornings: House) -> None:
    mornings.ok("tables", "FR1", "ines", opening(mornings, AFTER))
    problem = mornings.no("tables", "BJ1", "ines", opening(mornings, NEXT))
    assert "The gaming day 2026-11-22 has begun at FR1, so 2026-11-21 can no longer be opened" in problem.detail
    void(mornings, "FR1")
    mornings.ok("tables", "BJ1", "ines", opening(mornings, NEXT))


def test_a_mistake_after_a_day_that_has_begun_hides_it_from_nobody(mornings: House) -> None:
    mornings.store.clock = lambda: f"{AFTER}T12:00:00.000Z"
    mornings.ok("tables", "FR1", "ines", opening(mornings, AFTER))
    mornings.ok("tables", "FR1", "ines", mornings.action("session.close", closer=CHIPS))
    mornings.ok("tables", "FR1", "ines", opening(mornings, "2026-11-23"))
    void(mornings, "FR1")
    early = mornings.action("cage.open", gaming_day=NEXT, chips=CHIPS, **CASH)
    for problem in (
        mornings.no("cage", "", "cage", early),
        mornings.no("tables", "BJ1", "ines", opening(mornings, NEXT)),
    ):
        assert f"{AFTER} has begun at FR1" in problem.detail


def test_the_cage_follows_the_tables_and_they_the_cage(mornings: House) -> None:
    mornings.ok("tables", "FR1", "ines", opening(mornings, AFTER))
    problem = mornings.no("cage", "", "cage", mornings.action("cage.open", gaming_day=NEXT, chips=CHIPS, **CASH))
    assert f"{AFTER} has begun at FR1" in problem.detail
    mornings.ok("cage", "", "cage", mornings.action("cage.open", gaming_day=AFTER, chips=CHIPS, **CASH))
    problem = mornings.no("tables", "BJ1", "ines", opening(mornings, NEXT))
    assert f"{AFTER} has begun" in problem.detail


def in_the_cage(house: House) -> None:
    house.ok("cage", "", "cage", house.action("cage.open", gaming_day=AFTER, chips=CHIPS, **CASH))


def at_a_table(house: House) -> None:
    house.ok("tables", "FR1", "ines", opening(house, AFTER))


@pytest.mark.parametrize(("begin", "where"), [(at_a_table, "at FR1"), (in_the_cage, "in the cage")])
def test_of_two_desks_that_begin_two_days_one_does(
    mornings: House, monkeypatch: pytest.MonkeyPatch, begin: Callable[[House], None], where: str
) -> None:
    """The later day begins while the earlier one is on its way into the store."""
    append, mine, other = mornings.store.append, mornings.desk, Desk(mornings.store, PROPERTY)

    def meanwhile(appends: Sequence[Append], keys: Sequence[Key] = ()) -> AppendResult:
        monkeypatch.setattr(mornings.store, "append", append)
        mornings.desk = other
        begin(mornings)
        mornings.desk = mine
        return append(appends, keys)

    monkeypatch.setattr(mornings.store, "append", meanwhile)
    denied = mornings.send("tables", "BJ1", "ines", opening(mornings, NEXT))[0]
    other.close()
    assert isinstance(denied, Problem)
    assert f"{AFTER} has begun {where}" in denied.detail
