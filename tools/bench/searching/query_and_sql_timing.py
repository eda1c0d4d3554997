"""A page of each query of the list, as the product finds it and by SQL written by hand, at any depth, in turns."""

import gc
import re
from contextlib import suppress
from random import Random
from time import perf_counter

import msgspec
from django.db import OperationalError, connections
from django.db.backends.utils import CursorWrapper

from backoffice.surveillance.search.paged_search_within_time_limit import PAGE, page
from backoffice.surveillance.search.search_to_log_conditions import search
from tools.bench.searching.long_log_generation import History
from tools.bench.searching.published_fast_queries import Query, QueryValues, Sql

BY_HAND = 5  # every fifth page: some take seconds
SEED = 20_261_123
_DATA_FIELD = re.compile(r"\{data:(\w+)\}")
_BY_HAND = "SELECT position, raw FROM projections_eventlog WHERE position < %s AND {} ORDER BY position DESC LIMIT 51"


class QueryTimes(msgspec.Struct):
    """Milliseconds of each page of ours, and by hand; `short` pages were not whole in their time."""

    ours: list[float] = []
    by_hand: list[float] = []
    short: int = 0


def timed(query: Query, history: History, events: int, using: str, pages: int) -> QueryTimes | None:
    """So many pages; None where the history has nothing for it. The first of each side does not count."""
    random = Random(f"{SEED} {query.name}")
    drawn = QueryValues(query, history.rows[:events], random)
    if not drawn:
        return None
    times, turns = QueryTimes(), max(1, events // len(history.rows))
    gc.freeze()  # no process that serves holds a history
    with connections[using].cursor() as cursor:
        for number in range(pages + 1):
            text, by_hand = query.make(history.moved(drawn.row(), random.randrange(turns)))
            before = random.choice((events + 1, random.randrange(events) + 1))
            ours, is_short = _search_time(text, before, using)
            if number % BY_HAND == 0:
                times.by_hand.append(_by_hand(cursor, by_hand, before))
            if number:
                times.ours.append(ours)
                times.short += is_short
    return times


def _search_time(text: str, before: int, using: str) -> tuple[float, bool]:
    begun = perf_counter()
    found_page = page(search(text, using), after=before, size=PAGE)
    return (perf_counter() - begun) * 1000, found_page.came_to is not None


def _by_hand(cursor: CursorWrapper, by_hand: Sql, before: int) -> float:
    """Two seconds at most, where the database can end it."""
    where, values = by_hand
    if cursor.db.vendor == "postgresql":
        cursor.execute("SET statement_timeout = 2000")
    begun = perf_counter()
    with suppress(OperationalError):
        cursor.execute(_BY_HAND.format(_in(cursor, where)), [before, *values])
        cursor.fetchall()
    took = (perf_counter() - begun) * 1000
    if cursor.db.vendor == "postgresql":
        cursor.execute("RESET statement_timeout")
    return took


def _in(cursor: CursorWrapper, where: str) -> str:
    """In the words of this database."""
    if cursor.db.vendor == "postgresql":
        return _DATA_FIELD.sub(r"(convert_from(raw, 'UTF8')::jsonb #>> '{data,\1}')", where)
    return _DATA_FIELD.sub(r"json_extract(CAST(raw AS TEXT), '$.data.\1')", where).replace("ILIKE", "LIKE")
