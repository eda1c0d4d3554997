"""The fold of a table's day by shift, over the events of a table of `tests.support.tables.in_memory_tables`."""

from collections.abc import Iterable, Iterator

from events.accounting import table_shifts_fold, win_report_lines
from events.accounting.drop_box_content_structs import Content
from events.accounting.table_shifts_fold import TableShifts
from events.accounting.win_report_lines import TableFigures, WinFigures
from events.envelope import EventData


def day_of(events: Iterable[EventData]) -> TableShifts:
    """The table's day after all of them."""
    *_, day = days_of(events)
    return day


def days_of(events: Iterable[EventData]) -> Iterator[TableShifts]:
    """The table's day after each of them."""
    day: TableShifts | None = None
    for event in events:
        day = table_shifts_fold.evolve(day, event)
        assert day is not None
        yield day


def counted(day: TableShifts, **boxes: Content) -> TableShifts:
    """Return the day with the contents of its counted boxes."""
    for name, content in boxes.items():
        day = table_shifts_fold.count_box(day, name, content)
    return day


def figures(day: TableShifts) -> TableFigures:
    """The lines of the report, which add up."""
    totals = win_report_lines.of_table(day)
    adds_up(totals)
    return totals


def adds_up(day: TableFigures) -> None:
    """Check that no difference is unexplained, and that shifts add up to the day, in each figure and in both wins."""
    for win in (*day.shifts, day.day):
        assert win.parts.rest_minor in (0, None), win
        is_over = win.inventory_win_minor is not None and win.drop.counted
        assert (win.parts.rest_minor is not None) == (is_over and day.recorded), win
        if win.parts.rest_minor is not None and win.event_win_minor is not None:
            parts = [getattr(win.parts, name) for name in win.parts.__struct_fields__]
            assert win.inventory_win_minor == win.event_win_minor + sum(parts)
    for before, after in zip(day.shifts, day.shifts[1:], strict=False):
        assert before.end_minor == after.begin_minor
    of_day = [day.day.begin_minor, day.day.end_minor, day.day.undecided_minor]
    last = day.shifts[-1]
    assert of_day == [day.shifts[0].begin_minor, last.end_minor, last.undecided_minor]
    for name in ("inventory_win_minor", "event_win_minor", "lost_minor", "due_minor", "fills_minor", "credits_minor"):
        assert_sum(day.shifts, day.day, name)
    for name in day.day.parts.__struct_fields__:
        assert_sum([shift.parts for shift in day.shifts], day.day.parts, name)


def assert_sum(several: Iterable[object], whole: object, name: str) -> None:
    each = [getattr(shift, name) for shift in several]
    assert getattr(whole, name) == (None if None in each else sum(each)), name


def parts(win: WinFigures) -> dict[str, int | None]:
    """Return the parts of the difference by name."""
    return {name.removesuffix("_minor"): getattr(win.parts, name) for name in win.parts.__struct_fields__}
