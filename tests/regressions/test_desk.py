"""Faults of the desk that were found once, most of them by the simulation."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import Any

import pytest

from events.desk import Answer, Command, Desk, Reply
from events.envelope import Action, Who
from events.errors import Retry, Stale
from events.store import Append, Key, Written
from events.store.memory import MemoryStore
from events.streams import Target
from events.tables import session
from tests.house import PROPERTY, House

NEXT = "2026-11-21"
CHIPS = {"100": 10}


class Failing(MemoryStore):
    """Raises what it was told to, one error an append, before anything is written."""

    def __init__(self) -> None:
        super().__init__()
        self.errors: list[Exception] = []

    def append(self, appends: Sequence[Append], keys: Sequence[Key] = ()) -> Written:
        if self.errors:
            raise self.errors.pop(0)
        return super().append(appends, keys)


@pytest.fixture
def house() -> Iterator[House]:
    house = House(Failing())
    house.open_table("FR1")
    yield house
    house.close()


def ask(desk: Desk, house: House, person: str, *actions: Action, table: str = "FR1") -> list[Reply]:
    return desk.do(Command(Target("tables", table), actions, Who(person=person, roles=frozenset())))


def test_what_the_store_did_not_take_leaves_no_state_behind_when_it_was_decided_alone(house: House) -> None:
    assert isinstance(house.store, Failing)
    house.store.errors = [Stale("another process wrote"), Retry("the store does not answer")]
    opening, version = house.action("round.open"), house.store.head(f"{PROPERTY}/tables/FR1/2026-11-20").version
    with pytest.raises(Retry):
        ask(house.desk, house, "dora", opening)
    first = ask(house.desk, house, "dora", opening)[0]
    assert isinstance(first, Answer)
    assert first.events[0].position == house.store.position()
    assert house.store.keys([opening.key])[opening.key].first == version + 1
    again = ask(house.desk, house, "dora", opening)[0]
    assert isinstance(again, Answer)
    assert (again.events, again.repeated) == (first.events, True)


def test_the_opening_of_a_day_that_was_refused_does_not_move_the_table_there(house: House) -> None:
    house.ok("tables", "FR1", "ines", house.action("session.close", closer=CHIPS))
    denied = house.no("tables", "FR1", "dora", house.action("session.open", gaming_day=NEXT, opener=CHIPS))
    assert denied.status == 403
    removed = house.ok("tables", "FR1", "ines", house.action("drop.remove", drop_box="b1"))
    assert removed[0].subject == f"{PROPERTY}/tables/FR1/2026-11-20"


def test_an_opening_taken_back_with_its_request_does_not_move_the_table_either(house: House) -> None:
    house.ok("tables", "FR1", "ines", house.action("session.close", closer=CHIPS))
    opening = house.action("session.open", gaming_day=NEXT, opener=CHIPS)
    house.no("tables", "FR1", "ines", opening, house.action("round.open"))
    removed = house.ok("tables", "FR1", "ines", house.action("drop.remove", drop_box="b1"))
    assert removed[0].subject == f"{PROPERTY}/tables/FR1/2026-11-20"


def test_a_day_opened_and_closed_in_one_request_is_the_tables_latest(house: House) -> None:
    house.ok("tables", "FR1", "ines", house.action("session.close", closer=CHIPS))
    opening = house.action("session.open", gaming_day=NEXT, opener=CHIPS)
    closing, box = house.action("session.close", closer=CHIPS), house.action("drop.remove", drop_box="b2")
    events = house.ok("tables", "FR1", "ines", opening, closing, box)
    assert {event.subject for event in events} == {f"{PROPERTY}/tables/FR1/{NEXT}"}


def test_of_two_days_opened_in_one_request_the_second_waits_for_the_first_to_close(house: House) -> None:
    house.ok("tables", "FR1", "ines", house.action("session.close", closer=CHIPS))
    days = [house.action("session.open", gaming_day=day, opener=CHIPS) for day in (NEXT, "2026-11-22")]
    problem = house.no("tables", "FR1", "ines", *days)
    assert (problem.status, problem.index) == (422, 1)
    assert f"still open for {NEXT}" in problem.detail


def test_a_desk_notices_the_day_that_another_desk_has_opened(house: House) -> None:
    other = Desk(house.store, PROPERTY)
    try:
        limits = house.action("limits.post", minimum_minor=1_000, maxima_minor={})
        assert isinstance(ask(other, house, "ines", limits)[0], Answer)
        closed = ask(house.desk, house, "ines", house.action("session.close", closer=CHIPS))
        opened = ask(house.desk, house, "ines", house.action("session.open", gaming_day=NEXT, opener=CHIPS))
        assert all(isinstance(reply, Answer) for reply in (*closed, *opened))
        posted = ask(other, house, "ines", house.action("limits.post", minimum_minor=500, maxima_minor={}))[0]
        assert isinstance(posted, Answer), posted
        assert house.store.head(f"{PROPERTY}/tables/FR1/{NEXT}").version == 2
    finally:
        other.close()


def test_what_is_taken_back_with_its_request_does_not_hide_what_another_desk_wrote(house: House) -> None:
    """The first action of the request stands where the other desk's event is: seed 10 of the pipeline."""
    other = Desk(house.store, PROPERTY)
    try:
        seen = house.action("buyin.make", seat=1, player="p", amount_minor=100)
        assert isinstance(ask(other, house, "dora", seen)[0], Answer)
        house.ok("tables", "FR1", "dora", house.action("round.open"))
        buyin = house.action("buyin.make", seat=1, player="p", amount_minor=100)
        replies = ask(other, house, "dora", buyin, house.action("ball.launch", wheel="cw", ball="ccw"))
        assert [type(reply) for reply in replies] == [Answer, Answer]
    finally:
        other.close()


def test_a_day_that_another_desk_has_closed_does_not_keep_the_next_from_opening(house: House) -> None:
    other = Desk(house.store, PROPERTY)
    try:
        limits = house.action("limits.post", minimum_minor=1_000, maxima_minor={})
        assert isinstance(ask(other, house, "ines", limits)[0], Answer)
        closed = ask(house.desk, house, "ines", house.action("session.close", closer=CHIPS))[0]
        assert isinstance(closed, Answer), closed
        opened = ask(other, house, "ines", house.action("session.open", gaming_day=NEXT, opener=CHIPS))[0]
        assert isinstance(opened, Answer), opened
    finally:
        other.close()


def test_a_key_that_stands_twice_in_one_request_is_named(house: House) -> None:
    same = house.action("round.open", _key="twice")
    problem = house.no("tables", "FR1", "dora", same, same)
    assert problem.status == 409
    assert "twice stands twice in one request" in problem.detail


def test_a_command_that_breaks_the_desk_does_not_take_others_with_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ordinary = session.decide

    def decide(state: Any, action: Action, data: Any, who: Who) -> Any:
        if action.key == "broken":
            raise RuntimeError("a mistake of ours")
        return ordinary(state, action, data, who)

    monkeypatch.setattr(session, "decide", decide)
    house.open_table("BJ1")
    asked: list[tuple[Command, Future[list[Reply]]]] = []
    for table, key in (("FR1", "broken"), ("BJ1", "whole")):
        action = house.action("round.open", _key=key)
        asked.append((Command(Target("tables", table), (action,), Who(person="dora", roles=frozenset())), Future()))
    desk = Desk(house.store, PROPERTY)
    desk.serve(asked)
    assert isinstance(asked[0][1].exception(), Retry)
    assert isinstance(asked[1][1].result()[0], Answer)
