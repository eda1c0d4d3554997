"""The way to what a search finds: along an index of the log, between the positions where it can stand (ADR 86).

A planner knows how frequent a value is, and not where: for a value of one evening it walks the log from its end.
Between two positions it is right; where there is no end we choose the index, and ask for an order that only this index
has: rows compared as (column, position).
"""

from collections.abc import Iterable, Sequence
from heapq import merge
from typing import Any, TypeVar

import msgspec
from django.db import connections
from django.db.models import BooleanField, Case, F, Func, IntegerField, Q, QuerySet, Value, When
from django.db.models.lookups import GreaterThan

from events.store import MAX_BATCH
from projections.eventlog.folded import of_kind
from projections.eventlog.models import FREQUENT, INDEXED, EventLog, EventWord

Row = TypeVar("Row", EventLog, EventWord)
COLUMNS = {*INDEXED, *FREQUENT, "stream", "type"}
VALUES_MAX = 8  # a walk each
PROBED = 200  # events, to see which value is rarer
ACTIONS_MAX = 1_000  # whose events are looked up in one query
COUNTED = 20_000  # events of a span of time whose positions are looked at


class Drive(msgspec.Struct, frozen=True):
    """Whatever is found says one of these in this column, and holds `rest` besides."""

    column: str
    values: tuple[Any, ...]
    rest: Q = Q()


class Words(msgspec.Struct, frozen=True):
    """Whatever is found is of one of these types, says this word, or is an irregularity of one of these kinds."""

    types: tuple[str, ...]
    word: str
    kinds: tuple[str, ...]


class Span(msgspec.Struct, frozen=True):
    """Positions, both included; None is an open end."""

    low: int | None = None
    high: int | None = None


NOWHERE = Span(1, 0)


def drive(column: str, values: Iterable[Any], rest: Q | None = None) -> Drive | None:
    """Along that column's index; None where it has none, or not for these."""
    found = tuple(dict.fromkeys(values))
    is_quick = column in COLUMNS and 0 < len(found) <= VALUES_MAX and FREQUENT.get(column) not in found
    return Drive(column, found, rest or Q()) if is_quick else None


class _Row(Func):
    function, template = "", "(%(expressions)s)"


class _Below(Func):
    template, arg_joiner = "%(expressions)s", " < "
    output_field = BooleanField()


class Way:
    """Rows of `rows`, beyond a position and up to an edge, in order: position by position."""

    def __init__(self, rows: "QuerySet[EventLog]", low: int, high: int, *, newest: bool) -> None:
        self.rows = rows
        self.low, self.high, self.newest = low, high, newest
        self.end = low if newest else high
        self.named = "position by position"
        self.is_all = False  # whether whatever lies on the way is found

    def start(self, after: int | None) -> int:
        """The position beyond which it begins."""
        if self.newest:
            return min(self.high + 1, after if after is not None else self.high + 1)
        return max(self.low - 1, after or 0)

    def is_end(self, position: int) -> bool:
        """Whether nothing lies beyond."""
        return position <= self.low if self.newest else position >= self.high

    def edge(self, at: int, width: int) -> int:
        """The position up to which `width` rows are to be looked through."""
        return self.nth(at, width)

    def nth(self, at: int, number: int) -> int:
        """Where so many lie on the way, whatever else they say; its end where there are not so many."""
        return max(at - number, self.low) if self.newest else min(at + number, self.high)

    def read(self, at: int, edge: int, most: int) -> list[tuple[int, bytes]]:
        """The first of them, up to and with the edge: positions and the events' own bytes."""
        each = [_read(found) for found in self.queries(at, edge, most)]
        return list(dict(merge(*each, reverse=self.newest)).items())[:most]

    def queries(self, at: int, edge: int, most: int) -> "list[QuerySet[EventLog]]":
        """What is asked for that: one query, or one for each value."""
        return [self._between(self.rows, at, edge)[:most]]

    def _between(self, rows: "QuerySet[Row]", at: int, edge: int, beyond: int = 0) -> "QuerySet[Row]":
        """In order; so many positions more at both ends."""
        low, high = (edge - 1, at) if self.newest else (at, edge + 1)
        found = rows.filter(position__gt=low - beyond, position__lt=high + beyond)
        return found.order_by("-position" if self.newest else "position")


