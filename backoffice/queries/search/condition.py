"""What one part of a search means: of the log's columns, to come near it quickly; and of the event itself, exactly.

The event decides. `asks` is a condition in SQL that no event misses which `finds` finds; where both are the same,
`is_exact`, its opposite is one as well.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any, TypeAlias

import msgspec
from django.db.models import Q

from backoffice.queries.search.recorded import Recorded, Words
from backoffice.queries.search.spans import Span, common, hull
from backoffice.queries.search.values import Range
from backoffice.queries.search.ways import Drive

Event: TypeAlias = Mapping[str, Any]
EVERYTHING = Q(position__gt=0)  # an empty Q is lost beside others
WALKS_MAX = 32  # ways to what one part of a search finds: each is a query a page


class House(msgspec.Struct, frozen=True):
    """What a search is understood by: the currency that amounts are written in, the zone of clock times, the database;
    and the streams that are `kept_back` from who asks (`blind.streams`)."""

    currency: str
    zone: str
    using: str = "default"
    kept_back: tuple[str, ...] = ()


class Condition(msgspec.Struct, frozen=True):
    """One part as it is asked: `along` an index where there is one, and within a `span` where that is known; of the
    actions that recorded some events where it is about those; along what was `said` where it is words. It may be
    several that must all hold (`parts`), or several of which one must (`either`)."""

    asks: Q
    finds: Callable[[int, Event], bool]
    is_exact: bool = False
    along: Drive | None = None
    span: Callable[[], Span | None] | None = None
    recorded: Recorded | None = None
    said: Words | None = None
    parts: tuple["Condition", ...] = ()
    either: tuple["Condition", ...] = ()

    @property
    def is_quick(self) -> bool:
        """Whether there is a way to it that is shorter than the log."""
        return 0 < self.walks <= WALKS_MAX

    @property
    def walks(self) -> int:
        """Along how many ways it is found; 0 where it has none."""
        if self.either:
            each = [condition.walks for condition in self.either]
            return sum(each) if all(each) else 0
        if self.parts:
            return min((walks for condition in self.parts if (walks := condition.walks)), default=0)
        if self.along is not None:
            return len(self.along.values)
        return 1 if self.recorded is not None or self.said is not None else 0

    @property
    def is_its_index(self) -> bool:
        """Whether all that an index has for it is what it finds."""
        return self.along is not None and not self.along.rest

    @property
    def is_of_actions(self) -> bool:
        """Whether it is found by what actions recorded, also in a part of it."""
        return self.recorded is not None or any(condition.is_of_actions for condition in (*self.parts, *self.either))

    def opposite(self) -> "Condition":
        """What it does not find."""
        return Condition(
            ~self.asks if self.is_exact else EVERYTHING, lambda at, event: not self.finds(at, event), self.is_exact
        )


def all_of(some: Sequence[Condition]) -> Condition:
    """All of these hold."""
    if len(some) == 1:
        return some[0]
    spans = [condition.span for condition in some if condition.span is not None]
    return Condition(
        asks=reduce(and_, (condition.asks or EVERYTHING for condition in some)),
        finds=lambda at, event: all(condition.finds(at, event) for condition in some),
        is_exact=all(condition.is_exact for condition in some),
        span=(lambda: common(span() for span in spans)) if spans else None,
        parts=tuple(part for condition in some for part in condition.parts or (condition,)),
    )


def any_of(some: Sequence[Condition]) -> Condition:
    """One of these holds."""
    if len(some) == 1:
        return some[0]
    spans = [condition.span for condition in some if condition.span is not None]
    return Condition(
        asks=reduce(or_, (condition.asks or EVERYTHING for condition in some)),
        finds=lambda at, event: any(condition.finds(at, event) for condition in some),
        is_exact=all(condition.is_exact for condition in some),
        span=(lambda: hull([span() for span in spans])) if len(spans) == len(some) else None,
        either=tuple(part for condition in some for part in condition.either or (condition,)),
    )


def between(column: str, one: Range[Any]) -> Q:
    """A range of a column's values."""
    asks = {f"{column}__isnull": False}
    if one.least is not None:
        asks[f"{column}__{'gt' if one.above else 'gte'}"] = one.least
    if one.most is not None:
        asks[f"{column}__{'lt' if one.below else 'lte'}"] = one.most
    return Q(**asks)
