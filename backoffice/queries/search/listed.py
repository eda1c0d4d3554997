"""A page of what a search finds, as people read it: forwards and backwards from a position."""

from collections.abc import Sequence

import msgspec

from backoffice.queries.currencies import Places
from backoffice.queries.search.asked import Search
from backoffice.queries.search.found import PAGE, Found, FoundPage, page
from backoffice.queries.search.question import Question
from backoffice.queries.search.readable import Row, row


class Listed(msgspec.Struct, frozen=True):
    """Rows in their order; `before` and `after` are positions to go on from, towards older and newer events, None where
    there are no more. `came_to` is the position up to which was looked where the time did not reach."""

    rows: tuple[Row, ...]
    before: int | None
    after: int | None
    came_to: int | None


def listed(asked: Search, question: Question, known: Places, size: int = PAGE, within_s: float | None = None) -> Listed:
    """The page that is asked for. `known`: currencies by place."""
    is_back = (question.after if question.is_newest_first else question.before) is not None
    newest = question.is_newest_first != is_back
    start = question.after if not newest else question.before
    hits = page(asked, newest=newest, after=start, size=size, within_s=within_s)
    events = hits.events[::-1] if is_back else hits.events
    older, newer = _ends(hits, newest=newest, start=start)
    adds = _adds(asked, events)
    rows = tuple(row(one, known, adds.get(one.position)) for one in events)
    return Listed(rows, older, newer, hits.came_to)


def _ends(found: FoundPage, *, newest: bool, start: int | None) -> tuple[int | None, int | None]:
    """From where older events go on, and newer ones: behind a page there are some where it did not begin at an end."""
    first = found.events[0].position if found.events else found.next
    back = first if start is not None else None
    return (found.next, back) if newest else (back, found.next)


def _adds(asked: Search, events: Sequence[Found]) -> dict[int, int]:
    """What each event adds to the sum that is asked for. One query, or none."""
    if asked.counting is None:
        return {}
    some = asked.looked_at().filter(position__in=[one.position for one in events])
    columns = ("position", "counts")
    return dict(some.values_list(*columns))
