"""A drop box is under one table, and is counted before it is put under another (WA 615)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.store import EventStore, open_store
from tests.support.houses.cage_house import Cashiers
from tests.support.houses.small_house import types_of

BACKENDS = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> EventStore:
    if request.param == "postgres":
        return open_store(str(request.getfixturevalue("postgres_url")))
    return open_store(f"sqlite:///{tmp_path / 'events.sqlite3'}")


@pytest.fixture
def house(store: EventStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cashiers]:
    """FR1 and FR2 are open; the box b-1 is under FR1."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    made = Cashiers(store)
    made.grant("carl", "count")
    made.install("FR2", "roulette", "roulette-french")
    made.open_table("FR2")
    made.at_table("drop.put", drop_box="b-1")
    yield made
    made.close()


def at_other(house: Cashiers, kind: str, **data: Any) -> list[Any]:
    return house.ok("tables", "FR2", "ines", house.action(kind, **data))


def test_a_box_that_hangs_under_another_table_is_not_put(house: Cashiers) -> None:
    problem = house.no("tables", "FR2", "ines", house.action("drop.put", drop_box="b-1"))
    assert (problem.clause, problem.field) == ("house drop (WA 615)", "data.drop_box")
    assert "is at FR1" in problem.detail
    at_other(house, "drop.put", drop_box="b-2")


def test_nor_is_one_that_was_taken_away_and_not_counted(house: Cashiers) -> None:
    house.at_table("buyin.make", seat=1, player="p-1", amount_minor=5_000)
    house.at_table("drop.remove", drop_box="b-1", witness="sid")
    assert house.no("tables", "FR2", "ines", house.action("drop.put", drop_box="b-1")).status == 422
    for person, kind in (("cora", "count.enter"), ("carl", "count.verify")):
        count = house.action(kind, table="FR1", drop_box="b-1", cash={"5000": 1})
        house.ok("days", "", person, count)
    assert [event.type for event in at_other(house, "drop.put", drop_box="b-1")] == ["drop.put.v1"]


def test_nor_with_a_count_of_the_shift(house: Cashiers) -> None:
    at_other(house, "drop.put", drop_box="b-2")
    chips = {"100": 1_000, "500": 1_000, "2500": 1_000}
    count = house.action("shift.count", chips=chips, next_shift="night", witness="sid", drop_box="b-1")
    assert house.no("tables", "FR2", "ines", count).clause == "house drop (WA 615)"


def test_what_has_happened_is_recorded_with_an_irregularity(house: Cashiers) -> None:
    events = at_other(house, "drop.put", drop_box="b-1", _intent="fact")
    assert types_of(events) == ["drop.put.v1", "irregularity.recorded.v1"]
    assert (events[1].data.kind, events[1].data.clause) == ("box elsewhere", "house drop (WA 615)")


def test_the_same_name_at_the_same_table_is_no_other_tables(house: Cashiers) -> None:
    """A box that hangs at its own table is judged there."""
    problem = house.no("tables", "FR1", "ines", house.action("drop.put", drop_box="b-1"))
    assert problem.clause == "house drop (NIGC 542.31)"
