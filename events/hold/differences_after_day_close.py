"""Events of a gaming day after its close: in no figure of that day until a restatement names them (`day.amend`).

The day is shown as at its close, or as last restated. Later events count in the sums to date of the day on which they
came, as "of earlier days". The journal does the same (`events/accounting/journal`).
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from events.hold.drop_win_hold_handle_sums import Amounts, HoldEntry, added, less

Firsts = Sequence[tuple[str, int]]  # gaming days in their order, each with the position of its first event


class ClosedDayReport(msgspec.Struct, frozen=True, kw_only=True):
    """A closed day with events that no report has.

    It has its last report, and the gaming day on which the first of them came ("": before that day has begun).
    """

    entries: tuple[HoldEntry, ...]
    came: str


def apart(entries: Iterable[HoldEntry], reports: Mapping[str, ClosedDayReport]) -> Iterator[HoldEntry]:
    """Yield the tables' entries: closed days by their last report, and the later differences apart."""
    now: dict[str, list[HoldEntry]] = {day: [] for day in reports}
    for entry in entries:
        if entry.day in now:
            now[entry.day].append(entry)
        else:
            yield entry
    for day, report in reports.items():
        yield from report.entries
        if report.came:
            yield from _since(now[day], report)


def _since(now: Iterable[HoldEntry], report: ClosedDayReport) -> Iterator[HoldEntry]:
    """Table by table."""
    tables: dict[str, tuple[list[HoldEntry], list[HoldEntry]]] = {}
    for side, entries in enumerate((now, report.entries)):
        for entry in entries:
            tables.setdefault(entry.of["table"], ([], []))[side].append(entry)
    for after, before in tables.values():
        difference = less(added(entry.amounts for entry in after), added(entry.amounts for entry in before))
        if difference != Amounts():
            of = (after or before)[0].of
            yield HoldEntry(day=report.came, shift="", of=of, amounts=difference, is_late=True)


def came_on(days: Firsts, day: str, position: int, until: str) -> str:
    """The gaming day on which an event came for a closed one: not before the next; "" where that has not begun by
    `until`."""
    names = [name for name, _ in days]
    place = max(bisect_right([first for _, first in days], position) - 1, names.index(day) + 1)
    return names[place] if place < len(names) and names[place] <= until else ""
