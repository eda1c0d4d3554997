"""Processes are killed while they close or restate a gaming day, or ten processes do it at once.

The day is closed once, with its own figures, and restated once.
"""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec import Raw

from events.accounting.event_types.day_close import DayAmended, DayClosed
from events.accounting.report import day_reports, ledger_cache_for_day_close
from events.desk.command_and_answer_structs import Answer, Command, Reply
from events.envelope import Action, Who
from events.errors import Conflict
from events.store import EventStore, everything, open_store
from events.store.stream_chain_verification import verify
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import DAY, PROPERTY, House, reopened_house
from tests.support.houses.worked_day import WorkedDay
from tests.support.processes.killed_process import (
    Where,
    before_it_answers,
    before_it_commits,
    before_it_writes,
    done_and_died,
    opened,
)

ANNA = Who(person="anna", roles=frozenset(), factor_s=0)
CLOSING = Action(type="day.close", data=Raw(b"{}"), key="close-1")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A day that can be closed, in a file."""
    folder = tmp_path_factory.mktemp("played")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PITLEDGER_DATA", str(folder / "data"))
        play(f"sqlite:///{folder / 'events.sqlite3'}")
    return folder


def play(url: str) -> None:
    house = WorkedDay(open_store(url))
    house.play()
    house.close()


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a separate store with that day."""
    if request.param == "sqlite":
        shutil.copytree(request.getfixturevalue("played"), tmp_path / "house")
        monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "house" / "data"))
        return f"sqlite:///{tmp_path / 'house' / 'events.sqlite3'}"
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    made_: str = request.getfixturevalue("new_database")()
    play(made_)
    return made_


def closings(store: EventStore) -> list[bytes]:
    return [event.raw for event in everything(store, types=(DayClosed.TYPE,))]


def is_closed_once(house: House) -> None:
    store = house.store
    assert len(closings(store)) == 1
    assert verify(store).findings == []
    report = day_reports.make(store, PROPERTY, DAY, store.position())
    assert (report.basis.status, report.is_as_said) == ("closed", True)
    late = house.no("days", "", "anna", house.action("day.close"))
    assert "is closed" in late.detail


@pytest.mark.parametrize(
    ("url", "where", "stands"),
    [
        ("sqlite", before_it_writes, 0),
        ("sqlite", before_it_commits, 0),
        ("sqlite", before_it_answers, 1),
        pytest.param("postgresql", before_it_commits, 0, marks=pytest.mark.postgres),
    ],
    indirect=["url"],
)
def test_a_close_that_was_killed_is_done_or_not_and_asked_again_it_is_done_once(
    url: str, where: Where, stands: int
) -> None:
    done_and_died(url, PROPERTY, Command(Target("days", ""), (CLOSING,), ANNA), where)
    house = reopened_house(opened(url))
    already = closings(house.store)
    assert len(already) == stands
    [answer] = house.send("days", "", "anna", CLOSING)
    assert isinstance(answer, Answer)
    assert [bytes(event.event) for event in answer.events] == (already or closings(house.store))
    is_closed_once(house)
    house.close()


def to_be_restated(url: str) -> Action:
    """Close the day, count a box again, ask for a restatement, and return its approval."""
    house = reopened_house(opened(url))
    house.ok("days", "", "anna", CLOSING)
    recount = house.action("count.settle", table="FR1", drop_box="two", cash={"1000": 119})
    _, settled, discrepancy = house.agreed("days", "", ("cora", "carl"), recount)[-3:]
    asking = house.action("day.amend", events=[settled.id, discrepancy.id], reason="a note lay in the machine")
    [requested] = house.ok("days", "", "anna", asking)
    house.close()
    return house.action(
        "approval.give", _key="agreed-1", request=requested.data.request, content=requested.data.content
    )


@pytest.mark.parametrize(
    ("url", "where", "stands"),
    [
        ("sqlite", before_it_writes, 0),
        ("sqlite", before_it_answers, 1),
        pytest.param("postgresql", before_it_commits, 0, marks=pytest.mark.postgres),
    ],
    indirect=["url"],
)
def test_a_restatement_that_was_killed_is_done_or_not_and_asked_again_it_is_done_once(
    url: str, where: Where, stands: int
) -> None:
    agreed = to_be_restated(url)
    sid = Who(person="sid", roles=frozenset(), factor_s=0)
    done_and_died(url, PROPERTY, Command(Target("days", ""), (agreed,), sid), where)
    house = reopened_house(opened(url))
    assert len([*everything(house.store, types=(DayAmended.TYPE,))]) == stands
    [answer] = house.send("days", "", "sid", agreed)
    assert isinstance(answer, Answer)
    assert len([*everything(house.store, types=(DayAmended.TYPE,))]) == 1
    report = day_reports.make(house.store, PROPERTY, DAY, house.store.position())
    assert (report.basis.status, report.basis.restatement, report.is_as_said) == ("restated", 1, True)
    assert verify(house.store).findings == []
    house.close()


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_who_restates_a_day_that_another_process_closed_folds_it_before_anybody_waits(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fold begins at a snapshot after the close. Under the lock, the process reads only newer events."""
    approval = to_be_restated(url)
    house = reopened_house(opened(url))
    accounts = ledger_cache_for_day_close.cached_ledger(house.store, PROPERTY)
    accounts.catch_up(house.store)
    accounts.closed = {}  # as who begins at such a snapshot has it
    monkeypatch.setattr(day_reports, "made_of", lambda *_: pytest.fail("the store is folded while everybody waits"))
    assert isinstance(house.send("days", "", "sid", approval)[0], Answer)
    house.close()


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_of_ten_who_close_it_at_once_one_does_and_the_others_are_told(url: str) -> None:
    houses = [reopened_house(opened(url)) for _ in range(10)]
    with ThreadPoolExecutor(10) as people:
        replies = [*people.map(close, houses, range(10))]
    assert sum(isinstance(reply, Answer) for reply in replies) == 1
    assert all("is closed" in reply.detail for reply in replies if isinstance(reply, Problem))
    is_closed_once(houses[0])
    for house in houses:
        house.close()


def close(house: House, number: int) -> Reply:
    """Return the reply to a close. It is sent again while other processes are faster."""
    while True:
        try:
            return house.send("days", "", "anna", house.action("day.close", _key=f"close-{number}"))[0]
        except Conflict:
            continue
