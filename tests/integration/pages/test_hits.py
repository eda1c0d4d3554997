"""The explain page of a hit: a sum that can be checked by hand, with links to the events; the same on paper."""

import hashlib
import re

import msgspec
import pytest
from django.test import Client

from tests import evening
from tests.house import DAY, House
from tests.pages import source, words

pytestmark = pytest.mark.django_db

MEGA = f"/progressives/blazing/hits/BJ1-{DAY}-1-1"
MINOR = f"/progressives/blazing/hits/BJ1-{DAY}-2-1"


def test_the_sum_is_proved_line_by_line(client: Client, evening_house: House) -> None:
    """Mega: 50,000.00 at the opening + 15.00 x 10 % = 50,001.50, all of it given; the seed restarts the meter."""
    page = words(client, MEGA)
    assert "Mega at BJ1: 50,001.50 EUR" in page
    assert "the lines add up" in page
    assert "+ fed by 1 round 1.50 = the meter at the hit, event" in page
    assert re.search(r"BJ1, 2026-11-20, round 1 15.00 10 % 1.50 50,001.50", page)
    assert "= the meter after it 25,000.00" in page


def test_every_line_and_every_deed_leads_to_its_event(client: Client, evening_house: House) -> None:
    page = source(client, MEGA)
    positions = {int(at) for at in re.findall(r'href="/events/(\d+)"', page)}
    for position in positions:
        assert client.get(f"/events/{position}").status_code == 200
    named = words(client, MEGA)
    for deed in ("progressive opened", "hit declared", "shares locked", "hit authorised", "jackpot paid"):
        assert deed in named
    assert "sven surveillance" in named


def test_the_next_hit_begins_where_the_previous_lock_ended(client: Client, evening_house: House) -> None:
    evening.finish_blackjack(evening_house)
    evening.project(evening_house)
    page = words(client, MINOR)
    assert "Minor at BJ1: 1,200.75 EUR" in page
    assert "+ fed by 2 rounds 0.75" in page


def test_a_hit_that_waits_says_so(client: Client, evening_house: House) -> None:
    page = words(client, MINOR)
    assert "pending" in page
    assert "then the sum stands here, line by line" in page
    assert client.get(f"{MINOR}/pdf").status_code == 404


def test_an_unknown_hit_is_not_there(client: Client, evening_house: House) -> None:
    assert "There is no hit nope" in words(client, "/progressives/blazing/hits/nope", 404)
    assert client.get(MEGA.replace("blazing", "other")).status_code == 404


def test_the_page_takes_long_sums_in_parts(
    client: Client, evening_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backoffice.pages.views.hits.LINES_A_PAGE", 1)
    evening.finish_blackjack(evening_house)
    first, second = words(client, MINOR), words(client, f"{MINOR}?from=2")
    assert "lines 1 to 1 of 2" in first
    assert "carried forward 1,200.37 5" in first
    assert "brought forward 1,200.37 5" in second
    assert "the meter at the hit 1,200.75" in second


def test_the_json_is_what_was_hashed(client: Client, evening_house: House) -> None:
    response = client.get(f"{MEGA}/json")
    assert response.headers["Content-Disposition"] == f'attachment; filename="BJ1-{DAY}-1-1.json"'
    assert hashlib.sha256(response.content).hexdigest() in source(client, MEGA)
    assert msgspec.json.decode(response.content)["explanation"]["lock"]["share"] == 5_000_150


def test_the_pdf_says_what_it_is_and_is_the_same_twice(client: Client, evening_house: House) -> None:
    response = client.get(f"{MEGA}/pdf")
    assert response.headers["Content-Type"] == "application/pdf"
    assert response.content.startswith(b"%PDF-")
    assert response.content == client.get(f"{MEGA}/pdf").content
    assert b"How the mega of blazing arose" in response.content


def test_the_list_of_hits_leads_to_the_sum(client: Client, evening_house: House) -> None:
    assert f'href="{MEGA}"' in source(client, "/progressives/blazing")
