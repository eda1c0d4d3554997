"""Every table's gaming day by shift, as the property's events have it, its boxes as the count room has settled them.

A stream is a table's day. The fold has all days of a property, and a gaming day is a choice of them.
"""

from collections.abc import Mapping
from typing import Any

from events.accounting import report_rules_version_numbers, table_shifts_fold, win_report_lines
from events.accounting.drop_box_content_structs import Content
from events.accounting.event_types.soft_count import CountSettled
from events.accounting.event_with_position import AccountingEvent
from events.accounting.table_shifts_fold import TableShifts
from events.accounting.win_report_lines import TableFigures
from events.rules.chip_sums_by_denomination import worth
from events.runtime.cache_until_declarations_change import cached_until_forgotten

Days = Mapping[str, TableShifts]  # by stream


def stream_of(fact: AccountingEvent) -> str:
    """Return the stream of an event's table day: a box's count is in the stream of the count room."""
    data = fact.data
    if not isinstance(data, CountSettled):
        return fact.stream
    return f"{fact.stream.partition('/')[0]}/tables/{data.table}/{data.gaming_day}"


@cached_until_forgotten
def table_day_types() -> frozenset[type[Any]]:
    """The events that change a table's day."""
    return table_shifts_fold.table_shift_types() | {CountSettled}


def evolve_day(day: TableShifts | None, fact: AccountingEvent) -> TableShifts | None:
    """The day that an event is about, after it; None for one that is not open, or void."""
    if isinstance(fact.data, CountSettled):
        return _settle_count(day, fact.data)
    return table_shifts_fold.evolve(day, fact.data)


def evolve(days: Days, fact: AccountingEvent) -> Days:
    """The days after one more event of the property."""
    about = stream_of(fact)
    before = days.get(about)
    after = evolve_day(before, fact)
    if after is before:
        return days
    others = {stream: day for stream, day in days.items() if stream != about}
    return others if after is None else {**others, about: after}


def of_gaming_day(days: Days, gaming_day: str, layout: int = report_rules_version_numbers.LAST) -> list[TableFigures]:
    """The lines of the report about the tables of a gaming day, by name."""
    return win_report_lines.tables((day for day in days.values() if day.gaming_day == gaming_day), layout)


def _settle_count(day: TableShifts | None, count: CountSettled) -> TableShifts | None:
    """The last count of a box replaces earlier ones."""
    if day is None:
        return None
    content = Content(
        cash=worth(count.counted.cash),
        marker=count.counted.marker_minor,
        promotional=count.counted.promotional_minor,
        chips=worth(count.counted.chips),
    )
    return table_shifts_fold.count_box(day, count.drop_box, content)
