"""The demo's count room: every box is counted by two people, the second without sight of the first count.

In one of them the second counts a note too much; they count it once more, together.
"""

from datetime import datetime, timedelta
from typing import Any

from tools.demo.cage import DemoCage
from tools.demo.people_away_from_tables import COUNTERS, Desks
from tools.demo.table_base_class import DemoBox, DemoTable

NOTES = (50_000, 20_000, 10_000, 5_000, 2_000, 1_000)
A_BOX = timedelta(minutes=4)
MISCOUNTED = 1_000  # a note that the second counter sees twice
STUCK = 1_000  # a note that is found in the lid of a box, when the day is closed


def count(desks: Desks, cage: DemoCage, tables: list[DemoTable], miscounted: str, at: datetime) -> datetime:
    """All boxes of the day; when that was done."""
    for table in tables:
        for box in table.boxes:
            at += A_BOX
            _count(desks, table, box, MISCOUNTED if box.name == miscounted else 0, at)
            cage.take(box.cash, box.marker)
    return at


def _count(desks: Desks, table: DemoTable, box: DemoBox, too_much: int, at: datetime) -> None:
    desks.do("days", COUNTERS[0], "count.enter", box_count(table, box), at)
    desks.do("days", COUNTERS[1], "count.verify", box_count(table, box, too_much), at)
    if too_much:
        count_again(desks, table, box, 0, at)


def count_again(desks: Desks, table: DemoTable, box: DemoBox, extra_cash: int, at: datetime) -> None:
    """Settle the count together. `extra_cash`: additional cash now found."""
    desks.agreed("days", COUNTERS, "count.settle", box_count(table, box, extra_cash), at)


def box_count(table: DemoTable, box: DemoBox, extra_cash: int = 0) -> dict[str, Any]:
    """Return a count of a box."""
    return {
        "table": table.plan.name,
        "drop_box": box.name,
        "cash": _notes(box.cash + extra_cash),
        "marker_minor": box.marker,
        "promotional_minor": box.promotional,
    }


def _notes(amount: int) -> dict[str, int]:
    notes: dict[str, int] = {}
    for note in NOTES:
        count, amount = divmod(amount, note)
        notes |= {str(note): count} if count else {}
    assert not amount, "players buy in for whole tens"
    return notes
