"""The event log: searched by any filter, paged by position, opened with its place in the chain, exported exactly."""

import csv
import hashlib
import html
import json
import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db.models import F
from django.http import QueryDict
from django.test import Client

from backoffice.event_log.filters import read_filters
from backoffice.models import Person
from backoffice.surveillance.search import totals
from backoffice.surveillance.search.search_to_log_conditions import search
from events.store import everything
from projections.eventlog.models import EventLog
from projections.tables.models import TableDay
from tests.support.houses.small_house import DAY, House
from tests.support.pages.page_text_and_queries import queries, source, words
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db


def _listed_events(client: Client, **filters: Any) -> list[dict[str, Any]]:
    answer = client.get("/api/v1/events", {"limit": 500, **filters})
    assert answer.status_code == 200, answer.content
    return [event["event"] for event in answer.json()["events"]]


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
        ({"wager": "straight", "type": "bet.placed.v1"}, lambda e: e["data"]["wager"] == "straight"),
        ({"tender": "promotional"}, lambda e: e["data"]["tender"] == "promotional"),
        ({"correlation": f"BJ1-{DAY}-1-1"}, lambda e: e["correlation"] == f"BJ1-{DAY}-1-1"),
        ({"stream": "athens/progressives/blazing"}, lambda e: e["subject"] == "athens/progressives/blazing"),
    ],
)
def test_events_are_found_by_any_filter(client: Client, evening_house: House, filters: Any, agrees: Any) -> None:
    events = _listed_events(client, **filters)
    assert events
    assert all(agrees(event) for event in events)
    page = words(client, "/events?" + urlencode(filters, doseq=True))
    assert f"{len(events)} event" in page


def test_pages_join_without_gap_or_overlap(client: Client, evening_house: House) -> None:
    seen: list[int] = []
    older: int | None = None
    while True:
        answer = client.get("/api/v1/events", {"limit": 40, **({"before": older} if older else {})}).json()
        seen += [event["position"] for event in answer["events"]]
        older = answer["older"]
        if older is None:
            break
    assert seen == sorted((stored_event.position for stored_event in everything(evening_house.store)), reverse=True)
    assert len(seen) > 100


@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_pages_of_the_page_join_and_lead_back(client: Client, evening_house: House, order: str) -> None:
    """Every page forwards, and from the last one backwards again the same pages."""
    parameters = {"q": "-type:bet.placed", "order": order}
    there = _pages(client, f"/events?{urlencode(parameters)}", "next")
    seen = [position for page in there for position in page]
    expected = EventLog.objects.exclude(type="bet.placed.v1").order_by("-position" if order == "newest" else "position")
    assert seen == list(expected.values_list("position", flat=True))
    assert len(there) > 3
    address, last = _last(client, f"/events?{urlencode(parameters)}")
    assert last == there[-1]
    assert _pages(client, address, "prev")[::-1][-3:] == there[-3:]


def _positions(page: str) -> list[int]:
    return [int(position) for position in re.findall(r'data-event="(\d+)"', page)]


def _on(page: str, rel: str) -> str:
    match = re.search(rf'href="(\?[^"]*)" rel="{rel}"', page)
    return f"/events{html.unescape(match[1])}" if match else ""


def _pages(client: Client, address: str, rel: str) -> list[list[int]]:
    pages = []
    while address:
        page = source(client, address)
        pages.append(_positions(page))
        address = _on(page, rel)
    return pages


def _last(client: Client, address: str) -> tuple[str, list[int]]:
    while following := _on(page := source(client, address), "next"):
        address = following
    return address, _positions(page)


def test_newer_leads_back_to_the_same_page(client: Client, evening_house: House) -> None:
    first = client.get("/api/v1/events", {"limit": 40}).json()
    second = client.get("/api/v1/events", {"limit": 40, "before": first["older"]}).json()
    back = client.get("/api/v1/events", {"limit": 40, "after": second["newer"]}).json()
    assert back["events"] == first["events"]
    assert back["newer"] is None


