"""The log: pages of events newest first, one event with its place in the chain, exports, totals."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.db.models import Count, Q, QuerySet, Sum

from backoffice.queries import currencies
from backoffice.queries.filters import Filters
from events.envelope import digest, first_prev
from events.settings import settings
from projections.eventlog.models import EventLog

PAGE = 50
PAGE_MAX = 500
TOTAL_AT_ONCE = 5_000
TOTAL_MAX = 500_000
AGREES_S = 5  # what a device and the house may differ by
EXPORT_BATCH = 1_000
_COLUMNS = (
    "position",
    "stream",
    "version",
    "type",
    "time",
    "table",
    "gaming_day",
    "round",
    "dealer",
    "seat",
    "box",
    "player",
    "amount_minor",
    "actor",
    "actorrole",
    "correlation",
)


class Row(msgspec.Struct, frozen=True):
    """An event in a list. `counts_minor` is what it adds to the sum that was asked for."""

    position: int
    stream: str
    version: int
    type: str
    time: datetime
    table: str | None
    gaming_day: str | None
    round: int | None
    dealer: str | None
    seat: int | None
    box: int | None
    player: str | None
    amount_minor: int | None
    actor: str
    actorrole: str
    correlation: str | None
    counts_minor: int | None = None
    currency: str = ""

    @property
    def id(self) -> str:
        """`STREAM@VERSION`."""
        return f"{self.stream}@{self.version}"


class Page(msgspec.Struct, frozen=True):
    """A page of the log, newest first; `older` and `newer` are positions to go on from, None where there is no more."""

    rows: tuple[Row, ...]
    older: int | None
    newer: int | None


class Totals(msgspec.Struct, frozen=True):
    """How many events a filter finds and what they sum to; not `complete` where there are more than were counted."""

    events: int
    amount_minor: int
    complete: bool
    currencies: tuple[str, ...] = ()


class Chained(msgspec.Struct, frozen=True):
    """An event with its place in its stream's chain. `linked` is None where the event before is not in the log."""

    row: Row
    raw: bytes
    digest: str
    prev: str
    recordedat: datetime
    linked: bool | None
    before: int | None
    after: int | None

    @property
    def late_s(self) -> int:
        """By how much the device's clock was behind when it was recorded, where they disagree: else 0."""
        late_s = round((self.recordedat - self.row.time).total_seconds())
        return late_s if late_s > AGREES_S else 0


def page(
    filters: Filters,
    before: int | None = None,
    after: int | None = None,
    size: int = PAGE,
    known: Mapping[str, str] | None = None,
) -> Page:
    """A keyset page: below a position, above one, or the newest. One query.

    `known` are the currencies by place, where the caller has looked them up already.
    """
    found = filters.matching()
    columns = (*_COLUMNS, "counts") if filters.sum else _COLUMNS
    if after is not None:
        some = found.filter(position__gt=after).order_by("position")
    elif before is not None:
        some = found.filter(position__lt=before).order_by("-position")
    else:
        some = found.order_by("-position")
    known = currencies.by_place() if known is None else known
    rows = [_row(known, values) for values in some.values_list(*columns)[: size + 1]]
    more, rows = len(rows) > size, rows[:size]
    if after is not None:
        rows.reverse()
    has_older, has_newer = (True, more) if after is not None else (more, before is not None)
    older = rows[-1].position if rows and has_older else None
    newer = rows[0].position if rows and has_newer else None
    return Page(tuple(rows), older, newer)


def _row(known: Mapping[str, str], values: Sequence[Any]) -> Row:
    row = Row(*values)
    return msgspec.structs.replace(row, currency=currencies.of_stream(known, row.stream))


def totals(filters: Filters, at_most: int) -> Totals:
    """Count and sum over what the filter finds, over `at_most` events of it. One query."""
    column = "counts" if filters.sum else "amount_minor"
    some = filters.looked_at().values("position", column)[: at_most + 1]
    counts = ~Q(counts=0) if filters.sum else None
    found = some.aggregate(all=Count("position"), events=Count("position", filter=counts), amount=Sum(column))
    return Totals(min(found["events"], at_most), int(found["amount"] or 0), found["all"] <= at_most)


def event(position: int) -> Chained | None:
    """One event, checked against the one before it, in its stream or the one that was rolled into it. Three queries."""
    found = EventLog.objects.filter(position=position, stream__startswith=f"{settings().property_}/").first()
    if found is None:
        return None
    raw = bytes(found.raw)
    stream = EventLog.objects.filter(stream=found.stream)
    follows, prev = _follows(raw)
    if follows:
        before = EventLog.objects.filter(stream=follows, position__lt=position).order_by("-position").first()
    else:
        before = stream.filter(version=found.version - 1).first()
    return Chained(
        row=_row(currencies.by_place(), [getattr(found, name) for name in _COLUMNS]),
        raw=raw,
        digest=digest(raw).hex(),
        prev=prev,
        recordedat=found.recordedat,
        linked=_is_linked(found, prev, before),
        before=before.position if before else None,
        after=stream.filter(version=found.version + 1).values_list("position", flat=True).first(),
    )


class _Opened(msgspec.Struct):
    follows: str | None = None


class _Prev(msgspec.Struct):
    prev: str
    data: _Opened


_prev = msgspec.json.Decoder(_Prev)


def _follows(raw: bytes) -> tuple[str, str]:
    """The stream that an event's own carries on from, "" where it is none; and what it says is before it."""
    read = _prev.decode(raw)
    return read.data.follows or "", read.prev


def _is_linked(found: EventLog, prev: str, before: EventLog | None) -> bool | None:
    if before is not None:
        return digest(bytes(before.raw)).hex() == prev
    if found.version == 1:
        return True if first_prev(found.stream).hex() == prev else None
    return None


def position_of(event_id: str) -> int | None:
    """Where an event of this id stands."""
    return EventLog.objects.named(event_id).values_list("position", flat=True).first()


def export(filters: Filters, after: int = 0) -> Iterator[bytes]:
    """The events' own bytes, oldest first, a line each: CloudEvents in JSON lines. A query a thousand events."""
    while True:
        found: QuerySet[Any, Any] = filters.matching().filter(position__gt=after).order_by("position")
        rows = list(found.values_list("position", "raw")[:EXPORT_BATCH])
        if not rows:
            return
        yield b"".join(bytes(raw) + b"\n" for _, raw in rows)
        after = rows[-1][0]
