"""All that a search finds, oldest first, a piece at a time: as many events as there are, in constant memory."""

from collections.abc import Iterator, Sequence

import msgspec

from backoffice.surveillance.search.field_conditions import base
from backoffice.surveillance.search.paged_search_within_time_limit import FoundEvent, page, steps
from backoffice.surveillance.search.search_to_log_conditions import Search

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


def result_batches(search: Search, after: int, until: int) -> Iterator[tuple[tuple[FoundEvent, ...], int]]:
    """Yield the results behind one position up to another (0: the end), with the position that each piece reaches."""
    for step in steps(search, newest=False, after=after or None):
        if until and step.came_to >= until:
            yield tuple(event for event in step.events if event.position <= until), until
            return
        yield step.events, step.came_to


def is_short(search: Search) -> bool:
    """Return whether all results fit into one short page."""
    return page(search, newest=False, size=SHORT).next is None


def json_lines(events: Sequence[FoundEvent]) -> bytes:
    """Return the events' own bytes, a line each: CloudEvents in JSON lines."""
    return b"".join(event.raw + b"\n" for event in events)


def rows(events: Sequence[FoundEvent]) -> Iterator[tuple[object, ...]]:
    """Yield the cells of a sheet by COLUMNS; missing values are empty. Amounts in minor units."""
    for row in events:
        event = msgspec.json.decode(row.raw)
        of_data = (event["data"].get(column) for column in _DATA)
        yield (row.position, *(event.get(column) for column in _ENVELOPE), *of_data)


def file_name(search: Search) -> str:
    """Return the file's name without suffix; it names a single table, day, sum or type."""
    single = {
        clause.field: clause.values[0].text
        for clause in search.filters
        if len(clause.values) == 1 and not clause.negated
    }
    counted = search.counting.name if search.counting else ""
    parts = [single.get("table"), single.get("day", single.get("gaming_day")), counted, base(single.get("type", ""))]
    name = "".join(c if c.isascii() and (c.isalnum() or c in "-.") else "-" for c in "-".join(filter(None, parts)))
    return f"pitledger-events{'-' if name else ''}{name[:80]}"
