"""Every table's day from the events of the property as stored, its boxes as the count room has settled them."""

from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from events import catalogue
from events.accounting import table_days_fold
from events.accounting.event_with_position import AccountingEvent
from events.accounting.win_report_lines import TableFigures, total_win_figures
from tests.support.houses.cage_house import Cashiers
from tests.support.houses.gaming_day_by_shift import adds_up, parts
from tests.support.houses.small_house import DAY

FLOAT = {"100": 1_000, "500": 1_000, "2500": 1_000}  # as `open_table` opens it


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cashiers]:
    """FR1 has run two shifts, each with a box of its own; 5.00 are missing at the close."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    made = Cashiers()
    made.grant("carl", "count")
    buyin = {"seat": 1, "player": "p-1", "amount_minor": 100_000}
    made.at_table("drop.put", drop_box="one")
    made.at_table("buyin.make", **buyin)
    tray = {**FLOAT, "2500": 960}
    made.at_table("shift.count", chips=tray, next_shift="night", drop_box="two", witness="sid")
    made.at_table("buyin.make", **buyin, tender="marker")
    made.at_table("session.close", closer={**FLOAT, "2500": 920, "500": 999})
    made.at_table("drop.remove", drop_box="two", witness="sid")
    yield made
    made.close()


def count(house: Cashiers, box: str, *people: str, **figures: Any) -> None:
    for kind, person in zip(("count.enter", "count.verify"), people, strict=True):
        house.ok("days", "", person, house.action(kind, table="FR1", drop_box=box, **figures))


def facts(house: Cashiers) -> list[AccountingEvent]:
    stored = house.store.after(0, 1_000)
    read = [(stored_event, catalogue.decode(stored_event.type, stored_event.raw)) for stored_event in stored]
    return [
        AccountingEvent(stored_event.position, stored_event.stream, event.actor, event.data)
        for stored_event, event in read
    ]


def figures(house: Cashiers) -> TableFigures:
    [figures_] = table_days_fold.of_gaming_day(reduce(table_days_fold.evolve, facts(house), {}), DAY)
    adds_up(figures_)
    return figures_


def test_boxes_are_as_the_count_room_has_settled_them(house: Cashiers) -> None:
    assert [shift.drop.counted for shift in figures(house).shifts] == [False, False]
    count(house, "one", "cora", "carl", cash={"5000": 20})
    assert [shift.drop.counted for shift in figures(house).shifts] == [True, False]
    count(house, "two", "cora", "carl", cash={}, marker_minor=99_000)
    figures_ = figures(house)
    first, second = figures_.shifts
    assert (first.drop.cash_minor, second.drop.marker_minor, figures_.day.drop.counted) == (100_000, 99_000, True)
    assert parts(figures_.day) == {"mispay": 0, "promotional": 0, "drop": -1_000, "inventory": -500, "rest": 0}
    assert figures_.day.inventory_win_minor == -1_500


def test_at_every_position_they_add_up(house: Cashiers) -> None:
    count(house, "one", "cora", "carl", cash={"5000": 20})
    days: table_days_fold.Days = {}
    for fact in facts(house):
        days = table_days_fold.evolve(days, fact)
        for day in table_days_fold.of_gaming_day(days, DAY):
            adds_up(day)
    assert table_days_fold.of_gaming_day(days, "2026-11-19") == []


def test_tables_add_up_to_the_house(house: Cashiers) -> None:
    day = figures(house).day
    both = total_win_figures([day, day])
    assert (both.event_win_minor, both.end_minor, both.parts.inventory_minor) == (
        0,
        2 * (day.end_minor or 0),
        2 * -500,
    )
    assert (both.drop.marker_minor, both.parts.drop_minor, both.parts.rest_minor) == (200_000, None, None)
