"""A parameter that appears twice is refused at every address, with the same words: else one value would not count."""

import re

import pytest
from django.core.exceptions import SuspiciousOperation
from django.test import Client, RequestFactory
from django.urls import get_resolver
from django.views.defaults import bad_request

from backoffice.urls import addresses
from tests.support.houses.evening_with_everything import MISPAY_ALERT
from tests.support.houses.small_house import House
from tests.support.pages.addresses import address_of
from tests.support.pages.page_actors import at
from tests.support.pages.sign_in import signed_in

pytestmark = pytest.mark.django_db

WORDS = "A parameter appears more than once. Send it once."
OPEN_CASE = "/cases/do/case.open"


def every_address() -> list[str]:
    """Every address that the resolver knows, with something in each place, also those of the sign-in."""
    written = [pair for pair in addresses(get_resolver().url_patterns) if not pair[0].startswith("/^")]
    return sorted({address_of(where.replace("<int:pk>", "1"), pattern) for where, pattern in written})


@pytest.mark.usefixtures("evening_house")
def test_every_address_refuses_a_parameter_that_appears_twice(client: Client) -> None:
    addresses = every_address()
    assert {"/events/live", "/api/v1/search", "/sign-in", OPEN_CASE} <= set(addresses)
    for address in addresses:
        answer = client.get(f"{address}?q=5&q=7")
        content = answer.content.decode()
        assert answer.status_code == 400, address
        assert WORDS in content, address
        if address.startswith("/api/"):
            assert answer.headers["Content-Type"] == "application/problem+json", address
            assert (answer.json()["field"], answer.json()["code"]) == ("q", "request-parameter-twice"), address
    assert len(addresses) > 300


@pytest.mark.usefixtures("evening_house")
def test_equal_values_and_empty_ones_are_refused_too(client: Client) -> None:
    for query in ("table=FR1&table=FR1", "q=&q=a", "order=oldest&order=newest", "seen=1&seen=2"):
        assert client.get(f"/events/live?{query}").status_code == 400, query


def test_a_form_that_is_posted_to_such_an_address_does_nothing(evening_house: House) -> None:
    before = evening_house.store.position()
    form = {"title": "Short pays", "category": "theft", "severity": "high", "form-step": "send"}
    assert at("sven").post(f"{OPEN_CASE}?note=a&note=b", form).status_code == 400
    assert evening_house.store.position() == before


@pytest.mark.usefixtures("evening_house")
def test_a_list_keeps_each_of_its_values(client: Client) -> None:
    both = "type=bet.placed.v1&type=round.opened.v1"
    entries = client.get(f"/api/v1/events?{both}&limit=100").json()["events"]
    assert {entry["event"]["type"] for entry in entries} == {"bet.placed.v1", "round.opened.v1"}
    for address in ("/events", "/events/live", "/events/saved", "/events/facets", "/events/export.csv"):
        assert client.get(f"{address}?{both}").status_code == 200, address
    form = at("sven").get(f"{OPEN_CASE}?alerts={MISPAY_ALERT}&people=g-1&people=g-2&roles=security&roles=pit+boss")
    shown = form.content.decode()
    assert "g-1\ng-2</textarea>" in shown
    assert shown.count(" checked") >= 2


@pytest.mark.usefixtures("evening_house")
def test_an_invalid_value_names_its_parameter(client: Client) -> None:
    assert client.get("/api/v1/search", {"after": "x"}).json()["field"] == "after"


@pytest.mark.usefixtures("evening_house")
def test_a_value_that_a_page_does_not_know_is_refused_with_the_reason() -> None:
    for address in ("/cases?status=lost", "/cases?limit=x", "/alerts?status=lost", "/alerts?name=lost"):
        answer = signed_in(Client(), "sven").get(address)
        name = address.partition("?")[2].partition("=")[0]
        assert answer.status_code == 400, address
        assert f"<code>{name}</code>" in answer.content.decode(), address
        assert re.findall("<h1>(.*?)</h1>", answer.content.decode()) == ["Invalid request"], address


def test_a_request_that_django_refuses_gets_the_same_page() -> None:
    answer = bad_request(RequestFactory().get("/"), SuspiciousOperation())
    assert answer.status_code == 400
    assert "<h1>Invalid request</h1>" in answer.content.decode()
    assert "<code>" not in answer.content.decode(), "it names no parameter"
