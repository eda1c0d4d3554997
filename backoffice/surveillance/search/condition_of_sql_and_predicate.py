"""Condition of one part of a search: on the log's columns, to narrow quickly; and on the event itself, exactly.

The event decides. `asks` is a condition in SQL that no event misses which `finds` finds; where both are the same,
`is_exact`, its opposite is one as well.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any, TypeAlias

import msgspec
from django.db.models import Q

from backoffice.surveillance.search.index_walks import IndexChoice
from backoffice.surveillance.search.position_spans_to_search import NOWHERE, PositionSpan, common, covering_span
from backoffice.surveillance.search.value_range_parsing import Range
from backoffice.surveillance.search.word_and_irregularity_index_walks import IrregularTypes, WordBounds

Event: TypeAlias = Mapping[str, Any]
EVERYTHING = Q(position__gt=0)  # an empty Q is lost in combination with others
WALKS_MAX = 32  # plans for one part of a search: each is a query a page


class SearchContext(msgspec.Struct, frozen=True):
    """Context of a search: currency of amounts, zone of clock times, database.

    `hidden_streams` are hidden from the reader.
    """

    currency: str
    zone: str
    using: str = "default"
    hidden_streams: tuple[str, ...] = ()


class Condition(msgspec.Struct, frozen=True):
    """One part of a search as a query.

    It has an `index_choice` where an index exists, and within a `span` where that is known. It covers the actions that
    recorded some events where it concerns those, and the words written in it (`words`). It may be several parts that
    must all match (`parts`), or several of which one must (`either`).
    """

    asks: Q
    finds: Callable[[int, Event], bool]
    is_exact: bool = False
    index_choice: IndexChoice | None = None
    span: Callable[[], PositionSpan | None] | None = None
    recorded: IrregularTypes | None = None
    words: WordBounds | None = None
    parts: tuple["Condition", ...] = ()
    either: tuple["Condition", ...] = ()

    @property
    def is_quick(self) -> bool:
        """Return whether a walk shorter than the log leads to it."""
        return 0 < self.walks <= WALKS_MAX

    @property
    def walks(self) -> int:
        """Return the number of walks to it; 0 without any."""
        if self.either:
            each = [condition.walks for condition in self.either]
            return sum(each) if all(each) else 0
        if self.parts:
            return min((walks for condition in self.parts if (walks := condition.walks)), default=0)
        if self.index_choice is not None:
            return len(self.index_choice.values)
        return 1 if self.recorded is not None or self.words is not None else 0

    @property
    def is_its_index(self) -> bool:
        """Return whether every entry of its index matches."""
        return self.index_choice is not None and not self.index_choice.rest

    @property
    def is_of_actions(self) -> bool:
        """Return whether it, or a part of it, is found through recorded actions."""
        return self.recorded is not None or any(condition.is_of_actions for condition in (*self.parts, *self.either))

    def opposite(self) -> "Condition":
        """Return the opposite condition."""
        return Condition(
            ~self.asks if self.is_exact else EVERYTHING, lambda at, event: not self.finds(at, event), self.is_exact
        )


def of_positions(positions: Collection[int]) -> Condition:
    """Return the condition for the events at these positions."""
    span = PositionSpan(min(positions), max(positions)) if positions else NOWHERE
    return Condition(Q(position__in=positions), lambda at, _event: at in positions, is_exact=True, span=lambda: span)


def all_of(conditions: Sequence[Condition]) -> Condition:
    """Return the condition that all of these hold."""
    if len(conditions) == 1:
        return conditions[0]
    spans = [condition.span for condition in conditions if condition.span is not None]
    return Condition(
        asks=reduce(and_, (condition.asks or EVERYTHING for condition in conditions)),
        finds=lambda at, event: all(condition.finds(at, event) for condition in conditions),
        is_exact=all(condition.is_exact for condition in conditions),
        span=(lambda: common(span() for span in spans)) if spans else None,
        parts=tuple(part for condition in conditions for part in condition.parts or (condition,)),
    )


def any_of(conditions: Sequence[Condition]) -> Condition:
    """Return the condition that one of these holds."""
    if len(conditions) == 1:
        return conditions[0]
    spans = [condition.span for condition in conditions if condition.span is not None]
    return Condition(
        asks=reduce(or_, (condition.asks or EVERYTHING for condition in conditions)),
        finds=lambda at, event: any(condition.finds(at, event) for condition in conditions),
        is_exact=all(condition.is_exact for condition in conditions),
        span=(lambda: covering_span([span() for span in spans])) if len(spans) == len(conditions) else None,
        either=tuple(part for condition in conditions for part in condition.either or (condition,)),
    )


def range_condition(column: str, range_: Range[Any]) -> Q:
    """Return the condition for a range of a column's values."""
    asks = {f"{column}__isnull": False}
    if range_.least is not None:
        asks[f"{column}__{'gt' if range_.above else 'gte'}"] = range_.least
    if range_.most is not None:
        asks[f"{column}__{'lt' if range_.below else 'lte'}"] = range_.most
    return Q(**asks)
