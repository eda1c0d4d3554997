"""The plan of a search: along an index of the log, between the positions of its possible results (ADR 86).

The database's planner knows the frequency of a value, and not its place. For a value of one evening it reads the log
from its end. Between two positions it chooses well. For a search without an end, this module chooses the index. It asks
for an order that only this index has: rows compared as (column, position).

Further conditions filter the limited rows of the plan, since no index serves them. Django writes these. The plan itself
is written here: Django needs more time to make the statement than the database to run it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from typing import Any, TypeAlias

import msgspec
from django.core.exceptions import EmptyResultSet, FullResultSet
from django.db import connections
from django.db.models import Q, QuerySet

from backoffice.surveillance.search.position_spans_to_search import LOG, Stretch
from projections.eventlog.models import FREQUENT, INDEXED, PAIRS, EventLog

COLUMNS = {*INDEXED, *FREQUENT, "stream", "type"}
VALUES_MAX = 8  # one search along the index for each
PROBED = 200  # events that show the rarer value
NOTHING = "1 = 0"

Sql: TypeAlias = tuple[str, list[Any]]
Row: TypeAlias = tuple[int, bytes]  # a position, and the event's own bytes
Asks: TypeAlias = Callable[[], "QuerySet[EventLog]"]


class IndexChoice(msgspec.Struct, frozen=True):
    """Index for a walk to the events with one of these values in these columns, and with the condition `rest`.

    `index_condition` is the condition of a partial index, in SQL.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    rest: Q = Q()
    index_condition: str = ""
    name: str = ""  # of the index, where it is not named after its columns

    @property
    def index(self) -> str:
        """Return the name of the index."""
        return self.name or f"log_{'_'.join(self.columns)}"

    @property
    def description(self) -> str:
        """Return a description of the walk for people."""
        return f"along the index of {' and '.join(self.columns)}"


def choose_index(
    column: str, values: Iterable[Any], rest: Q | None = None, most: int = VALUES_MAX
) -> IndexChoice | None:
    """Return the index of a column for these values; None without one, or with more than `most` values."""
    different = tuple(dict.fromkeys(values))
    is_quick = column in COLUMNS and 0 < len(different) <= most and FREQUENT.get(column) not in different
    return (
        IndexChoice((column,), tuple((value,) for value in different), rest or Q(), _partial_index_condition(column))
        if is_quick
        else None
    )


def choose_paired_index(first_choice: IndexChoice | None, other: IndexChoice | None) -> IndexChoice | None:
    """Return the index over the columns of both; None without one."""
    if (
        first_choice is None
        or other is None
        or (names := (*first_choice.columns, *other.columns)) not in PAIRS
        or first_choice.rest
        or other.rest
    ):
        return None
    both = tuple((*first, *second) for first in first_choice.values for second in other.values)
    return IndexChoice(names, both) if len(both) <= VALUES_MAX else None


def _partial_index_condition(column: str) -> str:
    usual = FREQUENT.get(column)
    return f"NOT ({column} = '{usual}')" if usual is not None else ""


