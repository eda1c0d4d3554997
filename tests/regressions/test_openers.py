"""A table whose opener differs from its last closer shows a discrepancy at once, by the bands of the house.

Counters learn the expected amount from no question.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from events.desk.command_and_answer_structs import Checked
from events.runtime.clock import house_clock
from events.store import open_store
from tests.support.houses.small_house import House, types_of

NEXT = "2026-11-21"
FLOAT = {"100": 1_000, "500": 1_000, "2500": 1_000}  # as `open_table` opens it
OTHER = {"100": 1_000, "500": 1_005, "2500": 999}  # of the same value


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    url = f"sqlite:///{tmp_path / 'events.sqlite3'}" if request.param == "sqlite" else "memory://"
    if request.param == "postgres":
        new: Callable[[], str] = request.getfixturevalue("new_database")
        url = new()
    house = House(open_store(url, house_clock()))
    house.open_table("FR1")
    yield house
    house.close()


def close(house: House, closer: dict[str, int]) -> list[Any]:
    return house.ok("tables", "FR1", "ines", house.action("session.close", closer=closer))


def open_on(house: House, day: str, opener: dict[str, int]) -> list[Any]:
    return house.ok("tables", "FR1", "ines", house.action("session.open", gaming_day=day, opener=opener))


def test_other_pieces_than_the_last_closer_s_are_found_at_the_opening(house: House) -> None:
    assert types_of(close(house, FLOAT)) == ["session.closed.v1"]
    opened, discrepancy = open_on(house, NEXT, OTHER)
    assert (opened.type, discrepancy.type) == ("session.opened.v1", "discrepancy.found.v1")
    assert (discrepancy.data.kind, discrepancy.data.expected_minor, discrepancy.data.found_minor) == (
        "opener",
        3_100_000,
        3_100_000,
    )
    assert (discrepancy.data.expected, discrepancy.data.counted) == (
        {500: 1_000, 2_500: 1_000},
        {500: 1_005, 2_500: 999},
    )


def test_a_day_that_is_void_is_no_day_before(house: House) -> None:
    close(house, FLOAT)
    assert types_of(open_on(house, NEXT, FLOAT)) == ["session.opened.v1"]
    house.agreed("tables", "FR1", ("ines", "sven"), house.action("session.void", reason="the wrong day"))
    [_, discrepancy] = open_on(house, NEXT, OTHER)
    assert (discrepancy.data.kind, discrepancy.subject) == ("opener", f"athens/tables/FR1/{NEXT}")


def test_what_is_found_is_banded_by_the_settings_of_the_house(house: House) -> None:
    change = house.action("setting.change", setting="reported_over_minor", value=100)
    house.agreed("house", "", ("anna", "sven"), change)
    *_, discrepancy = close(house, {**FLOAT, "100": 998})
    assert (discrepancy.data.kind, discrepancy.data.expected_minor - discrepancy.data.found_minor) == ("closer", 200)
    assert discrepancy.data.band == "reported"


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("session.close", {"closer": {"100": 1}}),
        ("table.count", {"chips": {"100": 1}, "witness": "dora"}),
        ("shift.count", {"chips": {"100": 1}, "witness": "dora", "next_shift": "night"}),
        ("session.roll", {"closer": {"100": 1}, "gaming_day": NEXT}),
    ],
)
def test_a_question_says_that_a_count_may_be_and_not_what_is_expected(
    house: House, kind: str, data: dict[str, Any]
) -> None:
    [reply] = house.send("tables", "FR1", "ines", house.action(kind, _intent="check", **data))
    assert isinstance(reply, Checked)
    assert list(reply.events) == []
    [problem] = house.send("tables", "FR1", "sven", house.action(kind, _intent="check", **data))
    assert getattr(problem, "status", None) == 403
