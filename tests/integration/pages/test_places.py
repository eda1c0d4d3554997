"""The command palette offers only pages that the reader may open."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import resolve

from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.site.page_declarations_in_menu_order import SITE
from tests.support.houses.small_house import DAY, House
from tests.support.pages.addresses import ROLES
from tests.support.pages.page_actors import at
from tests.support.pages.page_text_and_queries import queries, source
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db


def offered(client: Client) -> list[dict[str, Any]]:
    places: list[dict[str, Any]] = client.get("/places").json()["places"]
    return places


def urls(client: Client) -> set[str]:
    return {place["url"] for place in offered(client)}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_offered_what_it_may_read_and_its_whole_menu(evening_house: House, role: str) -> None:
    if role not in ("administrator", "auditor"):
        evening_house.grant("maria", role)
    person = {"administrator": "adam", "auditor": "olga"}.get(role, "maria")
    client, reader = signed_in(Client(), person), Reader(person, frozenset({role}))
    places = offered(client)
    for place in places:
        path = place["url"].partition("?")[0]
        sample = path.replace("{}", DAY if path.startswith(("/days", "/cage/{", "/count-room")) else "7")
        rule = getattr(resolve(sample).func, "open_to", None)
        assert rule is not None, place
        assert rule.admits(reader), place
        assert place["words"].count("{}") == place["url"].count("{}"), place
        assert bool(place.get("typed")) == ("{}" in place["url"]), place
    keys = [(place["url"], place["key"]) for place in places if "key" in place]
    assert keys == [(entry.url, entry.key) for entry in SITE.frame.menu(reader)]


def test_an_auditor_is_offered_tables_progressives_days_and_hits_that_are_there(evening_house: House) -> None:
    client = at("olga")
    urls_ = urls(client)
    hit = f"/progressives/blazing/hits/BJ1-{DAY}-1-1"
    expected = {"/tables/FR1", "/pit/FR1", "/progressives/blazing", "/progressives/blazing/liability", hit}
    expected |= {f"/days/{DAY}", f"/days/{DAY}/luck", f"/?gaming_day={DAY}", "/integrity/looks", "/events/{}"}
    assert expected <= urls_
    for url in expected - {"/events/{}"}:
        assert client.get(url).status_code in (200, 302), url
    today = [place["url"] for place in offered(client) if place.get("also") == "today"]
    assert f"/days/{DAY}" in today


def test_who_counts_the_cage_is_offered_neither_floor_nor_events(evening_house: House) -> None:
    urls_ = urls(at("cage"))
    assert {"/cage", f"/cage/{DAY}", "/progressives/blazing"} <= urls_
    assert not [url for url in urls_ if re.match(r"/(tables|pit|days|events|\?)|/$", url)]


def test_a_typed_date_position_and_slip_have_their_form(evening_house: House) -> None:
    typed = {place["url"]: re.compile(place["typed"]) for place in offered(at("olga")) if "typed" in place}
    assert typed["/days/{}"].search("luck 2026-11-20")
    assert typed["/events/{}"].search("1204")
    assert typed["/events?q=slip:{}"].search("slip 12")
    assert typed["/cage/slips/{}/{}/{}"].search("fill-2026-17")
    assert not typed["/events/{}"].search("BJ1")


def test_it_costs_a_few_queries_and_a_page_only_its_dialog(evening_house: House) -> None:
    client = at("olga")
    source(client, "/places")
    assert queries(client, "/places") <= 12
    page = source(client, "/")
    assert 'data-places="/places"' in page
    assert "/tables/FR1/do" not in page.partition('<dialog id="palette"')[2]


def test_who_may_not_search_is_not_offered_the_search(evening_house: House) -> None:
    dialogs = {who: source(at(who), "/progressives/").partition('<dialog id="palette"')[2] for who in ("olga", "cage")}
    assert "data-search=" in dialogs["olga"]
    assert 'action="/events/find"' in dialogs["olga"]
    assert "data-search=" not in dialogs["cage"]
    assert "/events" not in dialogs["cage"].partition("</dialog>")[0]


def test_nobody_is_asked_who_they_are_and_gets_no_palette(evening_house: House) -> None:
    assert Client().get("/places").status_code == 302
    assert Client().get("/places", headers={"HX-Request": "true"}).status_code == 401
