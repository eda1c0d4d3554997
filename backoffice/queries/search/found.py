"""What a search finds: in order of position, in pages that go on from a position, none for longer than half a second.

The log is walked in windows of positions, each as wide as the ones before it were quick: a search that finds little
says how far it came, and goes on from there.
"""

import time
from collections.abc import Callable, Iterator

import msgspec
from django.db.models import Max

from backoffice.queries.search.asked import Search
from projections.eventlog.models import EventLog

PAGE = 50
PAGE_MAX = 500
WITHIN_S = 0.5
_ROWS = 1_000  # read at once
_WINDOW = 20_000  # positions that are looked through first
_WIDER = 8  # times the window before, at most


class Found(msgspec.Struct, frozen=True):
    """An event with its place in the store, and its own bytes."""

    position: int
    raw: bytes


class FoundPage(msgspec.Struct, frozen=True):
    """Events in order; `next` is the position to go on from, None where there is no more.

    `came_to` is the position up to which was looked where the time did not reach.
    """

    events: tuple[Found, ...]
    next: int | None = None
    came_to: int | None = None


class Step(msgspec.Struct, frozen=True):
    """What a piece of the log held, and the position up to which it was looked through; `is_last` of them."""

    found: tuple[Found, ...]
    came_to: int
    is_last: bool


def page(
    search: Search, *, newest: bool = True, after: int | None = None, size: int = PAGE, within_s: float = WITHIN_S
) -> FoundPage:
    """Events beyond a position, newest or oldest first."""
    clock = time.monotonic
    until, found = clock() + within_s, list[Found]()
    for step in steps(
        search, newest=newest, after=after, rows=size + 1 if search.is_exact else _ROWS, clock=clock, until=until
    ):
        found += step.found
        if len(found) > size:
            return FoundPage(tuple(found[:size]), next=found[size - 1].position)
        if not step.is_last and clock() >= until:
            return FoundPage(tuple(found), next=step.came_to, came_to=step.came_to)
    return FoundPage(tuple(found))


def everything(search: Search, *, newest: bool = False, after: int | None = None) -> Iterator[Found]:
    """All that a search finds, a piece at a time, for as long as it takes."""
    for step in steps(search, newest=newest, after=after):
        yield from step.found


def steps(
    search: Search,
    *,
    newest: bool,
    after: int | None = None,
    rows: int = _ROWS,
    clock: Callable[[], float] = time.monotonic,
    until: float | None = None,
) -> Iterator[Step]:
    """The log, a piece at a time. Windows become as wide as what is left of the time allows."""
    end = EventLog.objects.using(search.using).aggregate(end=Max("position"))["end"] or 0
    at = (end + 1 if newest else 0) if after is None else min(after, end + 1)
    width, begun = _WINDOW, clock()
    while (at > 1) if newest else (at < end):
        step, at = _step(search, at, width, end, newest=newest, rows=min(max(rows, 1), _ROWS))
        now = clock()
        width = _next_width(width, now - begun, None if until is None else until - now)
        begun = now
        yield step


def _next_width(width: int, took_s: float, left_s: float | None) -> int:
    """Wider where it went quickly, and not wider than there is time for."""
    wider = width * _WIDER
    if left_s is None:
        return wider
    return max(_WINDOW // 4, min(wider, int(width * max(left_s, 0) / max(took_s, 1e-6) / 2)))


def _step(search: Search, at: int, width: int, end: int, *, newest: bool, rows: int) -> tuple[Step, int]:
    """What the columns let through in this window, at most so many rows, looked at one by one."""
    edge = max(at - width, 1) if newest else min(at + width, end)
    inside = {"position__lt": at, "position__gte": edge} if newest else {"position__gt": at, "position__lte": edge}
    some = search.rows().filter(**inside).order_by("-position" if newest else "position")
    read = [(position, bytes(raw)) for position, raw in some.values_list("position", "raw")[:rows]]
    came_to = read[-1][0] if len(read) == rows else edge
    found = tuple(Found(position, raw) for position, raw in read if _is_meant(search, position, raw))
    return Step(found, came_to, is_last=came_to <= 1 if newest else came_to >= end), came_to


def _is_meant(search: Search, position: int, raw: bytes) -> bool:
    return search.is_exact or search.finds(position, msgspec.json.decode(raw))