def test_every_filter_stands_as_a_chip_that_takes_it_away(client: Client, evening_house: House) -> None:
    page = source(client, f"/events?table=FR1&gaming_day={DAY}&round=2")
    assert f'href="?q=table%3AFR1+day%3A{DAY}"' in page
    assert 'aria-label="Remove the filter round 2"' in page
    assert f'value="table:FR1 day:{DAY} round:2"' in page


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("round=two", "is not a whole number"),
        ("from=lots", "is not an amount"),
        ("to=1.005", "is not an amount"),
        ("sum=nothing", "There is no sum"),
        ("before=x", "is not a whole number"),
        ("round=" + "9" * 30, "is not a whole number"),
    ],
)
def test_what_cannot_be_read_is_said_at_its_field(client: Client, evening_house: House, query: str, says: str) -> None:
    assert says in words(client, f"/events?{query}", 400)
    for other in ("export.jsonl", "export.csv", "total"):
        assert client.get(f"/events/{other}?{query}").status_code == 400
    problem = client.get(f"/api/v1/events?{query}")
    assert (problem.status_code, problem.headers["Content-Type"]) == (400, "application/problem+json")


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("table=%27%3B--", 200),
        ("q=%25", 400),
        ("player=%00x", 400),
        ("type=%3Cscript%3E", 400),
        ("stream=athens%2Fb", 200),
        ("q=%3Cscript%3E:x", 400),
        ("q=%3Cscript%3E", 400),
        ("q=%22%3Cscript%3E:x%22", 200),
        ("q=x&who=%3Cscript%3E", 200),
    ],
)
def test_strange_text_finds_nothing_and_breaks_nothing(
    client: Client, evening_house: House, query: str, status: int
) -> None:
    page = source(client, f"/events?{query}", status)
    assert "<script>" not in page
    assert not _positions(page)


@pytest.mark.parametrize(
    ("typed", "says", "marked"),
    [
        ("table:BJ1 tabel:BJ1", "there is no field &quot;tabel&quot;. Did you mean table", "tabel:BJ1"),
        ("amount:lots x", "is not an amount", "lots"),
        ('reason "open', "these quotes are not closed", "&quot;open"),
    ],
)
def test_what_cannot_be_understood_is_marked_and_finds_nothing(
    client: Client, evening_house: House, typed: str, says: str, marked: str
) -> None:
    page = source(client, f"/events?{urlencode({'q': typed})}", 400)
    assert says in page
    assert f"<mark>{marked}" in page
    assert not _positions(page)
    assert 'id="total"' not in page


def test_what_is_typed_becomes_an_address(client: Client, evening_house: House) -> None:
    answer = client.post("/events/find", {"q": " table:FR1 -type:bet.placed ", "order": "oldest"})
    assert answer.headers["Location"] == "/events?q=table%3AFR1+-type%3Abet.placed&order=oldest"
    assert client.post("/events/find", {"q": ""}).headers["Location"] == "/events"
    assert client.post("/events/find", {"q": "7"}).headers["Location"] == "/events/7"


def test_a_row_reads(client: Client, evening_house: House) -> None:
    """A row shows the number, the card, the result of a bet, the winnings due, and the words of a mispay."""
    assert "result recorded 22 black" in words(client, "/events?q=type:ball.landed+round:6")
    assert re.search(r'class="playing red">\s*\w+[♥♦]', source(client, "/events?q=type:card.dealt"))
    assert "bet settled red won 20.00" in words(client, "/events?q=type:bet.settled+wager:red")
    assert "mispay" in words(client, "/events?q=type:irregularity.recorded")


def test_a_bare_word_is_offered_as_what_it_probably_is(client: Client, evening_house: House) -> None:
    page = source(client, "/events?q=g-7+type:bet.placed")
    assert "Did you mean" in page
    assert 'href="?q=player%3Ag-7+type%3Abet.placed"' in page
    assert 'href="?q=table%3AFR1"' in source(client, "/events?q=FR1")
    numbers = source(client, "/events?q=x+17.50+17")
    assert 'href="?q=x+amount%3A17.50+17"' in numbers
    assert 'href="?q=x+17.50+round%3A17"' in numbers
    assert "Did you mean" not in source(client, "/events?q=table:FR1+nothing")


