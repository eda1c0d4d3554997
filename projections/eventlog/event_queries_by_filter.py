"""Finding events by any mix of filters: in the log, by its columns; in the store itself, by reading it."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from events.store import EventReader, everything
from projections.eventlog.models import EventLog
from projections.eventlog.search_filter_vocabulary import VOCABULARY

PAGE = 1_000
Filters = Mapping[str, Any]  # by name: a value, or a list of which one is meant
Found = tuple[int, bytes]  # position and the event's own bytes


def in_log(filters: Filters, after: int = 0, until: int | None = None, using: str = "default") -> Iterator[Found]:
    """Events of the log beyond a position, oldest first: a query a page, none deeper than its page."""
    rows = EventLog.objects.using(using).filter(
        *(VOCABULARY[name].asks(_wanted(value)) for name, value in filters.items())
    )
    if until is not None:
        rows = rows.filter(position__lte=until)
    while page := list(rows.after(after).values_list("position", "raw")[:PAGE]):
        for position, raw in page:
            yield position, bytes(raw)
        after = page[-1][0]


def in_store(store: EventReader, filters: Filters, after: int = 0) -> Iterator[Found]:
    """Return the same from the store, by type, from a position to its end."""
    types = _wanted(filters.get("type", ()))
    for event in everything(store, after, types):
        if _matches(event.raw, filters):
            yield event.position, event.raw


def _wanted(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _matches(raw: bytes, filters: Filters) -> bool:
    if not filters:
        return True
    try:
        event = msgspec.json.decode(raw)
        return all(VOCABULARY[name].finds(event, _wanted(value)) for name, value in filters.items())
    except (msgspec.DecodeError, AttributeError, KeyError, TypeError):
        return False  # a record that is no event is found without filters only
