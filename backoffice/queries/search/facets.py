"""What a search finds, counted by type, table, dealer and player: of the newest ten thousand, in half a second."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec

from backoffice.queries.search.asked import Search
from backoffice.queries.search.conditions import base
from backoffice.queries.search.found import WITHIN_S, steps
from backoffice.queries.search.grammar import quoted

AT_MOST = 10_000
SHOWN = 10  # values of each
FIELDS = ("type", "table", "dealer", "player")


class Facet(msgspec.Struct, frozen=True):
    """So many events say this; `clause` is the part of a search that finds them."""

    value: str
    events: int
    clause: str


class Facets(msgspec.Struct, frozen=True):
    """The most frequent values of each field among `events`; not `is_complete` where the search finds more."""

    events: int
    is_complete: bool
    by: dict[str, tuple[Facet, ...]]


def facets(asked: Search, at_most: int = AT_MOST, within_s: float = WITHIN_S) -> Facets:
    """Counted among the newest; one query where the log's columns say everything."""
    counts: dict[str, Counter[str]] = {field: Counter() for field in FIELDS}
    events, is_complete = 0, True
    for some in _by_columns(asked, at_most) if asked.is_exact else _by_events(asked, within_s):
        if some is None or events == at_most:
            is_complete = False
            break
        events += 1
        for field, value in zip(FIELDS, some, strict=True):
            if value is not None:
                counts[field][base(value) if field == "type" else value] += 1
    return Facets(events, is_complete, {field: _most(field, found) for field, found in counts.items()})


def _by_columns(asked: Search, at_most: int) -> Iterator[tuple[str | None, ...] | None]:
    yield from asked.rows().order_by("-position").values_list(*FIELDS)[: at_most + 1]


def _by_events(asked: Search, within_s: float) -> Iterator[tuple[str | None, ...] | None]:
    """None where the time is up."""
    until = time.monotonic() + within_s
    for step in steps(asked, newest=True, until=until):
        for found in step.found:
            event: Mapping[str, Any] = msgspec.json.decode(found.raw)
            yield event["type"], *(event["data"].get(field) for field in FIELDS[1:])
        if not step.is_last and time.monotonic() >= until:
            yield None
            return


def _most(field: str, counts: Counter[str]) -> tuple[Facet, ...]:
    some = islice(sorted(counts.items(), key=lambda one: (-one[1], one[0])), SHOWN)
    return tuple(Facet(value, events, f"{field}:{quoted(value)}") for value, events in some)
