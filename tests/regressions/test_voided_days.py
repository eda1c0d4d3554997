"""A slip of the hand in the gaming day keeps no table closed: that day is void by two people, the right one opens."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from events.desk.desk import Desk
from events.envelope import AnyEnvelope
from events.people.approval_request_lifecycle import ApprovalRequested
from events.runtime.clock import house_clock
from events.store import open_store
from events.store.stream_chain_verification import verify
from events.streams.problem_details import Problem
from events.tables.event_types.session import SessionVoided
from tests.support.houses.small_house import PROPERTY, House

RIGHT, WRONG = "2026-11-20", "2026-11-21"
CHIPS = {"100": 10}


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    url = f"sqlite:///{tmp_path / 'events.sqlite3'}" if request.param == "sqlite" else "memory://"
    if request.param == "postgres":
        new: Callable[[], str] = request.getfixturevalue("new_database")
        url = new()
    house = House(open_store(url, house_clock()))
    house.ok("tables", "FR1", "ines", house.action("session.open", gaming_day=WRONG, opener=CHIPS))
    yield house
    house.close()


def void(house: House, table: str = "FR1") -> Any:
    request = house.ok("tables", table, "ines", house.action("session.void", reason="tomorrow's date"))[-1].data
    assert isinstance(request, ApprovalRequested)
    approval = house.action("approval.give", request=request.request, content=request.content)
    return house.ok("tables", table, "sven", approval)[-1].data


def opens(house: House, day: str) -> None:
    house.ok("tables", "FR1", "ines", house.action("session.open", gaming_day=day, opener={"500": 7}))


def plays(house: House) -> list[AnyEnvelope]:
    """A round is opened, with all that it needs."""
    house.ok(
        "tables",
        "FR1",
        "ines",
        house.action("limits.post", minimum_minor=500, maxima_minor={}),
        house.action("staff.assign", post="dealer", person="dora"),
        house.action("staff.assign", post="inspector", person="ines"),
    )
    return house.ok("tables", "FR1", "dora", house.action("round.open"))


def test_the_right_day_opens_after_it_and_is_the_current_one(house: House) -> None:
    assert isinstance(void(house), SessionVoided)
    opens(house, RIGHT)
    events = plays(house)
    assert events[-1].subject == f"{PROPERTY}/tables/FR1/{RIGHT}"


def test_so_it_is_where_the_table_was_closed_again(house: House) -> None:
    house.ok("tables", "FR1", "ines", house.action("session.close", closer={"100": 9}))
    voided = void(house)
    assert (voided.opener_minor, voided.closer_minor, voided.variance_minor) == (1_000, 900, -100)
    opens(house, RIGHT)


def test_the_void_day_itself_opens_when_its_time_comes(house: House) -> None:
    void(house)
    opens(house, RIGHT)
    house.ok("tables", "FR1", "ines", house.action("session.close", closer={"500": 7}))
    opens(house, WRONG)
    again = plays(house)[-1]
    assert (again.subject, again.data.round) == (f"{PROPERTY}/tables/FR1/{WRONG}", 1)


def test_the_void_day_is_rolled_into_when_its_time_comes(house: House) -> None:
    """The stream of the void day exists already, and continues its own chain."""
    void(house)
    opens(house, RIGHT)
    plays(house)
    house.agreed("tables", "FR1", ("ines", "sven"), house.action("round.void", round=1, reason="nobody played"))
    house.ok("tables", "FR1", "ines", house.action("session.roll", gaming_day=WRONG, closer={"500": 7}))
    assert house.ok("tables", "FR1", "dora", house.action("round.open"))[-1].data.gaming_day == WRONG
    assert verify(house.store).findings == []


def test_after_a_second_mistake_the_table_opens_still(house: House) -> None:
    void(house)
    for day in ("2026-11-19", RIGHT, "2026-11-19", WRONG):
        opens(house, day)
        void(house)
    opens(house, RIGHT)
    assert plays(house)[-1].data.gaming_day == RIGHT


def test_a_process_that_reads_it_afresh_sees_the_same(house: House) -> None:
    void(house)
    opens(house, RIGHT)
    house.desk.close()
    house.desk = Desk(house.store, PROPERTY)
    assert plays(house)[-1].data.gaming_day == RIGHT


def test_one_person_is_not_enough_and_a_void_day_takes_nothing(house: House) -> None:
    house.ok("tables", "FR1", "ines", house.action("session.void", reason="tomorrow's date"))
    plays(house)
    assert house.no("tables", "FR1", "ines", house.action("session.void", reason="again")).clause == "house void"


def test_nothing_is_done_on_a_void_day(house: House) -> None:
    void(house)
    buyin = house.action("buyin.make", seat=1, player="p", amount_minor=500)
    assert "not open" in house.no("tables", "FR1", "dora", buyin).detail


def test_where_money_has_moved_or_a_round_was_opened_it_is_closed_and_counted_instead(house: House) -> None:
    house.ok("tables", "FR1", "dora", house.action("buyin.make", seat=1, player="p", amount_minor=100))
    refused = house.no("tables", "FR1", "ines", house.action("session.void", reason="too late"))
    assert (refused.clause, refused.code) == ("house void", "day-not-voidable")
    assert "without a round and without money moved" in refused.detail


def test_two_desks_open_two_days_after_one_void_and_one_of_them_does(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    void(house)
    other, append = Desk(house.store, PROPERTY), house.store.append
    mine = house.desk

    def meanwhile(appends: Any, keys: Any = ()) -> Any:
        monkeypatch.setattr(house.store, "append", append)
        house.desk = other
        opens(house, WRONG)
        house.desk = mine
        return append(appends, keys)

    monkeypatch.setattr(house.store, "append", meanwhile)
    opening = house.action("session.open", gaming_day=RIGHT, opener=CHIPS)
    denied = house.send("tables", "FR1", "ines", opening)[0]
    other.close()
    assert isinstance(denied, Problem)
    assert "still open for" in denied.detail
