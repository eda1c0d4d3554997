"""All that a search finds, oldest first, a piece at a time: as many events as there are, in constant memory."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from backoffice.queries.search.asked import Search
from backoffice.queries.search.conditions import base
from backoffice.queries.search.found import Found, everything

AT_ONCE = 1_000
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


def lines(asked: Search) -> Iterator[bytes]:
    """The events' own bytes, a line each: CloudEvents in JSON lines."""
    some: list[bytes] = []
    for found in everything(asked):
        some.append(found.raw)
        if len(some) == AT_ONCE:
            yield b"\n".join(some) + b"\n"
            some.clear()
    if some:
        yield b"\n".join(some) + b"\n"


def rows(asked: Search) -> Iterator[tuple[object, ...]]:
    """The cells of a sheet by COLUMNS; what an event does not say is empty. Amounts in minor units."""
    return (_cells(found) for found in everything(asked))


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
