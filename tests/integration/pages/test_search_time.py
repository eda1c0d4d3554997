"""A page of a search takes half a second, with its total: the database is stopped, and what was found is told."""

import time

import pytest
from django.db import connections
from django.test import Client

from backoffice.surveillance.search import time_limit
from backoffice.surveillance.search.hits import everything, page
from backoffice.surveillance.search.query import search
from backoffice.surveillance.search.totals import totals
from tests.support.house import House

pytestmark = pytest.mark.django_db
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i < 0"


def count(using: str, statement: str) -> int:
    with connections[using].cursor() as cursor:
        cursor.execute(statement)
        return int(cursor.fetchone()[0])


def test_a_query_without_end_is_ended_and_the_connection_goes_on(evening_house: House, other: str) -> None:
    for using in ("default", other):
        began = time.monotonic()
        with pytest.raises(time_limit.OutOfTime), time_limit.limited(using, began + 0.1):
            count(using, ENDLESS)
        assert time.monotonic() - began < 5
        with time_limit.limited(using, time.monotonic() + 60):
            assert count(using, "SELECT 7") == 7
        assert count(using, "SELECT 8") == 8


@pytest.mark.parametrize("text", ["-seat:1 time:00:00..24:00", "(-seat:1 OR dealer:dora) time:00:00..24:00"])
def test_a_piece_that_takes_too_long_ends_the_page_with_a_cursor_that_leads_further(
    text: str, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a nested search also the first piece is given up, for a narrower one."""
    monkeypatch.setattr("backoffice.surveillance.search.hits._FIRST", 20)

    def over(_using: str, until: float | None) -> object:
        if until is not None:
            raise time_limit.OutOfTime
        return unlimited("default", None)

    unlimited = time_limit.limited
    monkeypatch.setattr(time_limit, "limited", over)
    asked = search(text)
    seen, after, pages = list[int](), None, 0
    while True:
        found = page(asked, after=after, size=500)
        seen += [one.position for one in found.events]
        pages += 1
        if found.next is None:
            break
        assert found.came_to == found.next
        assert after is None or found.next < after
        after = found.next
    monkeypatch.setattr(time_limit, "limited", unlimited)
    assert pages > 3
    assert seen == [one.position for one in everything(asked, newest=True)]


def test_a_total_that_one_query_does_not_reach_is_counted_in_pieces(
    evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = totals(search("table:FR1"), 10_000, within_s=60)
    monkeypatch.setattr("backoffice.surveillance.search.totals._by_columns", _out_of_time)
    assert totals(search("table:FR1"), 10_000, within_s=60) == whole


def _out_of_time(*_: object) -> None:
    raise time_limit.OutOfTime


def test_a_page_that_is_whole_and_came_late_says_so(
    client: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/api/v1/search", {"q": "player:g-1"}).json()["came_to"] is None
    assert "The server is busy" not in client.get("/events?q=player:g-1").content.decode()
    monkeypatch.setattr("backoffice.surveillance.search.hits.WITHIN_S", 0.0)
    late = client.get("/api/v1/search", {"q": "player:g-1"}).json()
    assert (late["next"], late["came_to"]) == (None, late["events"][-1]["position"])
    assert "The server is busy" in client.get("/events?q=player:g-1").content.decode()