class AlongIndex(Way):
    """The same along a drive."""

    def __init__(
        self, rows: "QuerySet[EventLog]", along: Drive, low: int, high: int, *, newest: bool, is_open: bool
    ) -> None:
        """`is_open`: the way ends where the log does."""
        super().__init__(rows, low, high, newest=newest)
        self.along = along
        self.named = f"along the index of {along.column}"
        self._is_open = is_open

    def edge(self, at: int, width: int) -> int:
        """At once the end where all is found."""
        return self.end if self.is_all else self.nth(at, width)

    def nth(self, at: int, number: int) -> int:
        """Where the first of the values has so many."""
        some = EventLog.objects.using(self.rows.db)
        each = [self._of(some, value, at, self.end).values_list("position", flat=True) for value in self.along.values]
        found = [position for positions in each for position in positions[number - 1 : number]]
        return max([self.end, *found]) if self.newest else min([self.end, *found])

    def queries(self, at: int, edge: int, most: int) -> "list[QuerySet[EventLog]]":
        """One for each value."""
        return [self._of(self.rows, value, at, edge)[:most] for value in self.along.values]

    def _of(self, rows: "QuerySet[EventLog]", value: Any, at: int, edge: int) -> "QuerySet[EventLog]":
        """Those that say this value. The version of a stream grows with the position."""
        column = self.along.column
        if column in FREQUENT:
            rows = rows.exclude(**{column: FREQUENT[column]})
        if column == "stream":
            return self._between(rows.filter(stream=value), at, edge).order_by("-version" if self.newest else "version")
        if edge != self.end or not self._is_open:
            return self._between(rows.filter(**{column: value}), at, edge)
        low, high = (edge - 1, at) if self.newest else (at, edge + 1)
        found = rows.filter(**{f"{column}__isnull": False})
        row = _Row(F(column), F("position"))
        found = found.filter(_Below(_Row(Value(value), Value(low)), row), _Below(row, _Row(Value(value), Value(high))))
        return found.order_by(*((f"-{column}", "-position") if self.newest else (column, "position")))


