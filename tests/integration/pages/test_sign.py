"""The sign and the progressive's page, as the server writes them: their live streams and their first values."""

import re

import pytest
from django.test import Client

from tests.support.houses.small_house import House
from tests.support.pages.page_text_and_queries import queries, source, words

pytestmark = pytest.mark.django_db


def test_the_sign_shows_the_meters_and_nobodys_name(client: Client, evening_house: House) -> None:
    page = words(client, "/progressives/blazing/sign")
    assert page.startswith("blazing blazing EUR mega 25,001.50 major 8,001.20 minor PENDING")
    written = source(client, "/progressives/blazing/sign")
    assert "<a " not in written
    assert "g-7" not in written
    assert " style=" not in written


def test_the_pages_listen_at_their_own_address(client: Client, evening_house: House) -> None:
    for url in ("/progressives/blazing", "/progressives/blazing/sign"):
        response = client.get(url)
        assert "connect-src 'self';" in response.headers["Content-Security-Policy"]
        assert 'data-url="/live/progressives/blazing"' in response.content.decode()


def test_a_level_with_a_waiting_hit_says_pending(client: Client, evening_house: House) -> None:
    page = source(client, "/progressives/blazing")
    assert page.count('data-status="pending"') == 1
    assert re.search(r'data-level="minor"\s+data-status="pending"', page)


def test_an_unknown_progressive_has_no_sign(client: Client, evening_house: House) -> None:
    assert "There is no progressive nope." in words(client, "/progressives/nope/sign", 404)


def test_the_sign_asks_little(client: Client, evening_house: House) -> None:
    assert queries(client, "/progressives/blazing/sign") <= 9  # two of them for who it is
