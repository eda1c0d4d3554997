"""Spans of positions in the log that can hold matches."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from django.db import connections
from django.db.models import Q

from projections.eventlog.models import EventLog

COUNTED = 20_000  # most events of a time range whose positions are read
# Positions. A gaming day is shorter, unless it has late events. Then its index may be the better plan.
LONG_DAY = 100_000
ENDLESS = 2**62  # greater than every position
LOG = EventLog._meta.db_table


class PositionSpan(msgspec.Struct, frozen=True):
    """Positions, both included; None is an open end."""

    low: int | None = None
    high: int | None = None


NOWHERE = PositionSpan(1, 0)


def common(spans: Iterable[PositionSpan | None]) -> PositionSpan | None:
    """Return the intersection; None means any position."""
    known_spans = [span for span in spans if span is not None]
    lows = [span.low for span in known_spans if span.low is not None]
    highs = [span.high for span in known_spans if span.high is not None]
    return PositionSpan(max(lows, default=None), min(highs, default=None)) if known_spans else None


def covering_span(spans: Sequence[PositionSpan | None]) -> PositionSpan | None:
    """Return the span that covers all of these; None if one of them is any position."""
    known_spans = [span for span in spans if span is not None]
    if len(known_spans) < len(spans):
        return None
    known_spans = [span for span in known_spans if span != NOWHERE] or [NOWHERE]
    lows = [span.low for span in known_spans if span.low is not None]
    highs = [span.high for span in known_spans if span.high is not None]
    return PositionSpan(
        min(lows) if len(lows) == len(known_spans) else None, max(highs) if len(highs) == len(known_spans) else None
    )


class Stretch(msgspec.Struct, frozen=True):
    """Part of the log to search. `is_open`: its end is the end of the log."""

    low: int
    high: int
    newest: bool
    is_open: bool

    @property
    def end(self) -> int:
        """Return the position where the search ends."""
        return self.low if self.newest else self.high

    @property
    def is_short(self) -> bool:
        """Return whether it is no longer than a day."""
        return self.high - self.low < LONG_DAY

    def narrowed(self, span: PositionSpan) -> "Stretch":
        """Return the part of it in the span. It stays open if its end is still the end of the log."""
        low = max(self.low, span.low or 1)
        high = self.high if span.high is None else min(self.high, span.high)
        is_open = self.is_open and (low == self.low if self.newest else high == self.high)
        return Stretch(low, high, newest=self.newest, is_open=is_open)

    def start(self, after: int | None) -> int:
        """Return the position before its first one."""
        if self.newest:
            return min(self.high + 1, after if after is not None else self.high + 1)
        return max(self.low - 1, after or 0)

    def is_end(self, position: int) -> bool:
        """Return whether the search ends at this position."""
        return position <= self.low if self.newest else position >= self.high


def stretch(spans: Iterable[PositionSpan | None], using: str, *, newest: bool, has_end: bool = False) -> Stretch:
    """Return the intersection as a stretch.

    The newest events are found without the log's end, unless it must be known (`has_end`).
    """
    within = common(spans) or PositionSpan()
    low = max(1, within.low or 1)
    high = ENDLESS if within.high is None else within.high
    if not newest or (has_end and high == ENDLESS):
        last = last_log_position(using)
        return Stretch(low, min(high, last), newest=newest, is_open=low == 1 if newest else high >= last)
    return Stretch(low, high, newest=newest, is_open=low == 1)


def last_log_position(using: str) -> int:
    """Return the last position of the log; 0 for an empty log."""
    return _row(f"SELECT coalesce(max(position), 0) FROM {LOG}", [], using)[0]


def of_days(days: Sequence[str], using: str) -> PositionSpan:
    """Return the span from the first event of these gaming days to the last. One query, two index steps a day."""
    each = f"SELECT {{}}(position) FROM {LOG} WHERE gaming_day = %s"
    columns = ", ".join(f"({each.format(function)})" for function in ("min", "max") for _ in days)
    ends: tuple[int | None, ...] = _row(f"SELECT {columns}", [*days, *days], using)
    known_ends = [end for end in ends if end is not None]
    return PositionSpan(min(known_ends), max(known_ends)) if known_ends else NOWHERE


def of_time(asks: Q, using: str) -> PositionSpan | None:
    """Return the span from the first event of a time range to the last; None for too many."""
    first_positions = (
        EventLog.objects.using(using).filter(asks).order_by().values_list("position", flat=True)[: COUNTED + 1]
    )
    text, values = first_positions.query.get_compiler(using).as_sql()
    ends = f"SELECT min(found.position), max(found.position), count(*) FROM ({text}) AS found"
    low, high, events = _row(ends, values, using)
    if events > COUNTED:
        return None
    return PositionSpan(low, high) if events else NOWHERE


def _row(text: str, values: Sequence[Any], using: str) -> tuple[int, ...]:
    with connections[using].cursor() as cursor:
        cursor.execute(text, values)
        return cursor.fetchone()  # type: ignore[no-any-return]  # of a query that has one row