class OfActions(Way):
    """The events of the actions that recorded one of some events; these are found along their type."""

    def __init__(
        self,
        rows: "QuerySet[EventLog]",
        recorded: "QuerySet[EventLog]",
        low: int,
        high: int,
        *,
        newest: bool,
    ) -> None:
        super().__init__(rows, low, high, newest=newest)
        self._recorded = recorded
        self.named = "along what was recorded, and the actions that did"

    def edge(self, at: int, width: int) -> int:
        """Each is an action of several events, which are looked up: a hundredth of what others look through."""
        return self.nth(at, min(max(width // 100, 1), ACTIONS_MAX))

    def nth(self, at: int, number: int) -> int:
        """Where so many were recorded."""
        recorded = self._between(self._recorded, at, self.end).values_list("position", flat=True)
        found = list(recorded[number - 1 : number])
        return found[0] if found else self.end

    def queries(self, at: int, edge: int, most: int) -> "list[QuerySet[EventLog]]":
        """An action is stored in one transaction: its events are no further apart than that has room for."""
        keys = self._between(self._recorded, at, edge, MAX_BATCH).values_list("causation", "position")
        actions, alone = _apart(keys)
        theirs = self.rows.filter(Q(causation__in=actions) | Q(position__in=alone))
        return [self._between(theirs, at, edge)[:most]]


class AlongWords(Way):
    """The events that say one of some words."""

    def __init__(self, rows: "QuerySet[EventLog]", said: Sequence[str], low: int, high: int, *, newest: bool) -> None:
        super().__init__(rows, low, high, newest=newest)
        self._said = EventWord.objects.using(rows.db).filter(word__in=said)

    def edge(self, at: int, width: int) -> int:
        """Each is looked up by its position."""
        return self.nth(at, min(width, ACTIONS_MAX))

    def nth(self, at: int, number: int) -> int:
        """Where so many were said."""
        found = list(self._positions(at, self.end)[number - 1 : number])
        return found[0] if found else self.end

    def queries(self, at: int, edge: int, most: int) -> "list[QuerySet[EventLog]]":
        """Those that were said up to there; where none were, nothing is asked."""
        said = list(self._positions(at, edge))
        return [self._between(self.rows.filter(position__in=said), at, edge)[:most]] if said else []

    def _positions(self, at: int, edge: int) -> "QuerySet[EventWord, int]":
        return self._between(self._said, at, edge).values_list("position", flat=True)


class Together(Way):
    """Whatever lies on one of several ways; what lies on two is read once."""

    def __init__(self, ways: Sequence[Way], named: str) -> None:
        first = ways[0]
        super().__init__(first.rows, first.low, first.high, newest=first.newest)
        self._ways = ways
        self.named = named

    def edge(self, at: int, width: int) -> int:
        """The nearest of theirs."""
        return self._nearest([way.edge(at, width) for way in self._ways])

    def nth(self, at: int, number: int) -> int:
        """Where the first of them has so many."""
        return self._nearest([way.nth(at, number) for way in self._ways])

    def queries(self, at: int, edge: int, most: int) -> "list[QuerySet[EventLog]]":
        """All of theirs."""
        return [one for way in self._ways for one in way.queries(at, edge, most)]

    def _nearest(self, positions: Sequence[int]) -> int:
        return max(positions) if self.newest else min(positions)


def along_words(
    rows: "QuerySet[EventLog]", said: Words, low: int, high: int, *, newest: bool, is_open: bool
) -> Together:
    """The types that are called so, and whatever else says the word or is of such a kind."""
    kinds = [of_kind(one)[0] for one in said.kinds]
    ways: list[Way] = [AlongWords(rows, some, low, high, newest=newest) for some in ([said.word], kinds) if some]
    if said.types:
        along = Drive("type", said.types)
        ways.append(AlongIndex(rows, along, low, high, newest=newest, is_open=is_open))
    return Together(ways, f"along what says {said.word!r}")


def rarest(ways: Sequence[Way], after: int | None) -> Way:
    """That whose events stand furthest apart from there on."""
    if len(ways) == 1:
        return ways[0]
    newest, at = ways[0].newest, ways[0].start(after)
    reached = [way.nth(at, PROBED) for way in ways]
    return ways[reached.index(min(reached) if newest else max(reached))]


def aside(asks: Q) -> GreaterThan:
    """The same condition, as no index answers it, and of which a planner takes it that every third row holds it."""
    return GreaterThan(Case(When(asks, then=Value(1)), default=Value(0), output_field=IntegerField()), Value(0))


def _apart(keys: Iterable[tuple[str | None, int]]) -> tuple[list[str], list[int]]:
    """The keys of actions, and the positions of what no action recorded."""
    found = list(keys)
    return [key for key, _ in found if key is not None], [position for key, position in found if key is None]


def _read(rows: "QuerySet[EventLog]") -> list[tuple[int, bytes]]:
    return [(position, bytes(raw)) for position, raw in rows.values_list("position", "raw")]


# --- where something can stand ----------------------------------------------------------------------------------------


def narrowest(end: int, spans: Iterable[Span | None]) -> tuple[int, int]:
    """The first and the last position at which all of them are, in a log that ends there."""
    known = [one for one in spans if one is not None]
    lows = [one.low for one in known if one.low is not None]
    highs = [one.high for one in known if one.high is not None]
    return max([1, *lows]), min([end, *highs])


def values(column: str, using: str) -> list[str]:
    """The different values of an indexed column: one step in its index each, however many events have it."""
    name = connections[using].ops.quote_name(column)
    least = f"SELECT min({name}) FROM {EventLog._meta.db_table} WHERE {name}"
    beyond = f"SELECT ({least} > known.value) FROM known WHERE known.value IS NOT NULL"
    with connections[using].cursor() as cursor:
        cursor.execute(
            f"WITH RECURSIVE known(value) AS ({least} IS NOT NULL UNION ALL {beyond})"
            " SELECT value FROM known WHERE value IS NOT NULL"
        )
        return [value for (value,) in cursor.fetchall()]


def of_days(days: Sequence[str], using: str) -> Span:
    """From the first event of one of these gaming days to the last. One query, two steps in the index a day."""
    each = "SELECT {}(position) FROM projections_eventlog WHERE gaming_day = %s"
    asked = ", ".join(f"({each.format(end)})" for end in ("min", "max") for _ in days)
    with connections[using].cursor() as cursor:
        cursor.execute(f"SELECT {asked}", [*days, *days])
        found = cursor.fetchone()
    known = [one for one in found if one is not None]
    return Span(min(known), max(known)) if known else NOWHERE


def of_time(asks: Q, using: str) -> Span | None:
    """From the first event of a span of time to the last; None where those are too many to be looked at."""
    some = EventLog.objects.using(using).filter(asks).order_by().values_list("position", flat=True)
    found = list(some[: COUNTED + 1])
    if len(found) > COUNTED:
        return None
    return Span(min(found), max(found)) if found else NOWHERE
