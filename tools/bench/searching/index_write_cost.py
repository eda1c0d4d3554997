"""Cost of each index for the writer of the log: microseconds an event, on a fresh log, with it and without."""

from collections.abc import Sequence
from itertools import islice
from statistics import median
from time import perf_counter

from django.db import connections
from django.db.models import Index

from projections.engine.bulk_writer import WriteTarget
from projections.eventlog.models import EventLog
from tools.bench.searching.long_log_generation import Row, empty, insert

BATCH = 1_000
TURNS = 3


def costs(using: str, rows: Sequence[Row]) -> dict[str, float]:
    """Of the table with its key ("none"), and of each index and of the table of words beside that; the medians of
    turns."""
    for index in EventLog._meta.indexes:
        _change(using, index, is_there=False)
    taken: dict[str, list[float]] = {}
    for _ in range(TURNS):
        taken.setdefault("none", []).append(_written(using, rows))
        taken.setdefault("words", []).append(_written(using, rows, with_words=True))
        for index in EventLog._meta.indexes:
            _change(using, index, is_there=True)
            taken.setdefault(index.name, []).append(_written(using, rows))
            _change(using, index, is_there=False)
    for index in EventLog._meta.indexes:
        _change(using, index, is_there=True)
    each = {name: median(times) for name, times in taken.items()}
    return {name: times - (each["none"] if name != "none" else 0) for name, times in each.items()}


def _change(using: str, index: Index, *, is_there: bool) -> None:
    with connections[using].schema_editor() as editor:
        (editor.add_index if is_there else editor.remove_index)(EventLog, index)


def _written(using: str, rows: Sequence[Row], *, with_words: bool = False) -> float:
    """In batches as the projector's; microseconds an event."""
    empty(using)
    target, rest = WriteTarget(using), iter(rows)
    begun = perf_counter()
    while some := list(islice(rest, BATCH)):
        insert(target, some, with_words=with_words)
    return (perf_counter() - begun) / len(rows) * 1e6
