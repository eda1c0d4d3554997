"""Two counters at one box at once: one entry and one count, in either order."""

import itertools
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from events import catalogue
from events.store import everything, open_store
from events.streams.problem_details import Problem
from tests.support.houses.cage_house import Cashiers
from tests.support.houses.small_house import House, reopened_house

BOX = {"table": "FR1", "drop_box": "b-1"}
RIGHT = {"5000": 24}
PersonCommand = tuple[str, str, dict[str, int]]  # who sends what, with which notes


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    is_file = request.param == "sqlite"
    return f"sqlite:///{tmp_path / 'events.sqlite3'}" if is_file else str(request.getfixturevalue("postgres_url"))


def counting(url: str) -> Cashiers:
    """Return a house with a removed box and three counters."""
    house = Cashiers(open_store(url))
    house.grant("carl", "count")
    house.at_table("drop.put", drop_box="b-1")
    house.at_table("buyin.make", seat=1, player="p-1", amount_minor=120_000)
    house.ok("tables", "FR1", "sid", house.action("drop.remove", drop_box="b-1", witness="ines"))
    return house


def at_once(url: str, *commands: PersonCommand) -> list[Any]:
    """Send each action by a desk of its own, all at the same moment. Return the replies."""
    desks = [reopened_house(open_store(url)) for _ in commands]
    for number, desk in enumerate(desks, 1):
        desk.numbers = itertools.count(20_000_000 * number)
    start, replies = threading.Barrier(len(commands)), list[Any]()

    def work(desk: House, person: str, kind: str, cash: dict[str, int]) -> None:
        start.wait(timeout=60)
        replies.extend(desk.send("days", "", person, desk.action(kind, **BOX, cash=cash)))

    threads = [
        threading.Thread(target=work, args=(desk, *request)) for desk, request in zip(desks, commands, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    for desk in desks:
        desk.close()
    return replies


def counts(house: House) -> list[str]:
    return [event.type for event in everything(house.store) if event.type.startswith("count.")]


def refusals(replies: Sequence[Any]) -> list[str]:
    return [reply.detail for reply in replies if isinstance(reply, Problem)]


def test_of_two_first_counts_at_once_one_is_entered(url: str) -> None:
    house = counting(url)
    replies = at_once(url, ("cora", "count.enter", RIGHT), ("carl", "count.enter", {"5000": 23}))
    [why] = refusals(replies)
    assert "A second person must enter the verification count" in why
    assert counts(house) == ["count.entered.v1"]
    first = next(
        catalogue.decode(event.type, event.raw).data for event in everything(house.store, types=["count.entered.v1"])
    )
    other = "carl" if first.counter == "cora" else "cora"
    cash = RIGHT if first.counter == "cora" else {"5000": 23}
    house.ok("days", "", other, house.action("count.verify", **BOX, cash=cash))
    assert counts(house)[-1] == "count.settled.v1"
    house.close()


def test_of_two_second_counts_at_once_one_settles_it(url: str) -> None:
    house = counting(url)
    house.ok("days", "", "cora", house.action("count.enter", **BOX, cash=RIGHT))
    replies = at_once(url, ("carl", "count.verify", RIGHT), ("anna", "count.verify", {"5000": 1}))
    assert len(refusals(replies)) == 1
    assert len(counts(house)) == 2
    house.close()


def test_two_equal_recounts_at_once_settle_it_once(url: str) -> None:
    house = counting(url)
    house.ok("days", "", "cora", house.action("count.enter", **BOX, cash={"5000": 23}))
    house.ok("days", "", "carl", house.action("count.verify", **BOX, cash=RIGHT))
    replies = at_once(url, ("cora", "count.settle", RIGHT), ("carl", "count.settle", RIGHT))
    assert refusals(replies) == []
    assert counts(house) == ["count.entered.v1", "count.differed.v1", "count.settled.v1"]
    house.close()
