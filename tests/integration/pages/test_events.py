"""The log: found by any filter, paged by position, opened with its place in the chain, exported byte for byte."""

import hashlib
import json
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db.models import F
from django.http import QueryDict
from django.test import Client

from backoffice.queries.filters import read_filters
from events.store import everything
from projections.eventlog.models import EventLog
from projections.tables.models import TableDay
from tests.house import DAY, House
from tests.pages import queries, source, words

pytestmark = pytest.mark.django_db


def _found(client: Client, **filters: Any) -> list[dict[str, Any]]:
    answer = client.get("/api/v1/events", {"limit": 500, **filters})
    assert answer.status_code == 200, answer.content
    return [one["event"] for one in answer.json()["events"]]


@pytest.mark.parametrize(
    ("filters", "agrees"),
    [
        ({"table": "FR1"}, lambda e: e["data"]["table"] == "FR1"),
        ({"gaming_day": DAY, "table": "FR2"}, lambda e: e["data"]["table"] == "FR2"),
        ({"pit": "A", "round": "2"}, lambda e: e["data"]["round"] == 2),
        ({"type": "fill.received.v1"}, lambda e: e["type"] == "fill.received.v1"),
        ({"type": ["ball.landed.v1", "ball.launched.v1"]}, lambda e: e["type"].startswith("ball.la")),
        ({"player": "g-7"}, lambda e: e["data"]["player"] == "g-7"),
        ({"dealer": "dora", "box": "2"}, lambda e: e["data"]["box"] == 2),
        ({"seat": "3"}, lambda e: e["data"]["seat"] == 3),
        ({"from": "100", "to": "500.00"}, lambda e: 10_000 <= e["data"]["amount_minor"] <= 50_000),
        ({"from": "1,000"}, lambda e: e["data"]["amount_minor"] >= 100_000),
        ({"q": "settled"}, lambda e: "settled" in e["type"]),
        ({"q": "g-8"}, lambda e: e["data"]["player"] == "g-8"),
        ({"wager": "straight", "type": "bet.placed.v1"}, lambda e: e["data"]["wager"] == "straight"),
        ({"tender": "promotional"}, lambda e: e["data"]["tender"] == "promotional"),
        ({"correlation": f"BJ1-{DAY}-1-1"}, lambda e: e["correlation"] == f"BJ1-{DAY}-1-1"),
        ({"stream": "athens/progressives/blazing"}, lambda e: e["subject"] == "athens/progressives/blazing"),
    ],
)
def test_events_are_found_by_any_filter(client: Client, evening_house: House, filters: Any, agrees: Any) -> None:
    found = _found(client, **filters)
    assert found
    assert all(agrees(event) for event in found)
    page = words(client, "/events?" + urlencode(filters, doseq=True))
    assert f"{len(found)} event" in page


def test_pages_join_without_gap_or_overlap(client: Client, evening_house: House) -> None:
    seen: list[int] = []
    older: int | None = None
    while True:
        answer = client.get("/api/v1/events", {"limit": 40, **({"before": older} if older else {})}).json()
        seen += [one["position"] for one in answer["events"]]
        older = answer["older"]
        if older is None:
            break
    assert seen == sorted((stored.position for stored in everything(evening_house.store)), reverse=True)
    assert len(seen) > 100


def test_newer_leads_back_to_the_same_page(client: Client, evening_house: House) -> None:
    first = client.get("/api/v1/events", {"limit": 40}).json()
    second = client.get("/api/v1/events", {"limit": 40, "before": first["older"]}).json()
    back = client.get("/api/v1/events", {"limit": 40, "after": second["newer"]}).json()
    assert back["events"] == first["events"]
    assert back["newer"] is None


def test_every_filter_stands_as_a_chip_that_takes_it_away(client: Client, evening_house: House) -> None:
    page = source(client, f"/events?table=FR1&gaming_day={DAY}&round=2")
    assert f'href="?table=FR1&amp;gaming_day={DAY}"' in page
    assert 'aria-label="Remove the filter round 2"' in page


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("round=two", "is not a whole number"),
        ("from=lots", "is not an amount"),
        ("to=1.005", "is not an amount"),
        ("sum=nothing", "there is no sum"),
        ("before=x", "is not a whole number"),
        ("round=" + "9" * 30, "is not a whole number"),
    ],
)
def test_what_cannot_be_read_is_said_at_its_field(client: Client, evening_house: House, query: str, says: str) -> None:
    assert says in words(client, f"/events?{query}", 400)
    if not query.startswith("before"):
        assert client.get(f"/events/export.jsonl?{query}").status_code == 400
    problem = client.get(f"/api/v1/events?{query}")
    assert (problem.status_code, problem.headers["Content-Type"]) == (400, "application/problem+json")


