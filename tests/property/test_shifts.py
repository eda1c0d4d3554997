"""A table's day by shift, after every event of days of any game.

The expected tray and the unsettled bets are those of the decider. Shifts add up to the day, and no shift has an
unexplained part.
"""

from random import Random

import pytest
from hypothesis import given, settings

from events.accounting import table_shifts_fold
from events.accounting.drop_box_content_structs import Content
from events.accounting.table_shifts_fold import TableShifts
from tests.property.test_rolled_days import NEXT, until_it_can_roll
from tests.property.test_tables import SEEDS, TABLES, act, some_step
from tests.property.test_tables_money import chips, mispay, money_moves
from tests.support.houses.gaming_day_by_shift import counted, figures
from tests.support.tables.in_memory_tables import TableInMemory


class FoldedTableDay:
    """A table whose day is folded event by event. `out` is the difference that its counts have found."""

    def __init__(self, table: TableInMemory, *, has_boxes: bool) -> None:
        self.table = table
        self.day: TableShifts | None = None
        self.taken = 0
        self.out = 0
        self.boxes: list[str] = []
        self.has_boxes = has_boxes
        if has_boxes:
            self.new_box()

    def new_box(self) -> None:
        self.table.lead("drop.put", drop_box=self.box())

    def box(self) -> str:
        self.boxes.append(f"box{len(self.boxes)}")
        return self.boxes[-1]

    def follow(self) -> TableShifts:
        """Apply the new events. After each event, the lines add up."""
        for event in self.table.events[self.taken :]:
            self.day = table_shifts_fold.evolve(self.day, event)
            assert self.day is not None
            figures(self.day)
        self.taken = len(self.table.events)
        assert self.day is not None
        return self.day

    def agrees(self) -> None:
        """Assert that the folded day agrees with the decider's state."""
        day, state = self.follow(), self.table.state
        if state.status == "open":
            assert day.last.expected + self.out == state.float_minor
            assert day.lying == sum(bet.stake for bet in state.bets.values())
            assert day.last.name == state.shift

    def count(self, random: Random) -> None:
        """Make a count at the end of a shift, or an interim count. Some counts are short or over."""
        expected = self.table.state.float_minor
        out = random.choice((0, 0, -2_500, 700))
        if expected + out < 0:
            return
        tray_count = {"chips": chips(expected + out), "witness": "sam"}
        if random.random() < 0.5:
            self.table.lead("table.count", **tray_count)
            self.out += out
            return
        if self.has_boxes and random.random() < 0.8:
            tray_count["drop_box"] = self.box()
        self.table.lead("shift.count", next_shift=f"s{len(self.table.state.shifts)}", **tray_count)
        self.out = 0
        if self.has_boxes and "drop_box" not in tray_count:
            self.table.lead("drop.remove", drop_box=self.table.state.box, witness="sam")
            self.new_box()


def play(random: Random, followed: FoldedTableDay, name: str) -> None:
    table, choose = followed.table, TABLES[name][1]
    for number in range(60):
        act(random, table, some_step(random, table, choose, number))
        if random.random() < 0.05:
            mispay(random, table)
        if number % 20 == 19:
            money_moves(random, table, slip=number)
        if random.random() < 0.06:
            followed.count(random)
        followed.agrees()


def content(random: Random, day: TableShifts, name: str) -> Content:
    """Return the content of a box: the recorded amounts, or others."""
    [box] = [box for shift in day.shifts for box in shift.boxes if box.name == name]
    out = random.choice((0, 0, -1_000, 300))
    recorded = box.recorded
    return Content(recorded.cash + out, recorded.marker, recorded.promotional, random.choice((0, 0, 500)))


@pytest.mark.parametrize("name", TABLES)
@settings(max_examples=25, deadline=None)
@given(random=SEEDS)
def test_at_every_position_the_shifts_add_up(name: str, random: Random) -> None:
    followed = FoldedTableDay(TABLES[name][0](), has_boxes=random.random() < 0.5)
    table = followed.table
    play(random, followed, name)
    until_it_can_roll(random, table)
    if table.state.float_minor < 100_000:
        table.lead("fill.receive", slip=9_000, chips=chips(200_000 - table.state.float_minor))
    out = random.choice((0, -2_500))
    lying = sum(bet.stake for bet in table.state.bets.values())
    after = table.roll(NEXT, **chips(table.state.float_minor + out))
    day = followed.follow()
    assert (day.last.undecided, day.is_closed) == (lying, True)
    figures_ = figures(counted(day, **{box: content(random, day, box) for box in followed.boxes}))
    assert figures_.day.drop.counted == followed.has_boxes
    next_day = FoldedTableDay(after, has_boxes=False)
    next_day.agrees()
    assert (next_day.follow().last.begin, next_day.follow().lying) == (day.last.end, lying)
