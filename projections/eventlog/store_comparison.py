"""The event log against the store: it holds each event's own bytes, in another database."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db import connections
from django.db.models import Model

from events.integrity.copy_comparison import CopyComparison, compare
from events.store import EventReader
from projections.engine.models import PoisonedEvent, Reader, WaitingEvent
from projections.eventlog.models import EventLog
from projections.eventlog.projector import EventLogProjector

CHUNK = 5_000


def log_against(store: EventReader, using: str = "default") -> CopyComparison:
    """Compare the log and its quarantined events with the store, up to the log's position. Reads only."""
    there = connections[using].introspection.table_names()
    if EventLog._meta.db_table not in there or Reader._meta.db_table not in there:
        return CopyComparison(0, 0, [])
    reader = Reader.objects.using(using).filter(projection=EventLogProjector.name).first()
    return compare(store, _batches(using), "log", reader.position if reader else 0)


def _batches(using: str) -> Iterator[dict[int, bytes]]:
    position = 0
    while pairs := _next_rows(using, position):
        yield dict(pairs)
        position = pairs[-1][0]


def _next_rows(using: str, position: int) -> list[tuple[int, bytes]]:
    """Return the next rows of the log, and the events quarantined in between."""
    rows = EventLog.objects.using(using).filter(position__gt=position).order_by("position")
    pairs = _pairs(rows.values_list("position", "raw")[:CHUNK])
    until = pairs[-1][0] if len(pairs) == CHUNK else None
    for model in (PoisonedEvent, WaitingEvent):
        pairs += _aside(model, using, position, until)
    return sorted(pairs)


def _aside(model: type[Model], using: str, position: int, until: int | None) -> list[tuple[int, bytes]]:
    rows = model._default_manager.using(using).filter(projection=EventLogProjector.name, position__gt=position)
    if until is not None:
        rows = rows.filter(position__lte=until)
    return _pairs(rows.values_list("position", "raw"))


def _pairs(rows: Iterable[tuple[Any, ...]]) -> list[tuple[int, bytes]]:
    return [(position, bytes(raw)) for position, raw in rows]
