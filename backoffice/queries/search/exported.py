"""All that a search finds, oldest first, a piece at a time: as many events as there are, in constant memory."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from backoffice.queries.search.asked import Search
from backoffice.queries.search.conditions import base
from backoffice.queries.search.found import Found, page, steps

SHORT = 10_000  # events
_ENVELOPE = ("id", "time", "type", "actor", "actorrole", "actordevice", "correlation", "causation")
_DATA: tuple[str, ...] = (
    "pit",
    "table",
    "gaming_day",
    "shift",
    "round",
    "dealer",
    "inspector",
    "seat",
    "box",
    "player",
)
_DATA += ("wager", "outcome", "amount_minor", "tender", "ruleset", "corrects")
COLUMNS = ("position", *_ENVELOPE, *_DATA)


def pieces(asked: Search, after: int, until: int) -> Iterator[tuple[tuple[Found, ...], int]]:
    """Yield what is found behind one position up to another (0: the end), with the position that each piece reaches."""
    for step in steps(asked, newest=False, after=after or None):
        found = step.found
        if until and step.came_to >= until:
            yield tuple(event for event in found if event.position <= until), until
            return
        yield found, step.came_to


def is_short(asked: Search) -> bool:
    """Return whether all that is found fits into one short look."""
    return page(asked, newest=False, size=SHORT).next is None


def lines(found: Sequence[Found]) -> bytes:
    """Return the events' own bytes, a line each: CloudEvents in JSON lines."""
    return b"".join(event.raw + b"\n" for event in found)


def rows(found: Sequence[Found]) -> Iterator[tuple[object, ...]]:
    """The cells of a sheet by COLUMNS; what an event does not say is empty. Amounts in minor units."""
    return map(_cells, found)


def _cells(found: Found) -> tuple[object, ...]:
    event = msgspec.json.decode(found.raw)
    data: Mapping[str, Any] = event["data"]
    return (found.position, *(event.get(one) for one in _ENVELOPE), *(data.get(one) for one in _DATA))


def file_name(asked: Search) -> str:
    """Without suffix: what is one table's, one day's, one sum's or one type's says so."""
    single = {
        clause.field: clause.values[0].text
        for clause in asked.filters
        if len(clause.values) == 1 and not clause.negated
    }
    counted = asked.counting.name if asked.counting else ""
    parts = [single.get("table"), single.get("day", single.get("gaming_day")), counted, base(single.get("type", ""))]
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-.") else "-" for c in "-".join(filter(None, parts)))
    return f"pitledger-events{'-' if kept else ''}{kept[:80]}"
