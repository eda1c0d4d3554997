"""A page is declared once, in one place: address, menu, help, interface, document and sheet follow."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.test import Client, override_settings
from django.urls import include, path, reverse
from msgspec import structs

from backoffice.kit.page_declaration import Page
from backoffice.kit.reader_and_read_rule_types import Reader, ReadRule, roles
from backoffice.kit.site_from_page_declarations import Site
from backoffice.openapi import action_interface_openapi_document as openapi
from backoffice.people.urls import urlpatterns as entrance
from backoffice.site.page_declarations_in_menu_order import PLAIN, SOURCE
from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import figures, queries, source, words
from tests.toys.page import DUTY, ROLL, SITE

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.toys.urls")]

TEMPLATES = str(Path(__file__).parents[2] / "toys" / "templates")


@pytest.fixture(autouse=True)
def with_templates() -> Iterator[None]:
    ours: dict[str, Any] = settings.TEMPLATES[0]
    with override_settings(TEMPLATES=[{**ours, "DIRS": [*ours["DIRS"], TEMPLATES]}]):
        yield


def test_it_has_an_address_and_stands_in_the_menu_of_every_page(client: Client, evening_house: House) -> None:
    assert reverse("duty", args=["FR1"]) == "/duty/FR1"
    assert "Duty FR1" in words(client, "/duty/FR1")
    for url in ("/", "/progressives/", "/events", "/roll"):
        entry = re.search(r'<a href="/roll" data-go="r"( aria-current="page")?>\s*Roll</a>', source(client, url))
        assert entry is not None
        assert bool(entry[1]) == (url == "/roll")


def test_its_key_stands_in_the_help(client: Client, evening_house: House) -> None:
    assert "<dt><kbd>g</kbd> <kbd>r</kbd></dt><dd>go to the roll</dd>" in source(client, "/events")


def test_a_page_without_an_entry_marks_the_one_it_belongs_to(client: Client, evening_house: House) -> None:
    assert re.search(r'href="/roll"[^>]*aria-current="page"', source(client, "/duty/FR1"))


def test_its_figures_lead_to_their_events(client: Client, evening_house: House) -> None:
    figures_ = figures(client, "/duty/FR1")
    address, sent = figures_["sent-dora"]
    assert f"{sent} events" in words(client, address)


def test_its_figures_are_there_for_programs_and_documented(client: Client, evening_house: House) -> None:
    response = client.get("/api/v1/duty/FR1")
    assert response.json()["senders"][0].keys() == {"person", "role", "events"}
    assert int(response.headers["Pitledger-Position"]) > 0
    operation = openapi.build(SITE)["paths"]["/duty/{table}"]["get"]
    assert operation["summary"] == "Who sent what at a table."
    assert operation["responses"]["200"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/read.Duty"
    }


def test_its_sheet_proves_itself(client: Client, evening_house: House) -> None:
    assert 'href="/duty/FR1.csv"' in source(client, "/duty/FR1")
    response = client.get("/duty/FR1.csv")
    lines = response.content.decode().splitlines(keepends=True)
    assert response.headers["Content-Disposition"] == 'attachment; filename="pitledger-duty.csv"'
    assert [line.strip() for line in lines[:2]] == ["\ufeffWho sent what", "table,FR1"]
    assert lines[4].strip() == "person,role,events"
    assert lines[5].startswith("dora,dealer,")
    assert lines[-1].strip() == f"SHA-256 of the lines above,{hashlib.sha256(''.join(lines[:-1]).encode()).hexdigest()}"


def test_what_is_not_there_is_so_in_every_form(client: Client, evening_house: House) -> None:
    assert "Nothing happened at the table 'X9'" in words(client, "/duty/X9", 404)
    assert client.get("/duty/X9.csv").status_code == 404
    assert client.get("/api/v1/duty/X9").json()["detail"] == "nothing happened at the table 'X9'"


def test_empty_it_says_what_would_be_there(client: Client, house: House) -> None:
    assert "Nobody was called yet" in words(client, "/roll")


def test_it_asks_the_database_what_it_says(client: Client, evening_house: House) -> None:
    assert queries(client, "/duty/FR1") == queries(client, "/duty/FR2")


def test_a_page_without_a_rule_who_may_read_it_cannot_be() -> None:
    with pytest.raises(TypeError, match="open_to"):
        Page(name="open", path="open", title="Open")  # type: ignore[call-arg]
    with pytest.raises(ImproperlyConfigured, match="the page duty: no read rule"):
        Site([structs.replace(DUTY, open_to=None)], SOURCE)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"name": "duty"}, "the name 'duty' twice"),
        ({"path": "duty/<str:table>"}, "the path 'duty/<str:table>' twice"),
        ({"query": None}, "the page roll: a query or a view"),
    ],
)
def test_a_mistake_in_a_declaration_stops_the_house_at_its_start(change: dict[str, object], why: str) -> None:
    with pytest.raises(ImproperlyConfigured) as caught:
        Site([DUTY, structs.replace(ROLL, **change)], SOURCE)
    assert why in str(caught.value)


def test_who_may_not_read_it_finds_it_nowhere(client: Client, evening_house: House) -> None:
    auditor = Reader("olga", frozenset({"auditor"}))
    closed = Site([structs.replace(ROLL, open_to=roles("cage"))], SOURCE)
    assert closed.frame.menu(Reader("dora", frozenset({"dealer"})), "roll") == []
    assert [entry.key for entry in SITE.frame.menu(auditor, "roll")] == [*"fcbtypakeihmwsr"]


def test_what_is_sealed_is_so_to_auditors_too_as_long_as_it_is(client: Client, evening_house: House) -> None:
    sealed = {"FR1"}
    rule = roles("accountant", sealed=lambda places: places["table"] in sealed)
    with override_settings(ROOT_URLCONF=addresses_with(structs.replace(DUTY, open_to=rule))):
        shut = [client.get(url).status_code for url in ("/duty/FR1", "/duty/FR1.csv", "/api/v1/duty/FR1")]
        sealed.clear()
        assert shut == [403] * 3
        assert client.get("/duty/FR1").status_code == 200


def addresses_with(changed: Page) -> type:
    """Those of the house and of the toys, one page of which is declared otherwise."""
    site = Site([changed if page.name == changed.name else page for page in SITE.pages], SOURCE, plain=PLAIN)

    patterns = [path("api/v1/", include(site.api)), path("", include(entrance)), path("", include(site.urls))]
    return type("Addresses", (), {"urlpatterns": patterns})


def test_to_whom_it_is_not_open_it_says_so(client: Client, house: House) -> None:
    with override_settings(ROOT_URLCONF=addresses_with(structs.replace(ROLL, open_to=ReadRule(("cage",))))):
        text = words(client, "/roll", 403)
    assert "No access" in text
    assert "This page is for: cage. You are signed in as olga. Your roles: auditor." in text
    assert "Floor · Cage · Count room · Pit · Gaming day · Progressives · Alerts · Cases · Events" in text
