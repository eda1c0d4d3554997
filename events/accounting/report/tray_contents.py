"""Content of the trays now: the last count of any kind, and the movements since.

The count of a close is final: later events of the table do not move the tray.
"""

from collections.abc import Mapping
from typing import Any

from events.accounting.table_shifts_fold import TableShifts
from events.tables.event_types.counts import ShiftCounted, TableCounted
from events.tables.event_types.session import SessionClosed, SessionOpened, SessionRolled
from events.tables.moved_amount_declarations import TRAY_COUNT, figure

SurplusByStream = dict[str, int]  # by stream: surplus of the last count over the expected amount of the shift
_BEGINS = (SessionOpened, ShiftCounted)  # the next shift begins with the counted tray
_COUNTS = (TableCounted, SessionClosed, SessionRolled)
TYPES = (*_BEGINS, *_COUNTS)


def note(beyond: SurplusByStream, stream: str, day: TableShifts | None, data: Any) -> None:
    """Take an event of a table; `day` is the table's day after it."""
    if isinstance(data, _BEGINS):
        beyond[stream] = 0
    elif isinstance(data, _COUNTS) and day is not None:
        beyond[stream] = figure(data, TRAY_COUNT) - day.last.expected


def tray(beyond: SurplusByStream, stream: str, day: TableShifts) -> int:
    """Return the content of the tray, in minor units."""
    if day.is_closed and day.last.end is not None:
        return day.last.end
    return day.last.expected + beyond.get(stream, 0)


def latest_day_streams(days: Mapping[str, TableShifts]) -> dict[str, str]:
    """The stream of every table's last gaming day, by table."""
    streams: dict[str, str] = {}
    for stream, day in sorted(days.items(), key=lambda entry: entry[1].gaming_day):
        streams[day.table] = stream
    return streams


def total_minor(beyond: SurplusByStream, days: Mapping[str, TableShifts]) -> int:
    """All trays of the house, in minor units."""
    return sum(tray(beyond, stream, days[stream]) for stream in latest_day_streams(days).values())
