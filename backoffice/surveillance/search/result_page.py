"""A page of a search's results for people: forwards and backwards from a position."""

from collections.abc import Sequence

import msgspec

from backoffice.surveillance.search.address import SearchQuestion
from backoffice.surveillance.search.event_rows import EventRow, row
from backoffice.surveillance.search.hits import PAGE, FoundEvent, ResultPage, page
from backoffice.surveillance.search.query import Search
from backoffice.wording.currencies import Places


class ResultList(msgspec.Struct, frozen=True):
    """Rows in their order; `before` and `after` are positions from which to continue, None at the end.

    `before` leads to older events, `after` to newer ones. `came_to` is the position reached within the time.
    """

    rows: tuple[EventRow, ...]
    before: int | None
    after: int | None
    came_to: int | None


def listed(
    search: Search, question: SearchQuestion, known: Places, size: int = PAGE, until: float | None = None
) -> ResultList:
    """Return the requested page. `known`: currencies by place."""
    is_back = (question.after if question.is_newest_first else question.before) is not None
    newest = question.is_newest_first != is_back
    start = question.after if not newest else question.before
    hits = page(search, newest=newest, after=start, size=size, until=until)
    events = hits.events[::-1] if is_back else hits.events
    older, newer = _ends(hits, newest=newest, start=start)
    adds = _adds(search, events)
    rows = tuple(row(event, known, adds.get(event.position)) for event in events)
    return ResultList(rows, older, newer, hits.came_to)


def _ends(found_page: ResultPage, *, newest: bool, start: int | None) -> tuple[int | None, int | None]:
    """Return the positions from which older and newer events follow; None past the end at which a page begins."""
    first = found_page.events[0].position if found_page.events else found_page.next
    back = first if start is not None else None
    return (found_page.next, back) if newest else (back, found_page.next)


def _adds(search: Search, events: Sequence[FoundEvent]) -> dict[int, int]:
    """Return the amount that each event adds to the search's sum. One query, or none."""
    if search.counting is None:
        return {}
    page_rows = search.looked_at().filter(position__in=[event.position for event in events])
    columns = ("position", "counts")
    return dict(page_rows.values_list(*columns))