@pytest.mark.parametrize(
    ("typed", "offered"), [("amount:1,250.00", "amount%3A1250.00"), ("table:FR1 -due:1,250", "table%3AFR1+-due%3A1250")]
)
def test_an_amount_in_groups_of_digits_is_two_values_and_offered_as_one(
    evening_house: House, client: Client, typed: str, offered: str
) -> None:
    assert f'href="?q={offered}"' in source(client, f"/events?{urlencode({'q': typed})}")
    for other in ("amount:500,250", "amount:1250.00", 'amount:"1,250.00"', "seat:1,250"):
        page = source(client, f"/events?{urlencode({'q': other})}")
        assert ("Did you mean" in page) == (other == "amount:500,250"), other


def test_names_become_ids_before_an_address_has_them(evening_house: House) -> None:
    """This holds for a search with an error too, and for a name alone."""
    for person, name in (("dora", "Dora Samara"), ("ines", "Irini Kosta")):
        Person.objects.update_or_create(id=person, defaults={"name": name})
    watcher = signed_in(Client(), "sven")
    answers = {
        'dealer:"dora samara" table:FR1': "/events?q=dealer%3Adora+table%3AFR1",
        "-actor:Kosta": "/events?q=-actor%3Aines",
        "Dora Samara table:FR1": "/events?q=table%3AFR1&who=dora",
        "samara": "/events?who=dora",
    }
    for typed, address in answers.items():
        assert watcher.post("/events/find", {"q": typed}).headers["Location"] == address
    broken = watcher.post("/events/find", {"q": 'dealer:"Dora Samara'})
    assert (broken.status_code, "Location" in broken.headers) == (400, False)
    offered = source(watcher, "/events?q=table:FR1&who=dora")
    assert 'href="?q=table%3AFR1+dealer%3Adora"' in offered
    assert ">Dora Samara</span>" in offered
    assert not _positions(offered)
    auditor = signed_in(Client(), "olga")
    for typed in ("samara", 'table:FR1 dealer:"Dora Samara"'):
        refused = auditor.post("/events/find", {"q": typed})
        assert (refused.status_code, "Location" in refused.headers) == (400, False)
        assert "This is a person&#x27;s name" in refused.content.decode()
    assert "Did you mean" not in source(auditor, "/events?who=dora"), "who knows no names has no use for it"


def test_an_event_opens_with_its_bytes_and_its_chain(client: Client, evening_house: House) -> None:
    stored = EventLog.objects.filter(type="ball.landed.v1").order_by("position")[1]
    page = words(client, f"/events/{stored.position}")
    assert stored.event_id in page
    assert hashlib.sha256(bytes(stored.raw)).hexdigest() in page
    assert json.loads(bytes(stored.raw))["prev"] in page
    assert "matches the previous event of the stream" in page
    assert '"number": ' in page


def test_the_first_event_of_a_stream_says_so(client: Client, evening_house: House) -> None:
    assert "first event of the stream" in words(client, "/events/1")


def test_a_broken_chain_shows(client: Client, evening_house: House) -> None:
    stored = EventLog.objects.filter(type="ball.landed.v1").order_by("position")[0]
    EventLog.objects.filter(stream=stored.stream, version=stored.version - 1).update(raw=b'{"edited": true}')
    assert "does not match the previous event of the stream" in words(client, f"/events/{stored.position}")


def test_in_its_row_an_event_is_a_fragment(client: Client, evening_house: House) -> None:
    answer = client.get("/events/5", headers={"HX-Request": "true"})
    assert b"<html" not in answer.content
    assert b"Digest" in answer.content


def test_a_search_for_a_position_or_an_id_opens_the_event(client: Client, evening_house: House) -> None:
    stored = EventLog.objects.get(position=7)
    assert client.get("/events?q=7").headers["Location"] == "/events/7"
    assert client.get("/events", {"q": stored.event_id}).headers["Location"] == "/events/7"
    assert "Page not found" in words(client, "/events/999999", 404)


def test_an_export_has_the_stores_own_bytes(client: Client, evening_house: House) -> None:
    answer = client.get("/events/export.jsonl", {"table": "FR1", "gaming_day": DAY})
    assert answer.streaming
    lines = b"".join(answer).splitlines()
    stored = [event.raw for event in everything(evening_house.store) if event.stream.endswith(f"tables/FR1/{DAY}")]
    assert lines == stored
    assert answer.headers["Content-Disposition"] == f'attachment; filename="pitledger-events-FR1-{DAY}.jsonl"'


