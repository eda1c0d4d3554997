"""The published list of fast queries (`docs/reference/search.md`), each with real values, and the same by hand.

A value is drawn from the different ones, not from the events, so that rare and frequent values are equally frequent.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any, TypeAlias

import msgspec

from backoffice.surveillance.search.field_conditions import base
from backoffice.surveillance.search.grammar import quoted
from events.tables.event_types.session import IrregularityRecorded
from tools.bench.searching.long_log_generation import COLUMNS, Row

SIMPLE = (
    *("stream", "type", "actor", "actorrole", "device", "correlation", "causation", "pit", "table", "gaming_day"),
    *("shift", "round", "dealer", "inspector", "seat", "box", "player", "tender", "ruleset", "corrects"),
    *("wager", "outcome"),
)
MINUTES = timedelta(minutes=10)
Sql: TypeAlias = tuple[str, list[Any]]
QueryPair: TypeAlias = tuple[str, Sql]  # as one writes it; as a person would write it in SQL
Make: TypeAlias = Callable[[Row], QueryPair]


class Query(msgspec.Struct, frozen=True):
    """One query of the list: drawn from rows by their content (`key`, None for no value)."""

    name: str
    key: Callable[[Row], Any]
    make: Make


def at(row: Row, column: str) -> Any:
    """Return the value of a row of the log in this column."""
    return row[COLUMNS.index(column)]


def queries() -> Iterator[Query]:
    """All of the list."""
    singles = [
        *(_simple(name) for name in SIMPLE),
        _money("amount", "amount_minor"),
        _money("due", "due_minor"),
        _paid(),
    ]
    yield from singles
    yield from (_time(), _around_event_query(), _a_round(), _irregular(), _irregularity(), _word())
    yield from (_both(query, _simple("gaming_day")) for query in singles if query.name != "day")
    yield _both(_simple("table"), _time())
    yield _both(_simple("player"), _simple("type"))
    yield _both(_simple("dealer"), _irregularity())


class QueryValues:
    """Values of a query, drawn from a history."""

    def __init__(self, query: Query, rows: Sequence[Row], random: Random) -> None:
        self._query, self._random = query, random
        self._by_key: dict[Any, list[Row]] = {}
        for row in rows:
            key = query.key(row)
            if key is not None:
                self._by_key.setdefault(key, []).append(row)
        self._keys = sorted(self._by_key, key=str)

    def __bool__(self) -> bool:
        return bool(self._keys)

    def row(self) -> Row:
        """One that it finds."""
        return self._random.choice(self._by_key[self._random.choice(self._keys)])


# --- each -------------------------------------------------------------------------------------------------------------


def _simple(name: str) -> Query:
    field = {"gaming_day": "day"}.get(name, name)

    def make(row: Row) -> QueryPair:
        value = at(row, name)
        word = base(value) if name == "type" else str(value)
        return f"{field}:{quoted(word)}", (f'"{name}" = %s', [value])

    return Query(field, lambda row: at(row, name), make)


def _data(row: Row) -> Any:
    return msgspec.json.decode(at(row, "raw"))["data"]


def _money(name: str, column: str) -> Query:
    def make(row: Row) -> QueryPair:
        minor = at(row, column)
        return f"{name}:{minor / 100:.2f}", (f"{column} = %s", [minor])

    return Query(name, lambda row: at(row, column), make)


def _paid() -> Query:
    def key(row: Row) -> Any:
        return at(row, "amount_minor") if at(row, "type") == "payment.made.v1" else None

    def make(row: Row) -> QueryPair:
        minor = at(row, "amount_minor")
        types = "type IN ('payment.made.v1', 'jackpot.paid.v1', 'envy.paid.v1')"
        return f"paid:{minor / 100:.2f}", (f"{types} AND amount_minor = %s", [minor])

    return Query("paid", key, make)


def _time() -> Query:
    def make(row: Row) -> QueryPair:
        since = at(row, "time").replace(second=0, microsecond=0)
        until = since + MINUTES
        return f"time:{since:%Y-%m-%dT%H:%M}Z..{until:%Y-%m-%dT%H:%M}Z", (
            "time >= %s AND time < %s",
            [since, until],
        )

    return Query("time", lambda row: at(row, "time").hour, make)


def _around_event_query() -> Query:
    def make(row: Row) -> QueryPair:
        moment: datetime = at(row, "time")
        event, near = f"{at(row, 'stream')}@{at(row, 'version')}", timedelta(minutes=2)
        return f"around:{event}", ("time >= %s AND time <= %s", [moment - near, moment + near])

    return Query("around", lambda row: at(row, "type"), make)


def _a_round() -> Query:
    names = ("table", "gaming_day", "round")

    def key(row: Row) -> Any:
        return "/".join(map(str, values)) if None not in (values := [at(row, name) for name in names]) else None

    def make(row: Row) -> QueryPair:
        return f"round:{key(row)}", (
            '"table" = %s AND gaming_day = %s AND round = %s',
            [at(row, name) for name in names],
        )

    return Query("one round", key, make)


_OF_ACTIONS = "causation IN (SELECT causation FROM projections_eventlog WHERE type = %s{})"


def _irregular() -> Query:
    def make(_row: Row) -> QueryPair:
        return "has:irregularity", (_OF_ACTIONS.format(""), [IrregularityRecorded.TYPE])

    return Query("has:irregularity", _kind, make)


def _kind(row: Row) -> Any:
    return _data(row)["kind"] if at(row, "type") == IrregularityRecorded.TYPE else None


def _irregularity() -> Query:
    def make(row: Row) -> QueryPair:
        kind = _kind(row)
        return f"irregularity:{quoted(kind)}", (
            _OF_ACTIONS.format(" AND {data:kind} = %s"),
            [IrregularityRecorded.TYPE, kind],
        )

    return Query("irregularity", _kind, make)


def _word() -> Query:
    """A word of a reason, as people write them."""

    def key(row: Row) -> Any:
        reason = _data(row).get("reason")
        return max(reason.split(), key=len).strip(".,:;") if isinstance(reason, str) and reason.strip() else None

    def make(row: Row) -> QueryPair:
        return str(key(row)), ("{data:reason} ILIKE %s", [f"%{key(row)}%"])

    return Query("a word", key, make)


def _both(left: Query, right: Query) -> Query:
    def make(row: Row) -> QueryPair:
        (text, (where, values)), (and_text, (and_where, and_values)) = left.make(row), right.make(row)
        return f"{text} {and_text}", (f"{where} AND {and_where}", [*values, *and_values])

    def key(row: Row) -> Any:
        first, second = left.key(row), right.key(row)
        return None if first is None or second is None else (first, second)

    return Query(f"{left.name} + {right.name}", key, make)
