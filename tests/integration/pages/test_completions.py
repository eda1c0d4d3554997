"""Suggestions in the search field: fields, then occurring values. Names of people become ids."""

import html
import re

import pytest
from django.test import Client

from backoffice.access.models import Look
from backoffice.models import Person
from backoffice.surveillance.search import deadline_of_database_statements
from backoffice.surveillance.search.completion import AT_MOST, completions
from backoffice.surveillance.search.field_conditions import FIELDS
from backoffice.surveillance.search.search_to_log_conditions import search
from projections.eventlog.models import EventLog
from tests.support.houses.small_house import DAY, House
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db


def offered(text: str, at: int | None = None, people: dict[str, str] | None = None) -> list[str]:
    return [completion.value for completion in completions(text, len(text) if at is None else at, people or {})]


def test_completions_end_at_their_deadline(evening_house: House) -> None:
    """Fields need no database, and values known before the deadline are still offered."""
    assert [
        completion.value
        for completion in completions("ta", 2, {}, until=deadline_of_database_statements.monotonic_time() + 60)
    ] == ["table:"]
    assert (
        completions("dealer:", 7, {}, until=deadline_of_database_statements.monotonic_time() + 60)
        == completions("dealer:", 7, {})
        != ()
    )
    assert completions("dealer:", 7, {}, until=deadline_of_database_statements.monotonic_time()) == ()
    known = completions("player:g", 8, {"g-1": "Gina"}, until=deadline_of_database_statements.monotonic_time())
    assert [completion.value for completion in known] == ["g-1"]


def test_fields_are_offered_by_their_beginning(evening_house: House) -> None:
    assert offered("ta") == offered("-(ta") == offered("type:bet.placed OR (-ta") == ["table:"]
    assert offered("de") == ["dealer:", "device:"]
    assert len(offered("")) == AT_MOST
    (only,) = completions("amount:5 -ta day:2026-11-20", 12, {})
    assert (only.text, only.caret) == ("amount:5 -table: day:2026-11-20", 16)
    assert only.meaning == "Only events of this table"
    assert offered("nothing") == []


@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ("table:", ["BJ1", "FR1", "FR2"]),
        ("table:f", ["FR1", "FR2"]),
        ("table:FR1,B", ["BJ1"]),
        ("player:g-", ["g-1", "g-2", "g-3", "g-7", "g-8"]),
        ("-dealer:d", ["dora"]),
        ("day:", [DAY]),
        ("outcome:wo", ["win"]),
        ("wager:do", ["dozen"]),
        ("type:ball.la", ["ball.landed", "ball.launched"]),
        ("tender:pro", ["promotional"]),
        ('actorrole:"pit b', ["pit boss"]),
        ("irregularity:", ["mispay"]),
        ("amount:5", []),
        ("nothing:x", []),
        ('reason "table:', []),
    ],
)
def test_values_that_occur_are_offered(evening_house: House, typed: str, values: list[str]) -> None:
    assert offered(typed) == values


def test_what_is_offered_is_a_search_that_finds_something(evening_house: House) -> None:
    """Values with blanks are quoted, and the search understands each offered value."""
    for field in FIELDS:
        for completion in completions(f"{field}:", len(field) + 1, {}):
            assert completion.caret == len(completion.text)
            search(completion.text)
    (quoted,) = completions('actorrole:"pit b', 16, {})
    assert quoted.text == 'actorrole:"pit boss"'
    assert search(quoted.text).rows().exists()


def test_a_values_queries_do_not_grow_with_the_log(
    evening_house: House, django_assert_max_num_queries: pytest.FixtureRequest
) -> None:
    with django_assert_max_num_queries(AT_MOST + 1):  # type: ignore[operator]  # a context of pytest-django
        offered("player:")


def test_players_known_by_a_buy_in_alone_wait_for_the_count(evening_house: House) -> None:
    bought = EventLog.objects.filter(type="buyin.made.v1").first()
    assert bought is not None
    EventLog.objects.filter(pk=bought.pk).update(player="zz-9")
    assert offered("player:zz") == ["zz-9"]
    assert completions("player:zz", 9, {}, hidden_streams=(bought.stream,)) == ()


def test_a_name_completes_to_an_id_for_whom_names_are_told(evening_house: House) -> None:
    Person.objects.update_or_create(id="dora", defaults={"name": "Dora Samara"})
    watcher = signed_in(Client(), "sven")
    shown = watcher.post("/events/complete", {"q": "dealer:sam", "at": "10"}).content.decode()
    assert re.findall(r'data-text="([^"]*)" data-caret="(\d+)"', html.unescape(shown)) == [("dealer:dora", "11")]
    assert "Dora Samara" in shown
    auditor = signed_in(Client(), "olga")
    hidden = auditor.post("/events/complete", {"q": "dealer:sam"}).content.decode()
    assert "dora" not in hidden
    assert " hidden" in hidden
    (line,) = Look.objects.all()
    assert (line.person, line.what) == ("sven", "/events/complete?shown=dora"), "ids stand there, and no name"


def test_a_program_is_told_ids_alone(client: Client, evening_house: House) -> None:
    Person.objects.update_or_create(id="dora", defaults={"name": "Dora Samara"})
    watcher = signed_in(Client(), "sven")
    assert watcher.get("/api/v1/search/completions", {"q": "dealer:Sam"}).json() == {"completions": [], "at_most": 12}
    (completion,) = client.get("/api/v1/search/completions", {"q": "table:B -has:box", "at": "7"}).json()["completions"]
    assert (completion["value"], completion["text"], completion["caret"]) == ("BJ1", "table:BJ1 -has:box", 9)
    refused = client.get("/api/v1/search/completions", {"q": "x" * 2_001})
    assert (refused.status_code, refused.headers["Content-Type"]) == (400, "application/problem+json")
