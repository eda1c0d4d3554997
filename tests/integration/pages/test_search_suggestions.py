"""Bare words are offered as the filters that they probably are: on the page, to programs, in the command."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from backoffice.surveillance.search.field_conditions import FIELDS, HAS
from backoffice.surveillance.search.page_content import LABELS, _field_label
from backoffice.surveillance.search.paged_search_within_time_limit import all_matches
from backoffice.surveillance.search.search_to_log_conditions import search
from events.store import everything as stored
from projections.eventlog.search_filter_vocabulary import VOCABULARY
from tests.support.houses.small_house import DAY, House
from tests.support.pages.page_text_and_queries import source, words

pytestmark = pytest.mark.django_db

PROBABLE = {
    "42,122.50": "amount:42122.50",
    "12.50": "amount:12.50",
    "23:30": "time:23:30",
    "23:30:15": "time:23:30:15",
    f"{DAY}T23:30": f"time:{DAY}T23:30",
    DAY: f"day:{DAY}",
    "FR1": "table:FR1",
    "dora": "dealer:dora",
    "g-7": "player:g-7",
    f"FR1/{DAY}/2": f"round:FR1/{DAY}/2",
    "17": "round:17",
    "bet.placed": "type:bet.placed",
    "table:FR1 or table:BJ1": "table:FR1 OR table:BJ1",
}


@pytest.mark.parametrize(("typed", "meant"), PROBABLE.items())
def test_a_bare_word_is_offered_as_the_filter_that_it_probably_is(
    client: Client, evening_house: House, typed: str, meant: str
) -> None:
    answer = client.get("/api/v1/search", {"q": typed}).json()
    assert meant in [suggestion["q"] for suggestion in answer["suggestions"]]
    err = io.StringIO()
    call_command("search", typed, stdout=io.StringIO(), stderr=err)
    assert f"Did you mean: {meant}\n" in err.getvalue()
    if not typed.isdecimal():  # that is the page of the event at this position
        assert "Did you mean" in words(client, f"/events?q={typed}")


def test_somebodys_name_is_offered_as_filters_by_id(evening_house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backoffice.people.staff_list_and_name_lookup.names", lambda: {"dora": "Dora Samara"})
    out, err = io.StringIO(), io.StringIO()
    call_command("search", "Dora Samara table:FR1", "--json", stdout=out, stderr=err)
    assert "Did you mean: table:FR1 dealer:dora\n" in err.getvalue()
    assert json.loads(out.getvalue()) == {"next": None}
    call_command("search", 'dealer:"Dora Samara"', "--json", "--limit=1", stdout=out, stderr=err)
    assert '"dealer":"dora"' in out.getvalue()


def test_the_chip_of_a_time_says_that_it_is_one(client: Client, evening_house: House) -> None:
    page = words(client, "/events?q=time:23:30")
    assert "not approved in time" not in page
    assert "time 23:30" in page


def test_each_field_has_a_name_of_its_own() -> None:
    for field in FIELDS:
        in_log = {"day": "gaming_day", "amount": "amount_minor"}.get(field, field)
        assert _field_label(field) == str(LABELS[field] if field in LABELS else VOCABULARY[in_log].label)


@pytest.mark.parametrize("value", HAS)
def test_each_documented_value_of_has_is_answered(evening_house: House, other: str, value: str) -> None:
    names = {"day": "gaming_day", "amount": "amount_minor"}
    if value in ("irregularity", "due", "paid", "die"):
        assert list(all_matches(search(f"has:{value}", other))) == list(all_matches(search(f"has:{value}")))
        return
    name = names.get(value, value)
    envelope = {"stream": "subject", "device": "actordevice"}
    wanted = []
    for event_ in stored(evening_house.store):
        event = json.loads(event_.raw)
        value_ = event["data"].get(name, event.get(envelope.get(name, name)))
        wanted += [event_.position] if value_ is not None else []
    for using in ("default", other):
        assert [event.position for event in all_matches(search(f"has:{value}", using))] == wanted


def test_has_is_documented() -> None:
    text = (Path(__file__).parents[3] / "docs/reference/search.md").read_text()
    assert not [value for value in ("irregularity", "due", "paid", "slip", "die", "shoe") if f"has:{value}" not in text]


def test_a_page_that_came_to_nothing_in_time_counts_nothing(
    client: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backoffice.surveillance.search.paged_search_within_time_limit.WITHIN_S", 0.0)
    monkeypatch.setattr("backoffice.surveillance.search.paged_search_within_time_limit._FIRST", 5)
    page = source(client, f"/events?q=day:{DAY}+time:00:00..00:01+table:FR1")
    assert "No match in half a second" in page
    assert "+</strong> events" not in page


def test_parts_beside_or_are_one_chip_and_what_is_added_holds_of_both(client: Client, evening_house: House) -> None:
    page = source(client, "/events?q=table:FR1+OR+player:g-*+dealer:dora")
    assert "any of" in page
    assert "(table%3AFR1+OR+player%3Ag-%2A+dealer%3Adora)+type" in source(
        client, "/events/facets?q=table:FR1+OR+player:g-*+dealer:dora"
    ).replace("%28", "(").replace("%29", ")")
