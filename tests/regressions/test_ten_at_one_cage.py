"""Ten people work at one cage and on one gaming day, after one process was killed.

No slip number is missing or used twice, each box is counted once, and no one waits for the killed process.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.desk.command_and_answer_structs import Answer, Command, Reply
from events.envelope import Action, Who
from events.errors import Conflict, Retry
from events.store import EventStore, everything, open_store
from events.store.stream_chain_verification import verify
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import PROPERTY, House, reopened_house
from tests.support.houses.worked_day import WorkedDay, chips
from tests.support.processes.killed_process import before_it_commits, done_and_died, opened

PEOPLE = 10
BOXES = ("one", "two", "three", "four", "five")


def begun(url: str) -> list[Action]:
    """Ten cashiers and counters, as many fills asked for as it has people, boxes that wait; the fills' issues."""
    house = WorkedDay(open_store(url))
    for number in range(PEOPLE):
        house.grant(f"c-{number}", "cage" if number < PEOPLE // 2 else "count")
    house.begin()
    issues = []
    for _ in range(PEOPLE):
        request = house.lead("fill.request", chips=chips(5_000))[0].data
        issues.append(
            house.action("slip.issue", _key=f"issue-{request.request}", request=request.request, runner="sid")
        )
    for box in BOXES:
        house.lead("drop.put", drop_box=box)
        house.lead("drop.remove", drop_box=box, witness="sid")
    house.close()
    return issues


def answered(house: House, kind: str, person: str, action: Action) -> Reply:
    """Return the reply to an action. It is sent again while other processes are faster."""
    while True:
        try:
            [reply] = house.send(kind, "", person, action)
        except (Conflict, Retry):
            continue
        if not isinstance(reply, Problem) or reply.status not in (429, 503):
            return reply


def work(url: str, number: int, issues: Sequence[Action]) -> list[Reply]:
    """Work as one person: a cashier issues two slips, and a counter enters and verifies the count of a box."""
    house, person = reopened_house(opened(url)), f"c-{number}"
    try:
        if number < PEOPLE // 2:
            return [answered(house, "cage", person, issue) for issue in issues]
        box: dict[str, Any] = {"table": "FR1", "drop_box": BOXES[number - PEOPLE // 2], "cash": {"500": 1}}
        kinds = ("count.enter", "count.verify")
        return [
            answered(house, "days", person, house.action(issue, _key=f"{person}-{issue}", **box)) for issue in kinds
        ]
    finally:
        house.close()


def numbers(store: EventStore) -> list[int]:
    return [msgspec.json.decode(event.raw)["data"]["slip"] for event in everything(store, types=("slip.issued.v1",))]


@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def test_ten_at_once_leave_no_gap(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    url = f"sqlite:///{tmp_path / 'events.sqlite3'}"
    if database == "postgresql":
        url = request.getfixturevalue("new_database")()
    issues = begun(url)
    cashier = Who(person="c-0", roles=frozenset(), factor_s=0)
    done_and_died(url, PROPERTY, Command(Target("cage", ""), (issues[0],), cashier), before_it_commits)
    with ThreadPoolExecutor(PEOPLE) as people:
        replies = [*people.map(lambda person: work(url, person, issues[2 * person : 2 * person + 2]), range(PEOPLE))]
    assert all(isinstance(answer, Answer) for both in replies[: PEOPLE // 2] for answer in both)
    entered = [both[0] for both in replies[PEOPLE // 2 :]]
    assert all(isinstance(answer, Answer) for answer in entered)
    assert all(isinstance(both[1], Problem) for both in replies[PEOPLE // 2 :])  # nobody verifies what he counted
    store = open_store(url)
    assert numbers(store) == [*range(1, PEOPLE + 1)]
    assert len([*everything(store, types=("count.entered.v1",))]) == len(BOXES)
    assert verify(store).findings == []
    store.close()
