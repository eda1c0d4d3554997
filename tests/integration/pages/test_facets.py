"""Results of a search, counted by type, table, dealer and player, against an independent count."""

import html
import re
from collections import Counter
from urllib.parse import urlencode

import msgspec
import pytest
from django.test import Client

from backoffice.surveillance.search.facets import AT_MOST, FIELDS, SHOWN, facets
from backoffice.surveillance.search.paged_search_within_time_limit import all_matches
from backoffice.surveillance.search.search_to_log_conditions import search
from projections.eventlog.models import EventLog
from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import queries, source, words

pytestmark = pytest.mark.django_db


def naive(text: str, field: str) -> list[tuple[str, int]]:
    counts: Counter[str] = Counter()
    for stored_event in all_matches(search(text)):
        event = msgspec.json.decode(stored_event.raw)
        value = event["type"].removesuffix(".v1") if field == "type" else event["data"].get(field)
        if value:
            counts[value] += 1
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:SHOWN]


@pytest.mark.parametrize("text", ["", "table:FR1", "-type:bet.placed", "wager:red", "mispay", "table:ZZ"])
def test_each_value_has_as_many_events_as_a_search_for_it(evening_house: House, text: str) -> None:
    counts = facets(search(text), within_s=60)
    assert counts.is_complete
    assert counts.events == len([*all_matches(search(text))])
    for field in FIELDS:
        assert [(value.value, value.events) for value in counts.by[field]] == naive(text, field)
        for value in counts.by[field]:
            assert len([*all_matches(search(f"{text} {value.clause}"))]) == value.events


def test_what_is_counted_is_bounded_by_events_and_by_time(evening_house: House) -> None:
    few = facets(search(""), at_most=20)
    assert (few.events, few.is_complete) == (20, False)
    assert sum(value.events for value in few.by["type"]) <= 20
    assert facets(search(""), at_most=EventLog.objects.count()).is_complete
    assert AT_MOST == 10_000


def test_the_page_leads_on_from_each_count(client: Client, evening_house: House) -> None:
    assert 'hx-get="/events/facets?q=table%3AFR1"' in source(client, "/events?q=table:FR1")
    page = source(client, "/events/facets?q=table:FR1&order=oldest")
    assert "At the table" not in page, "the search says it itself"
    links = [html.unescape(link) for link in re.findall(r'href="(/events\?[^"]*)"', page)]
    assert "/events?" + urlencode({"q": "table:FR1 type:bet.settled", "order": "oldest"}) in links
    assert "/events?" + urlencode({"q": "table:FR1 player:g-1", "order": "oldest"}) in links
    for link in links:
        assert "No event matches" not in words(client, link)
    assert queries(client, "/events/facets?q=table:FR1") <= 20
    assert client.get("/events/facets?q=tabel:x").status_code == 400


def test_a_count_that_goes_no_further_says_so(
    client: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = facets(search(""), at_most=20)
    monkeypatch.setattr("backoffice.surveillance.search.page_content.facets.facets", lambda search_: few)
    assert "Counted in the newest 20 matches." in words(client, "/events/facets")


def test_bytes_that_say_nothing_are_counted_under_no_value(evening_house: House) -> None:
    before = facets(search(""))
    EventLog.objects.filter(position=51).update(raw=b"nothing")
    counts = facets(search(""))
    assert counts.events == before.events == EventLog.objects.count()
    assert sum(value.events for value in counts.by["table"]) == sum(value.events for value in before.by["table"]) - 1


def test_programs_are_told_the_same(client: Client, evening_house: House) -> None:
    answer = client.get("/api/v1/search/facets", {"q": "table:FR1"}).json()
    assert answer == msgspec.json.decode(msgspec.json.encode(facets(search("table:FR1"))))
    refused = client.get("/api/v1/search/facets", {"q": "tabel:x"})
    assert (refused.status_code, refused.headers["Content-Type"]) == (400, "application/problem+json")
