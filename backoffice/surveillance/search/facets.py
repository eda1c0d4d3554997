"""Facets of a search by type, table, dealer and player: of the newest ten thousand events, in half a second."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, TypeAlias

import msgspec

from backoffice.surveillance.search.field_conditions import base
from backoffice.surveillance.search.grammar import quoted
from backoffice.surveillance.search.paged_search_within_time_limit import FoundEvent, search_deadline, steps
from backoffice.surveillance.search.search_to_log_conditions import Search

AT_MOST = 10_000  # events are counted
SHOWN = 8  # values of each
FIELDS = ("type", "table", "dealer", "player")
Counts: TypeAlias = dict[str, Counter[str]]


class Facet(msgspec.Struct, frozen=True):
    """The number of events with a value; `clause` is the part of a search that finds them."""

    value: str
    events: int
    clause: str


class Facets(msgspec.Struct, frozen=True):
    """The most frequent values of each field among the newest `events`; not `is_complete` where there are more."""

    events: int
    is_complete: bool
    by: dict[str, tuple[Facet, ...]]


def facets(search: Search, at_most: int = AT_MOST, within_s: float | None = None) -> Facets:
    """Return the facets of the newest events, within a bounded number of events and a bounded time."""
    counts: Counts = {field: Counter() for field in FIELDS}
    events = 0
    for event in _newest(search, within_s):
        if event is None or events == at_most:
            return Facets(events, False, _largest_facets(counts))
        events += 1
        _count(counts, event)
    return Facets(events, True, _largest_facets(counts))


def _newest(search: Search, within_s: float | None) -> Iterator[FoundEvent | None]:
    """Yield the newest events; None when the time is up."""
    until = search_deadline(within_s)
    for step in steps(search, newest=True, until=until):
        yield from step.events
        if step.is_cut_off(until):
            yield None
            return


def _count(counts: Counts, event_bytes: FoundEvent) -> None:
    """Count an event's values. Unreadable, tampered bytes count as an event with no values."""
    try:
        event: Mapping[str, Any] = msgspec.json.decode(event_bytes.raw)
        facet_values = {"type": base(event["type"])} | {field: event["data"].get(field) for field in FIELDS[1:]}
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError):
        return
    for field, value in facet_values.items():
        if isinstance(value, str) and value:
            counts[field][value] += 1


def _largest_facets(counts: Counts) -> dict[str, tuple[Facet, ...]]:
    return {field: tuple(islice(_ordered(field, counter), SHOWN)) for field, counter in counts.items()}


def _ordered(field: str, counts: Counter[str]) -> Iterator[Facet]:
    for value, events in sorted(counts.items(), key=lambda value_and_count: (-value_and_count[1], value_and_count[0])):
        yield Facet(value, events, f"{field}:{quoted(value)}")
