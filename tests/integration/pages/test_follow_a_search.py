"""A followed search shows only new events, does no work without them, and is one line in the access log."""

import re

import pytest
from django.test import Client

from backoffice.access.models import Look
from tests.support.houses.small_house import House

pytestmark = pytest.mark.django_db
LIVE = 'hx-get="/events/live?q=table%3ABJ1&amp;follow=1"'


def page_text(client: Client, **parameters: str) -> str:
    return client.get("/events", {"q": "table:BJ1", **parameters}).content.decode()


def test_a_followed_search_asks_for_what_is_new(evening_house: House, client: Client) -> None:
    page = page_text(client, follow="1")
    assert LIVE in page
    assert "Stop following" in page
    assert LIVE not in page_text(client)
    assert "follow=1" in page_text(client), "it can be followed"


@pytest.mark.parametrize("parameters", [{"order": "oldest"}, {"before": "50"}, {"after": "50"}])
def test_where_nothing_new_would_stand_nothing_is_followed(
    evening_house: House, client: Client, parameters: dict[str, str]
) -> None:
    assert "/events/live" not in page_text(client, follow="1", **parameters)


def test_it_costs_nothing_while_nothing_happens_and_is_one_look(evening_house: House, client: Client) -> None:
    [seen] = re.findall(r'name="seen" value="([^"]*)"', page_text(client, follow="1"))
    looks = Look.objects.count()
    assert client.get("/events/live", {"q": "table:BJ1", "follow": "1", "seen": seen}).status_code == 204
    rows = client.get("/events/live", {"q": "table:BJ1", "follow": "1", "seen": "old"})
    assert rows.content.decode().count("<tr") > 20
    assert Look.objects.count() == looks
    assert Look.objects.order_by("-number")[0].what.endswith("q=table:BJ1&follow=1")


def test_what_cannot_be_understood_is_said(evening_house: House, client: Client) -> None:
    answer = client.get("/events/live", {"q": "tabel:BJ1", "follow": "1", "seen": "old"})
    assert (answer.status_code, b"there is no field" in answer.content) == (400, True)
