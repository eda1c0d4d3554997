"""The figures of a gaming day as lines of a sheet: amounts in minor units, empty where they are not known."""

from collections.abc import Iterator

from backoffice.days.day import DayPage
from backoffice.days.wins import WinLine

_FIGURES = (
    *("drop_minor", "inventory_win_minor", "event_win_minor", "difference_minor", "mispay_minor", "vouchers_minor"),
    *("drop_part_minor", "inventory_minor", "rest_minor", "undecided_minor"),
)
WINS = ("level", "name", "shift", "counted", *_FIGURES)


def wins(day: DayPage) -> Iterator[tuple[object, ...]]:
    """House, games, pits, tables and shifts."""
    if day.wins is None:
        return
    for line in (day.wins.house, *day.wins.games, *day.wins.pits):
        yield _row(line)
    for table, shifts in day.wins.tables:
        yield _row(table)
        yield from map(_row, shifts)


def _row(line: WinLine) -> tuple[object, ...]:
    amounts = [getattr(line, name) for name in _FIGURES]
    return (
        line.level,
        line.name,
        line.shift,
        line.is_counted,
        *("" if amount is None else amount for amount in amounts),
    )
