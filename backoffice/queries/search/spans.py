"""Between which positions of the log something can stand."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from django.db import connections
from django.db.models import Q

from projections.eventlog.models import EventLog

COUNTED = 20_000  # events of a span of time whose positions are looked at
# Positions. A day is not as long, unless something was said of it later: then its index may be the best way.
LONG_DAY = 100_000
ENDLESS = 2**62  # behind every position
LOG = EventLog._meta.db_table


class Span(msgspec.Struct, frozen=True):
    """Positions, both included; None is an open end."""

    low: int | None = None
    high: int | None = None


NOWHERE = Span(1, 0)


class Stretch(msgspec.Struct, frozen=True):
    """What is looked through of the log, from one end of it to the other; `is_open`: it ends where the log does."""

    low: int
    high: int
    newest: bool
    is_open: bool

    @property
    def end(self) -> int:
        """The last position of it."""
        return self.low if self.newest else self.high

    @property
    def is_short(self) -> bool:
        """Whether it is no longer than a day."""
        return self.high - self.low < LONG_DAY

    def start(self, after: int | None) -> int:
        """The position beyond which it begins."""
        if self.newest:
            return min(self.high + 1, after if after is not None else self.high + 1)
        return max(self.low - 1, after or 0)

    def is_end(self, position: int) -> bool:
        """Whether nothing lies beyond."""
        return position <= self.low if self.newest else position >= self.high


def stretch(spans: Iterable[Span | None], using: str, *, newest: bool, has_end: bool = False) -> Stretch:
    """Where all of them are. The newest are found without asking where the log ends, unless it must be known
    (`has_end`)."""
    known = [one for one in spans if one is not None]
    low = max([1, *(one.low for one in known if one.low is not None)])
    high = min([ENDLESS, *(one.high for one in known if one.high is not None)])
    if not newest or (has_end and high == ENDLESS):
        last = end(using)
        return Stretch(low, min(high, last), newest=newest, is_open=low == 1 if newest else high >= last)
    return Stretch(low, high, newest=newest, is_open=low == 1)


def end(using: str) -> int:
    """The last position of the log, 0 of an empty one."""
    return _row(f"SELECT coalesce(max(position), 0) FROM {LOG}", [], using)[0]


def of_days(days: Sequence[str], using: str) -> Span:
    """From the first event of one of these gaming days to the last. One query, two steps in the index a day."""
    each = f"SELECT {{}}(position) FROM {LOG} WHERE gaming_day = %s"
    asked = ", ".join(f"({each.format(which)})" for which in ("min", "max") for _ in days)
    ends: tuple[int | None, ...] = _row(f"SELECT {asked}", [*days, *days], using)
    known = [one for one in ends if one is not None]
    return Span(min(known), max(known)) if known else NOWHERE


def of_time(asks: Q, using: str) -> Span | None:
    """From the first event of a span of time to the last; None where those are too many to be looked at."""
    some = EventLog.objects.using(using).filter(asks).order_by().values_list("position", flat=True)[: COUNTED + 1]
    text, values = some.query.get_compiler(using).as_sql()
    ends = f"SELECT min(found.position), max(found.position), count(*) FROM ({text}) AS found"
    low, high, events = _row(ends, values, using)
    if events > COUNTED:
        return None
    return Span(low, high) if events else NOWHERE


def _row(text: str, values: Sequence[Any], using: str) -> tuple[int, ...]:
    with connections[using].cursor() as cursor:
        cursor.execute(text, values)
        return cursor.fetchone()  # type: ignore[no-any-return]  # of a query that has one row
