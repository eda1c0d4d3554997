"""A page of a search takes half a second, with its total.

Then the database stops, and the page shows partial results.
"""

import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from django.db import connections, transaction
from django.test import Client

from backoffice.surveillance.search import deadline_of_database_statements
from backoffice.surveillance.search.paged_search_within_time_limit import all_matches, page
from backoffice.surveillance.search.search_to_log_conditions import search
from backoffice.surveillance.search.totals import totals
from tests.support.houses.small_house import House

pytestmark = pytest.mark.django_db
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i < 0"


def count(using: str, statement: str) -> int:
    with connections[using].cursor() as cursor:
        cursor.execute(statement)
        return int(cursor.fetchone()[0])


def test_a_query_without_end_is_ended_and_the_connection_goes_on(evening_house: House, other: str) -> None:
    for using in ("default", other):
        began = time.monotonic()
        with (
            pytest.raises(deadline_of_database_statements.OutOfTime),
            deadline_of_database_statements.limited(using, began + 0.1),
        ):
            count(using, ENDLESS)
        assert time.monotonic() - began < 60, "the statement itself has no end"
        with deadline_of_database_statements.limited(using, time.monotonic() + 60):
            assert count(using, "SELECT 7") == 7
        assert count(using, "SELECT 8") == 8


@pytest.mark.parametrize("text", ["-seat:1 time:00:00..24:00", "(-seat:1 OR dealer:dora) time:00:00..24:00"])
def test_a_piece_that_takes_too_long_ends_the_page_with_a_cursor_that_leads_further(
    text: str, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a nested search, the first part is also replaced by a narrower one."""
    monkeypatch.setattr("backoffice.surveillance.search.paged_search_within_time_limit._FIRST", 20)

    def over(_using: str, until: float | None) -> object:
        if until is not None:
            raise deadline_of_database_statements.OutOfTime
        return unlimited("default", None)

    unlimited = deadline_of_database_statements.limited
    monkeypatch.setattr(deadline_of_database_statements, "limited", over)
    query = search(text)
    seen, after, pages = list[int](), None, 0
    while True:
        result = page(query, after=after, size=500)
        seen += [event.position for event in result.events]
        pages += 1
        if result.next is None:
            break
        assert result.came_to == result.next
        assert after is None or result.next < after
        after = result.next
    monkeypatch.setattr(deadline_of_database_statements, "limited", unlimited)
    assert pages > 3
    assert seen == [event.position for event in all_matches(query, newest=True)]


def test_a_total_that_one_query_does_not_reach_is_counted_in_pieces(
    evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = totals(search("table:FR1"), 10_000, within_s=60)
    monkeypatch.setattr("backoffice.surveillance.search.totals._by_columns", _out_of_time)
    assert totals(search("table:FR1"), 10_000, within_s=60) == whole


def _out_of_time(*_: object) -> None:
    raise deadline_of_database_statements.OutOfTime


def test_a_page_that_is_whole_and_came_late_says_so(
    client: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/api/v1/search", {"q": "player:g-1"}).json()["came_to"] is None
    assert "The server is busy" not in client.get("/events?q=player:g-1").content.decode()
    monkeypatch.setattr("backoffice.surveillance.search.paged_search_within_time_limit.WITHIN_S", 0.0)
    monkeypatch.setattr(
        "backoffice.surveillance.search.paged_search_within_time_limit._NARROWEST", 100_000
    )  # the whole log
    late = client.get("/api/v1/search", {"q": "player:g-1"}).json()
    assert (late["next"], late["came_to"]) == (None, late["events"][-1]["position"])
    assert "The server is busy" in client.get("/events?q=player:g-1").content.decode()


class SlowDatabase:
    """A database whose statements each take a tenth of a second on a simulated clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_000.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def __call__(self, execute: Callable[..., object], *statement: object) -> object:
        self.now += 0.1
        return execute(*statement)


ANY_TABLE = " OR ".join(f"(table:T{number} player:g-{number})" for number in range(16))
MANY_STATEMENTS = [
    ANY_TABLE,  # many ways at once
    f"({ANY_TABLE}) -seat:1",
    " ".join(f"(time:2026-11-20T22:0{minute}.. OR player:g-{minute})" for minute in range(9)),  # a span each
    "shift:evening OR -(seat:1 OR has:irregularity)",
]


@pytest.mark.parametrize("text", MANY_STATEMENTS)
def test_all_statements_of_a_search_share_one_deadline(
    text: str, evening_house: House, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backoffice.surveillance.search.paged_search_within_time_limit.WITHIN_S", 0.4)
    for using in ("default", other):
        query = search(text, using)
        database = SlowDatabase(monkeypatch)
        with connections[using].execute_wrapper(database):
            page(query)
        assert database.now < 1_001  # the narrowest piece, which needs the end of the log as well, is always read


def test_two_statements_do_not_take_the_time_of_one_each(other: str) -> None:
    def sleep_twice() -> None:
        for _ in range(2):
            count(other, "SELECT 1 FROM pg_sleep(0.7)")

    with (
        pytest.raises(deadline_of_database_statements.OutOfTime),
        deadline_of_database_statements.limited(other, time.monotonic() + 1),
    ):
        sleep_twice()


def test_suggestions_of_words_that_occur_nowhere_end_with_the_search(
    client: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten fields are looked up for each word, some of them in the whole log."""
    whole = client.get("/api/v1/search", {"q": "dora FR1"}).json()
    assert {offer["field"] for offer in whole["suggestions"]} >= {"dealer", "table"}
    monkeypatch.setattr("backoffice.surveillance.search.paged_search_within_time_limit.WITHIN_S", 0.4)
    database = SlowDatabase(monkeypatch)
    with connections["default"].execute_wrapper(database):
        answer = client.get("/api/v1/search", {"q": "dora FR1 nothing nowhere"}).json()
    assert database.now < 1_002
    assert answer["came_to"] is not None


def test_a_search_leaves_no_limit_behind(evening_house: House, other: str) -> None:
    with (
        suppress(deadline_of_database_statements.OutOfTime),
        deadline_of_database_statements.limited(other, time.monotonic() + 0.1),
    ):
        count(other, ENDLESS)
    page(search("-seat:1", other))
    assert count(other, "SHOW statement_timeout") == 0
    with transaction.atomic(other):
        page(search("-seat:1", other))
        assert count(other, "SHOW statement_timeout") == 0
