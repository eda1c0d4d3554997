"""Results of a search: in order of position, in pages by position, none slower than half a second.

The log is read in pieces, each as wide as the speed of the earlier ones allows. A search with few results returns its
position, and continues from there. One deadline ends all of it: the choice of the walk, and each statement on it.
"""

import logging
from collections.abc import Iterator, Sequence

import msgspec

from backoffice.surveillance.search import deadline_of_database_statements
from backoffice.surveillance.search.index_walks import Row
from backoffice.surveillance.search.position_spans_to_search import last_log_position
from backoffice.surveillance.search.search_to_log_conditions import Search

log = logging.getLogger(__name__)

PAGE = 50
PAGE_MAX = 500
WITHIN_S = 0.4  # the rest of half a second is for reading the search and for writing the answer
_ROWS = 1_000  # read at once
_FIRST = 4_000  # rows that are looked through first
_WIDER = 8  # times the window before, at most
_NARROWER = 16  # times, where the first window takes too long
_NARROWEST = 64  # rows, which are read in any time
_WIDEST = 2**24  # rows


class FoundEvent(msgspec.Struct, frozen=True):
    """An event with its place in the store, and its own bytes."""

    position: int
    raw: bytes


class ResultPage(msgspec.Struct, frozen=True):
    """Events in order; `next` is the position from which to continue, None at the end.

    `came_to` is the position reached within the time.
    """

    events: tuple[FoundEvent, ...]
    next: int | None = None
    came_to: int | None = None


class SearchStep(msgspec.Struct, frozen=True):
    """Events found in one part of the log, and the position that the search has reached.

    `is_last`: it is the last part. `is_cut`: the time was over.
    """

    events: tuple[FoundEvent, ...]
    came_to: int
    is_last: bool
    is_cut: bool = False

    def is_cut_off(self, until: float) -> bool:
        """Return whether more may follow, and the time is up."""
        return self.is_cut or (not self.is_last and deadline_of_database_statements.monotonic_time() >= until)


def search_deadline(within_s: float | None = None) -> float:
    """Return the time at which a search stops."""
    return deadline_of_database_statements.monotonic_time() + (WITHIN_S if within_s is None else within_s)


def page(
    search: Search, *, newest: bool = True, after: int | None = None, size: int = PAGE, until: float | None = None
) -> ResultPage:
    """Events beyond a position, newest or oldest first. `until`: deadline of the whole question (`search_deadline`)."""
    until, events = search_deadline() if until is None else until, list[FoundEvent]()
    for step in steps(search, newest=newest, after=after, rows=size + 1, until=until):
        events += step.events
        if len(events) > size:
            return ResultPage(tuple(events[:size]), next=events[size - 1].position)
        if step.is_cut_off(until):
            return ResultPage(tuple(events), next=step.came_to, came_to=step.came_to)
    return ResultPage(tuple(events))


def all_matches(search: Search, *, newest: bool = False, after: int | None = None) -> Iterator[FoundEvent]:
    """All that a search finds, a piece at a time, for as long as it takes."""
    for step in steps(search, newest=newest, after=after):
        yield from step.events


def explain_search(search: Search) -> list[str]:
    """The walk that a search takes for its newest page, and the database's plan for it."""
    walk = search.walk(last_log_position(search.using) + 1, newest=True)
    within = walk.stretch
    at = within.start(last_log_position(search.using) + 1)
    where = f"{walk.description}, from position {at - 1:,} down to {within.low:,}"
    return [where, *walk.database_plan(at, _FIRST, PAGE)]


def steps(
    search: Search, *, newest: bool, after: int | None = None, rows: int = _ROWS, until: float | None = None
) -> Iterator[SearchStep]:
    """Yield the log in pieces, as wide as the remaining time allows.

    The first is always read, so that every page makes progress. It is narrower where a wide one takes too long. The
    narrowest is read by position, in any time.
    """
    walk, at, width, is_first, began_at = None, 0, _FIRST, True, deadline_of_database_statements.monotonic_time()
    while walk is None or not walk.stretch.is_end(at):
        try:
            with deadline_of_database_statements.limited(
                search.using, _first_limit(width, until) if is_first else until
            ):
                if walk is None:
                    walk = search.walk(after, newest=newest)
                    at = walk.stretch.start(after)
                    if walk.stretch.is_end(at):
                        return
                read_rows, came_to = walk.read_matches(at, width, rows)
                matching_rows = _matching(search, read_rows)
        except deadline_of_database_statements.OutOfTime:
            if not is_first:
                yield SearchStep((), at, is_last=False, is_cut=True)
                return
            width = width // _NARROWER if walk else 0
            if width < _NARROWEST:
                walk, width = search.walk_by_position(newest=newest), _NARROWEST
                at = walk.stretch.start(after)
            continue
        at, now, is_first = came_to, deadline_of_database_statements.monotonic_time(), False
        if len(read_rows) < rows:  # nothing kept it from being wider
            width = min(_next_width(width, now - began_at, None if until is None else until - now), _WIDEST)
        else:
            rows = min(rows * _WIDER, _ROWS)
        began_at = now
        yield SearchStep(matching_rows, at, is_last=walk.stretch.is_end(at))


def _first_limit(width: int, until: float | None) -> float | None:
    """Return when the first window ends: with half of the time left. The narrowest has no limit."""
    return (
        None if until is None or width <= _NARROWEST else (deadline_of_database_statements.monotonic_time() + until) / 2
    )


def _next_width(width: int, took_s: float, left_s: float | None) -> int:
    """Wider where it went quickly, and not wider than there is time for."""
    wider = width * _WIDER
    if left_s is None:
        return wider
    return max(_FIRST // 4, min(wider, int(width * max(left_s, 0) / max(took_s, 1e-6) / 2)))


def _matching(search: Search, read: Sequence[Row]) -> tuple[FoundEvent, ...]:
    if search.is_exact:
        return tuple([FoundEvent(position, raw) for position, raw in read])
    return tuple([FoundEvent(position, raw) for position, raw in read if _is_meant(search, position, raw)])


def _is_meant(search: Search, position: int, raw: bytes) -> bool:
    """Return whether the event matches. Unreadable bytes do not: `verify` reports them, and a search passes them."""
    try:
        return search.matches_event(position, msgspec.json.decode(raw))
    except (msgspec.DecodeError, LookupError, TypeError, ValueError):
        log.warning("the event at position %d cannot be read", position)
        return False