@pytest.mark.parametrize("query", ["table=%27%3B--", "q=%25", "player=%00x", "type=%3Cscript%3E", "stream=athens%2Fb"])
def test_strange_text_finds_nothing_and_breaks_nothing(client: Client, evening_house: House, query: str) -> None:
    assert "<script>" not in source(client, f"/events?{query}")


def test_an_event_opens_with_its_bytes_and_its_chain(client: Client, evening_house: House) -> None:
    stored = EventLog.objects.filter(type="ball.landed.v1").order_by("position")[1]
    page = words(client, f"/events/{stored.position}")
    assert stored.event_id in page
    assert hashlib.sha256(bytes(stored.raw)).hexdigest() in page
    assert json.loads(bytes(stored.raw))["prev"] in page
    assert "prev is the digest of the event before it" in page
    assert '"number": ' in page


def test_the_first_event_of_a_stream_says_so(client: Client, evening_house: House) -> None:
    assert "the first event of its stream" in words(client, "/events/1")


def test_a_broken_chain_shows(client: Client, evening_house: House) -> None:
    stored = EventLog.objects.filter(type="ball.landed.v1").order_by("position")[0]
    EventLog.objects.filter(stream=stored.stream, version=stored.version - 1).update(raw=b'{"edited": true}')
    assert "prev is not the digest of the event before it" in words(client, f"/events/{stored.position}")


def test_in_its_row_an_event_is_a_fragment(client: Client, evening_house: House) -> None:
    found = client.get("/events/5", headers={"HX-Request": "true"})
    assert b"<html" not in found.content
    assert b"Digest" in found.content


def test_a_search_for_a_position_or_an_id_opens_the_event(client: Client, evening_house: House) -> None:
    stored = EventLog.objects.get(position=7)
    assert client.get("/events?q=7").headers["Location"] == "/events/7"
    assert client.get("/events", {"q": stored.event_id}).headers["Location"] == "/events/7"
    assert "There is nothing at this address" in words(client, "/events/999999", 404)


def test_an_export_has_the_stores_own_bytes(client: Client, evening_house: House) -> None:
    answer = client.get("/events/export.jsonl", {"table": "FR1", "gaming_day": DAY})
    assert answer.streaming
    lines = b"".join(answer).splitlines()
    stored = [event.raw for event in everything(evening_house.store) if event.stream.endswith(f"tables/FR1/{DAY}")]
    assert lines == stored
    assert answer.headers["Content-Disposition"] == f'attachment; filename="pitledger-events-FR1-{DAY}.jsonl"'


def test_a_sum_over_many_events_is_added_up_afterwards(
    client: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backoffice.queries.log.TOTAL_AT_ONCE", 10)
    address = f"/events?table=FR1&gaming_day={DAY}&sum=event-win"
    assert "more than " in words(client, address)
    assert 'hx-get="/events/total?' in source(client, address)
    assert "18 events" in words(client, address.replace("/events?", "/events/total?"))


def test_an_event_says_how_long_after_its_devices_clock_it_was_recorded(client: Client, evening_house: House) -> None:
    row = EventLog.objects.get(position=30)
    EventLog.objects.filter(position=30).update(recordedat=row.time + timedelta(seconds=495))
    EventLog.objects.filter(position=31).update(recordedat=F("time") + timedelta(seconds=3))
    assert "8:15 after the time that its device says" in words(client, "/events/30")
    assert "that its device says" not in words(client, "/events/31")


def test_an_empty_log_explains_itself(client: Client, house: House) -> None:
    assert "Nothing happened yet" in words(client, "/events")
    assert "No event matches" in words(client, "/events?table=FR1")


def test_the_number_of_queries_does_not_grow(client: Client, evening_house: House) -> None:
    assert queries(client, "/events?table=R9") == queries(client, "/events") <= 8


@pytest.mark.parametrize(("currency", "written", "minor"), [("JPY", "1250", 1_250), ("KWD", "1.250", 1_250)])
def test_an_amount_has_the_digits_of_its_tables_currency(currency: str, written: str, minor: int) -> None:
    TableDay.objects.create(id="athens/tables/J1/2026-11-20", property="athens", table="J1", currency=currency)
    TableDay.objects.create(id="athens/tables/E1/2026-11-20", property="athens", table="E1", currency="EUR")
    found, errors = read_filters(QueryDict(f"table=J1&from={written}"))
    assert (found.from_minor, errors) == (minor, {})
    assert found.given == {"table": "J1", "from": written}
    assert found.query() == f"table=J1&from={written}"
    assert read_filters(QueryDict("table=E1&to=12.50"))[0].to_minor == 1_250
    _found, errors = read_filters(QueryDict("table=J1&from=0.12345"))
    assert "is not an amount such as" in errors["from"]