class SearchWalk(ABC):
    """Rows in order, beyond a position. `asks`: further conditions on them, as a query of the log."""

    description = ""

    def __init__(self, asks: Asks, stretch: Stretch, using: str) -> None:
        self.stretch = stretch
        self._asks = asks
        self._using = using

    @abstractmethod
    def statement(self, at: int, width: int, most: int) -> Sql:
        """Return the statement for the first matches beyond a position, among `width` rows on the walk."""

    @abstractmethod
    def nth_position(self, at: int, number: int) -> int:
        """Return the position of the `number`th row on the walk, matching or not; the walk's end where it has fewer."""

    def read_matches(self, at: int, width: int, most: int) -> tuple[list[Row], int]:
        """Return the first matches, `most` at most, and the position reached."""
        rows = self._read(self.statement(at, width, most))
        return rows, rows[-1][0] if len(rows) == most else self._edge(at, width)

    def database_plan(self, at: int, width: int, most: int) -> list[str]:
        """Return the database's plan for the statement."""
        text, values = self.statement(at, width, most)
        prefix = connections[self._using].ops.explain_query_prefix()
        return ["\n".join(" ".join(map(str, line)) for line in self._all(f"{prefix} {text}", values))]

    def _edge(self, at: int, width: int) -> int:
        """Return the position reached; the walk's end where fewer rows were found than asked for."""
        return self.nth_position(at, width) if self._rest[0] else self.stretch.end

    @cached_property
    def _rest(self) -> Sql:
        """Return the remaining condition; "" for none."""
        query = self._asks().query
        try:
            text, values = query.get_compiler(self._using).compile(query.where)
        except EmptyResultSet:
            return NOTHING, []
        except FullResultSet:
            return "", []
        return text, list(values)

    @property
    def _log(self) -> str:
        """Return the name of the log behind FROM."""
        return LOG

    @property
    def _is_postgres(self) -> bool:
        return connections[self._using].vendor == "postgresql"

    def _bounds_around(self, at: int, edge: int) -> list[int]:
        """Return the two positions around the rows there, both excluded."""
        return [edge - 1, at] if self.stretch.newest else [at, edge + 1]

    def _ordered(self, *columns: str) -> str:
        return ", ".join(f"{column} DESC" if self.stretch.newest else column for column in columns)

    def _first_rows(self, walk: str, values: Sequence[Any], order: str, width: int, most: int) -> Sql:
        """Return the statement for the first rows on a walk that match the rest, among `width` rows.

        `walk` is the part of the statement from WHERE on. The order of the inner statement is preserved.
        """
        rest, rest_values = self._rest
        if not rest:
            return f"SELECT position, raw FROM {self._log} WHERE {walk} ORDER BY {order} LIMIT %s", [*values, most]
        held = f"CASE WHEN {rest} THEN 1 ELSE 0 END AS held"
        inner = f"SELECT position, raw, {held} FROM {self._log} WHERE {walk} ORDER BY {order} LIMIT %s"
        text = f"SELECT looked.position, looked.raw FROM ({inner}) AS looked WHERE looked.held = 1 LIMIT %s"
        return text, [*rest_values, *values, width, most]

    def _rows_at_positions(self, positions: Sql, number: int, most: int) -> Sql:
        """Return the statement for rows at `number` positions of a statement, in its order, that match the rest.

        SQLite keeps the order by itself; with an ORDER BY it would sort all of them.
        """
        (rest, rest_values), (inner, values) = self._rest, positions
        order = f" ORDER BY {self._ordered('walk.position')}" if self._is_postgres else ""
        held = f" AND CASE WHEN {rest} THEN 1 ELSE 0 END = 1" if rest else ""
        joined = f"({inner} LIMIT %s) AS walk CROSS JOIN {LOG} WHERE {LOG}.position = walk.position{held}{order}"
        text = f"SELECT {LOG}.position, {LOG}.raw FROM {joined} LIMIT %s"
        return text, [*values, number if rest else min(number, most), *rest_values, most]

    def _read(self, statement: Sql) -> list[Row]:
        return [(position, bytes(raw)) for position, raw in self._all(*statement)]

    def _nth_of_statement(self, statement: Sql, number: int) -> int:
        """Return the position in the `number`th row of a statement; the end where it has fewer."""
        text, values = statement
        rows = self._all(f"{text} LIMIT 1 OFFSET %s", [*values, number - 1])
        return rows[0][0] if rows else self.stretch.end

    def _all(self, text: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with connections[self._using].cursor() as cursor:
            cursor.execute(text, values)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


class PositionWalk(SearchWalk):
    """Walk through all events by position; the database does the search."""

    description = "position by position"

    def __init__(self, asks: Asks, stretch: Stretch, using: str, *, is_one_by_one: bool = False) -> None:
        super().__init__(asks, stretch, using)
        self._is_one_by_one = is_one_by_one or stretch.is_short

    def statement(self, at: int, width: int, most: int) -> Sql:
        """Return a statement between two positions, so that it needs no row numbers; on short stretches row by row."""
        (rest, rest_values), within = self._rest, self._bounds_around(at, self.nth_position(at, width))
        where, order = "position > %s AND position < %s", self._ordered("position")
        if self._is_one_by_one:
            return self._first_rows(where, within, order, width, most)
        text = f"SELECT position, raw FROM {LOG} WHERE {rest and f'({rest}) AND '}{where} ORDER BY {order} LIMIT %s"
        return text, [*rest_values, *within, most]

    def _edge(self, at: int, width: int) -> int:
        return self.nth_position(at, width)

    def nth_position(self, at: int, number: int) -> int:
        low, high = self.stretch.low, self.stretch.high
        return max(at - number, low) if self.stretch.newest else min(at + number, high)


class ValueWalk(SearchWalk):
    """Walk to events with one of the values of an index choice."""

    def __init__(
        self, asks: Asks, index_choice: IndexChoice, value: Sequence[Any], stretch: Stretch, using: str
    ) -> None:
        super().__init__(asks, stretch, using)
        self._index_choice, self._value = index_choice, value
        self.description = index_choice.description

    def statement(self, at: int, width: int, most: int) -> Sql:
        """Return a statement in the order of the index.

        Where the plan has ends the positions come first, because an index alone has them. The order of the rows in the
        table then does not matter.
        """
        if self._is_ordered:
            return self._first_rows(*self._walk(at), width, most)
        return self._rows_at_positions(self.positions(at), width, most)

    def nth_position(self, at: int, number: int) -> int:
        return self._nth_of_statement(self.positions(at), number)

    def positions(self, at: int) -> Sql:
        """Return a statement of all positions in order, without an end."""
        walk, values, order = self._walk(at)
        return f"SELECT position FROM {self._log} WHERE {walk} ORDER BY {order}", values

    @property
    def _log(self) -> str:
        """Return the log with its index: without statistics, SQLite takes the index with the most known values."""
        return LOG if self._is_postgres else f"{LOG} INDEXED BY {self._index_choice.index}"

    @property
    def _is_ordered(self) -> bool:
        """Return whether the statement is ordered by its index alone. The version of a stream grows with the position.

        Between two positions PostgreSQL does not stop at the second of the columns that are compared as a row.
        """
        columns = self._index_choice.columns
        is_stopped = self.stretch.is_open or not self._is_postgres
        return columns == ("stream",) or (is_stopped and len(columns) == 1)

    def _walk(self, at: int) -> tuple[str, list[Any], str]:
        """Return the condition with its values, and the order."""
        names = [connections[self._using].ops.quote_name(column) for column in self._index_choice.columns]
        low, high = self._bounds_around(at, self.stretch.end)
        only = f" AND {self._index_choice.index_condition}" if self._index_choice.index_condition else ""
        is_stream = self._index_choice.columns == ("stream",)
        if is_stream or not self._is_ordered:
            equal = " AND ".join(f"{name} = %s" for name in names)
            order = self._ordered("version" if is_stream else "position")
            return f"{equal} AND position > %s AND position < %s{only}", [*self._value, low, high], order
        row, value = f"({names[0]}, position)", self._value[0]
        where = f"{names[0]} IS NOT NULL AND {row} > (%s, %s) AND {row} < (%s, %s){only}"
        return where, [value, low, value, high], self._ordered(names[0], "position")


class CombinedWalk(SearchWalk):
    """Several walks together, without duplicates."""

    def __init__(self, walks: Sequence[SearchWalk], description: str, stretch: Stretch | None = None) -> None:
        first = walks[0]
        super().__init__(first._asks, stretch or first.stretch, first._using)
        self._walks = walks
        self.description = description

    def read_matches(self, at: int, width: int, most: int) -> tuple[list[Row], int]:
        """Return the matches up to the position reached on every walk; a walk at its end does not count."""
        each = [(walk, *walk.read_matches(start, width, most)) for walk, start in self._begun(at)]
        edge = self._nearest([came_to for walk, _, came_to in each if not walk.stretch.is_end(came_to)])
        newest = self.stretch.newest
        by_position = {
            row[0]: row for _, rows, _ in each for row in rows if (row[0] >= edge if newest else row[0] <= edge)
        }
        rows = [by_position[position] for position in sorted(by_position, reverse=newest)][:most]
        return rows, rows[-1][0] if len(rows) == most else edge

    def statement(self, at: int, width: int, most: int) -> Sql:
        raise NotImplementedError("several walks have no query of their own: each is asked by itself (`read_matches`)")

    def database_plan(self, at: int, width: int, most: int) -> list[str]:
        return [line for walk, start in self._begun(at) for line in walk.database_plan(start, width, most)]

    def nth_position(self, at: int, number: int) -> int:
        return self._nearest([walk.nth_position(start, number) for walk, start in self._begun(at)])

    def _begun(self, at: int) -> list[tuple[SearchWalk, int]]:
        """Return the plans that may have rows beyond a position, each with the position from which it continues."""
        each = [(walk, walk.stretch.start(at)) for walk in self._walks]
        return [(walk, start) for walk, start in each if not walk.stretch.is_end(start)]

    def _nearest(self, positions: Sequence[int]) -> int:
        return (max if self.stretch.newest else min)(positions, default=self.stretch.end)


def walk_of_values(asks: Asks, index_choice: IndexChoice, stretch: Stretch, using: str) -> SearchWalk:
    """Return a walk along an index: a walk for each value."""
    each = [ValueWalk(asks, index_choice, value, stretch, using) for value in index_choice.values]
    return each[0] if len(each) == 1 else CombinedWalk(each, index_choice.description)


def rarest_walk(walks: Sequence[SearchWalk], after: int | None) -> SearchWalk:
    """Return the walk with the most distant events from there on."""
    if len(walks) == 1:
        return walks[0]
    stretch = walks[0].stretch
    at = stretch.start(after)
    reached = [walk.nth_position(at, PROBED) for walk in walks]
    return walks[reached.index(min(reached) if stretch.newest else max(reached))]


def distinct_values(column: str, using: str) -> list[str]:
    """Return the different values of an indexed column, by one step in its index for each."""
    name = connections[using].ops.quote_name(column)
    least = f"SELECT min({name}) FROM {LOG} WHERE {name}"
    beyond = f"SELECT ({least} > known.value) FROM known WHERE known.value IS NOT NULL"
    with connections[using].cursor() as cursor:
        cursor.execute(
            f"WITH RECURSIVE known(value) AS ({least} IS NOT NULL UNION ALL {beyond})"
            " SELECT value FROM known WHERE value IS NOT NULL"
        )
        return [value for (value,) in cursor.fetchall()]


def values_with_prefix(
    column: str, prefixes: Sequence[str], using: str, most: int, table: str = LOG
) -> list[str] | None:
    """Return the different values of an indexed column with this prefix, by a step in its index for each.

    None for more than `most`, or where the database sorts texts by a language, so that equal prefixes are not adjacent.
    """
    if not _sorts_by_code(using):
        return None
    name = connections[using].ops.quote_name(column)
    distinct: dict[str, None] = {}
    with connections[using].cursor() as cursor:
        for prefix in prefixes:
            compared, value = ">=", prefix
            while True:
                cursor.execute(f"SELECT min({name}) FROM {table} WHERE {name} {compared} %s", [value])
                (value,) = cursor.fetchone()
                if value is None or not value.startswith(prefix):
                    break
                distinct[value], compared = None, ">"
                if len(distinct) > most:
                    return None
    return list(distinct)


@cache
def _sorts_by_code(using: str) -> bool:
    """Return whether texts are sorted by their characters' codes, as Python does."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT 'B' < 'a' AND 'a-c' < 'ab'")
        return bool(cursor.fetchone()[0])
