"""Results of people made again from the store, compared with the posted ones, and put in their place."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from django.db import transaction

from events.errors import Poison
from events.store import EventStore
from events.tables.event_types.session import SessionOpened
from projections.engine.rebuild import RebuildDiffers, RebuildProgress, RebuildResult
from projections.engine.table_copies import RowDifference
from projections.people.models import HourResult, Result, RoundResult
from projections.people.people_results_row_posting import (
    NAME,
    VERSION,
    PeopleResultsPosting,
    TableDayResultRows,
    fold_day,
)

SAMPLE = 20  # differences that are shown
_MODELS: tuple[type[RoundResult] | type[HourResult], ...] = (RoundResult, HourResult)
Rows = dict[str, tuple[Any, ...]]


def rebuild(
    store: EventStore, property_: str, tell: Callable[[RebuildProgress], None], *, approve: bool, using: str = "default"
) -> RebuildResult:
    """Make every table's day again. Raises RebuildDiffers where posted rows are others, unless it is approved.

    Rows of another version, or of another history of the store, are posted again first.
    """
    began_s = time.monotonic()
    posting = PeopleResultsPosting(store, property_, using)
    posting.catch_up()
    streams, differences, poisoned = _streams(store, property_), list[RowDifference](), 0
    for number, stream in enumerate(streams):
        tell(RebuildProgress(NAME, number, len(streams), number, time.monotonic() - began_s))
        try:
            differences += _day(store, stream, posting.position, using, approve=approve)
        except Poison:
            poisoned += 1
    if differences and not approve:
        message = f"the rebuilt {NAME} differs from the live one of version {VERSION} in {len(differences)} rows"
        raise RebuildDiffers(f"{message}: --approve switches anyway", differences[:SAMPLE])
    rows = {model.__name__: model.objects.using(using).count() for model in _MODELS}
    seconds = time.monotonic() - began_s
    return RebuildResult(NAME, posting.position, posting.position, poisoned, seconds, rows, differences)


def _streams(store: EventStore, property_: str) -> list[str]:
    """Return the streams of all tables' gaming days."""
    streams, at = dict[str, None](), 0
    while events := store.after(at, 1_000, (SessionOpened.TYPE,)):
        at = events[-1].position
        streams |= dict.fromkeys(event.stream for event in events)
    return [stream for stream in streams if stream.startswith(f"{property_}/tables/")]


def _day(store: EventStore, stream: str, position: int, using: str, *, approve: bool) -> list[RowDifference]:
    """Return the differences of a table's day; where they are approved its rows are replaced."""
    day = fold_day(store, stream, position)
    with transaction.atomic(using=using):
        live = {model: _rows(model, stream, using) for model in _MODELS}
        if approve:
            TableDayResultRows(stream, day, is_whole=True).write(using)
            rebuilt_rows = {model: _rows(model, stream, using) for model in _MODELS}
        else:
            columns = {model: [field.attname for field in model._meta.concrete_fields] for model in _MODELS}
            rounds = [msgspec.structs.asdict(share) for share in day.rounds()]
            rebuilt_rows = {
                model: {row["id"]: tuple(row[name] for name in columns[model]) for row in rows}
                for model, rows in ((RoundResult, rounds), (HourResult, [*day.hours()]))
            }
    return [difference for model in _MODELS for difference in _differences(model, live[model], rebuilt_rows[model])]


def _rows(model: type[RoundResult] | type[HourResult], stream: str, using: str) -> Rows:
    columns = [field.attname for field in model._meta.concrete_fields]
    key = columns.index("id")
    rows = model.objects.using(using).filter(stream=stream).values_list(*columns)
    return {row[key]: row for row in rows}


def _differences(model: type[Result], live: Rows, made: Rows) -> Iterator[RowDifference]:
    columns = [field.attname for field in model._meta.concrete_fields]
    for key in sorted({*live, *made}):
        before, after = live.get(key), made.get(key)
        if before is None or after is None:
            yield RowDifference(model.__name__, key, None, "copy" if before is None else "live")
        elif before != after:
            pairs = zip(columns, before, after, strict=True)
            yield RowDifference(
                model.__name__, key, {name: (old, new) for name, old, new in pairs if old != new}, "both"
            )
