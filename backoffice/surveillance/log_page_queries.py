"""The log: pages of positions by single filters, one event with its place in the chain."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.db.models import QuerySet

from backoffice.event_log.filters import Filters
from backoffice.wording import stream_currencies
from backoffice.wording.stream_currencies import Places
from events.envelope import digest, first_prev
from events.settings.settings_from_environment import settings
from projections.eventlog.models import EventLog

PAGE = 50
PAGE_MAX = 500
AGREES_S = 5  # allowed difference between a device's clock and the house's
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


class OtherEvent(msgspec.Struct, frozen=True):
    """An event that another leads to."""

    position: int
    type: str


class LogRow(msgspec.Struct, frozen=True):
    """An event as its page names it."""

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
    currency: str = ""

    @property
    def id(self) -> str:
        """`STREAM@VERSION`."""
        return f"{self.stream}@{self.version}"


class LogPage(msgspec.Struct, frozen=True):
    """A page of the log, newest first; `older` and `newer` are positions from which to continue, None at the end."""

    positions: tuple[int, ...]
    older: int | None
    newer: int | None


class ChainedEvent(msgspec.Struct, frozen=True):
    """An event with its place in its stream's chain. `linked` is None where the event before is not in the log."""

    row: LogRow
    raw: bytes
    digest: str
    prev: str
    recordedat: datetime
    linked: bool | None
    before: int | None
    after: int | None
    corrects: OtherEvent | None = None
    corrected_by: tuple[OtherEvent, ...] = ()

    @property
    def is_queued(self) -> bool:
        """Return whether a device recorded it without signal."""
        try:
            return bool(msgspec.json.decode(self.raw).get("queued"))
        except (msgspec.DecodeError, AttributeError):
            return False

    @property
    def late_s(self) -> int:
        """Return the seconds by which the device's clock was behind at the recording; 0 where they agree."""
        late_s = round((self.recordedat - self.row.time).total_seconds())
        return late_s if late_s > AGREES_S else 0


def page(filters: Filters, before: int | None = None, after: int | None = None, size: int = PAGE) -> LogPage:
    """Return a page by position: below one, above one, or the newest. One query."""
    events = filters.matching()
    if after is not None:
        page_events = events.filter(position__gt=after).order_by("position")
    elif before is not None:
        page_events = events.filter(position__lt=before).order_by("-position")
    else:
        page_events = events.order_by("-position")
    positions = list(page_events.values_list("position", flat=True)[: size + 1])
    has_more, positions = len(positions) > size, positions[:size]
    if after is not None:
        positions.reverse()
    has_older, has_newer = (True, has_more) if after is not None else (has_more, before is not None)
    older = positions[-1] if positions and has_older else None
    newer = positions[0] if positions and has_newer else None
    return LogPage(tuple(positions), older, newer)


def _row(places: Places, values: Sequence[Any]) -> LogRow:
    row = LogRow(*values)
    return msgspec.structs.replace(row, currency=stream_currencies.of_stream(places, row.stream))


def event(position: int) -> ChainedEvent | None:
    """Return one event, checked against its predecessor, in its stream or the one rolled into it. Five queries."""
    row = EventLog.objects.filter(position=position, stream__startswith=f"{settings().property_}/").first()
    if row is None:
        return None
    raw = bytes(row.raw)
    stream = EventLog.objects.filter(stream=row.stream)
    follows, prev = _follows(raw)
    if follows:
        before = EventLog.objects.filter(stream=follows, position__lt=position).order_by("-position").first()
    else:
        before = stream.filter(version=row.version - 1).first()
    return ChainedEvent(
        row=_row(stream_currencies.by_place(), [getattr(row, name) for name in _COLUMNS]),
        raw=raw,
        digest=digest(raw).hex(),
        prev=prev,
        recordedat=row.recordedat,
        linked=_is_linked(row, prev, before),
        before=before.position if before else None,
        after=stream.filter(version=row.version + 1).values_list("position", flat=True).first(),
        corrects=next(_other_events(EventLog.objects.named(row.corrects)), None) if row.corrects else None,
        corrected_by=tuple(_other_events(EventLog.objects.filter(corrects=f"{row.stream}@{row.version}"))),
    )


def _other_events(rows: "QuerySet[EventLog, EventLog]") -> Iterator[OtherEvent]:
    return (OtherEvent(*row) for row in rows.order_by("position").values_list("position", "type"))


class _Opened(msgspec.Struct):
    follows: str | None = None


class _Prev(msgspec.Struct):
    prev: str
    data: _Opened


_prev = msgspec.json.Decoder(_Prev)


def _follows(raw: bytes) -> tuple[str, str]:
    """Return the stream that an event's own continues, "" without one, and the digest of the event before it."""
    read = _prev.decode(raw)
    return read.data.follows or "", read.prev


def _is_linked(row: EventLog, prev: str, before: EventLog | None) -> bool | None:
    if before is not None:
        return digest(bytes(before.raw)).hex() == prev
    if row.version == 1:
        return True if first_prev(row.stream).hex() == prev else None
    return None


def position_of(event_id: str) -> int | None:
    """Return the position of the event with this id."""
    return EventLog.objects.named(event_id).values_list("position", flat=True).first()