def test_an_export_as_a_sheet_proves_itself(client: Client, evening_house: House) -> None:
    answer = client.get("/events/export.csv", {"q": f"type:buyin.made day:{DAY}"})
    assert answer.streaming
    text = b"".join(answer).decode()
    *lines, last = text.splitlines(keepends=True)
    assert last == f"SHA-256 of the lines above,{hashlib.sha256(''.join(lines).encode()).hexdigest()}\r\n"
    assert lines[1].strip() == f"search,type:buyin.made day:{DAY}"
    rows = list(csv.DictReader(lines[4:]))
    rows_ = EventLog.objects.filter(type="buyin.made.v1").order_by("position")
    assert [(int(row["position"]), int(row["amount_minor"])) for row in rows] == list(
        rows_.values_list("position", "amount_minor")
    )
    name = f"pitledger-events-{DAY}-buyin.made.csv"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'


def test_a_search_by_what_no_column_holds_is_added_up_too(client: Client, evening_house: House) -> None:
    """The page reads each event for the total. Over half a second, or over the maximum of events, it reports this."""
    matches = _listed_events(client, wager="red", type="bet.placed.v1")
    page = source(client, "/events?q=wager:red+type:bet.placed")
    assert f"<strong>{len(matches)}</strong> events" in page
    amount = sum(event["data"]["amount_minor"] for event in matches)
    assert f'value="{amount}"' in page[page.index('id="total"') :]
    few = totals.totals(search("wager:red type:bet.placed"), at_most=1)
    assert (few.events, few.is_complete) == (1, False)


def test_a_sum_over_many_events_is_added_up_afterwards(
    client: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backoffice.surveillance.search.page_content.AT_ONCE", 10)
    address = f"/events?table=FR1&gaming_day={DAY}&sum=event-win"
    assert re.search(r"\b\d\+ events Calculating total", words(client, address)), "of ten that it looked at"
    assert 'hx-get="/events/total?' in source(client, address)
    assert "18 events" in words(client, address.replace("/events?", "/events/total?"))


def test_an_event_says_how_long_after_its_devices_clock_it_was_recorded(client: Client, evening_house: House) -> None:
    row = EventLog.objects.get(position=30)
    EventLog.objects.filter(position=30).update(recordedat=row.time + timedelta(seconds=495))
    EventLog.objects.filter(position=31).update(recordedat=F("time") + timedelta(seconds=3))
    assert "8:15 after the device's time" in words(client, "/events/30")
    assert "after the device's time" not in words(client, "/events/31")


def test_an_empty_log_explains_itself(client: Client, house: House) -> None:
    assert "No events yet" in words(client, "/events")
    assert "No event matches" in words(client, "/events?table=FR1")


def test_the_number_of_queries_does_not_grow(client: Client, evening_house: House) -> None:
    assert queries(client, "/events?table=R9") < queries(client, "/events?table=FR1") < queries(client, "/events") <= 8


@pytest.mark.parametrize(("currency", "written", "minor"), [("JPY", "1250", 1_250), ("KWD", "1.250", 1_250)])
def test_an_amount_has_the_digits_of_its_tables_currency(currency: str, written: str, minor: int) -> None:
    TableDay.objects.create(id="athens/tables/J1/2026-11-20", property="athens", table="J1", currency=currency)
    TableDay.objects.create(id="athens/tables/E1/2026-11-20", property="athens", table="E1", currency="EUR")
    filters, errors = read_filters(QueryDict(f"table=J1&from={written}"))
    assert (filters.from_minor, errors) == (minor, {})
    assert filters.query() == f"table=J1&from={written}"
    assert read_filters(QueryDict("table=E1&to=12.50"))[0].to_minor == 1_250
    _filters, errors = read_filters(QueryDict("table=J1&from=0.12345"))
    assert "is not an amount" in str(errors["from"])


def test_an_event_says_in_words_what_it_is(client: Client, evening_house: House) -> None:
    paid = EventLog.objects.filter(type="payment.made.v1", table="FR1").earliest("position")
    text = words(client, f"/events/{paid.position}")
    head = text[text.index("Winnings paid") : text.index("Id athens")]
    assert "player g-1" in head
    assert "recorded by dora, dealer" in head
