"""Notices to accounting: each change with its old and new value, the person behind it, and its readers."""

import csv
import hashlib
import io
import re
from typing import Any

import pytest
from django.test import Client

from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House, types_of
from tests.support.pages.page_actors import offered
from tests.support.pages.page_text_and_queries import source, words

pytestmark = pytest.mark.django_db


def change(house: House, by: str, kind: str = "parameters.change", **data: Any) -> int:
    """Change parameters: the progressive manager asks, another person approves. Return the position."""
    requested = house.ok("progressives", "blazing", "mark", house.action(kind, **data))[0].data
    give = house.action("approval.give", request=requested.request, content=requested.content)
    house.ok("progressives", "blazing", by, give)
    return house.store.position()


def test_nothing_changed_says_what_would_be_here(client: Client, evening_house: House) -> None:
    page = words(client, "/notices")
    assert "No changes since the opening" in page
    assert "all read by Accounting" in page


def test_a_change_without_accounting_is_unread_until_accounting_has_read_it(
    client: Client, evening_house: House
) -> None:
    at = change(evening_house, "paul", level="mega", feed_millionths=95_000)
    evening_with_everything.project(evening_house)
    page = words(client, "/notices")
    assert "contribution rate: 10 % → 9.5 %" in page
    assert "mark progressive manager paul pit boss" in page
    assert "1 unread" in page
    assert "1 notice unread" in words(client, "/progressives/blazing/matters")
    [(_address, read)] = offered("anna", "/notices", "notice.acknowledge")
    assert bytes(read.data) == f'{{"change":{at}}}'.encode()
    problem = evening_house.no("progressives", "blazing", "mark", evening_house.action("notice.acknowledge", change=at))
    assert problem.status == 403
    assert types_of(evening_house.ok("progressives", "blazing", "anna", read)) == ["notice.acknowledged.v1"]
    evening_with_everything.project(evening_house)
    page = words(client, "/notices")
    assert "read by anna" in page
    assert "all read by Accounting" in page


def test_who_of_accounting_agreed_need_not_read_it(client: Client, evening_house: House) -> None:
    change(evening_house, "anna", level="minor", cap_minor=300_000, seed_minor=60_000)
    evening_with_everything.project(evening_house)
    page = words(client, "/notices?progressive=blazing")
    assert "seed: 500.00 EUR → 600.00 EUR" in page
    assert "cap: no cap → 3,000.00 EUR" in page
    assert "approved by anna" in page


def test_a_change_that_is_only_asked_for_is_told_before_it_is_made(client: Client, evening_house: House) -> None:
    ask = evening_house.action("parameters.change", level="major", feed_millionths=42_000)
    evening_house.ok("progressives", "blazing", "mark", ask)
    evening_with_everything.project(evening_house)
    page = words(client, "/notices")
    assert "change parameters, major contribution rate → 4.2 %" in page
    assert "not in force" in page


def test_a_corrected_meter_is_told_with_its_reason(client: Client, evening_house: House) -> None:
    change(evening_house, "paul", "meter.adjust", level="mega", amount_minor=500, reason="malfunction")
    evening_with_everything.project(evening_house)
    assert "meter: 25,001.50 → 25,006.50 malfunction" in words(client, "/notices")


def test_the_sheet_proves_itself(client: Client, evening_house: House) -> None:
    at = change(evening_house, "paul", level="mega", feed_millionths=95_000, seed_minor=2_600_000)
    change(evening_house, "anna", level="minor", cap_minor=300_000)
    evening_with_everything.project(evening_house)
    response = client.get("/notices.csv?progressive=blazing")
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    body, _, last = response.content.decode().rstrip("\r\n").rpartition("\r\n")
    digest = hashlib.sha256(f"{body}\r\n".encode()).hexdigest()
    assert last == f"SHA-256 of the lines above,{digest}"
    rows = list(csv.reader(io.StringIO(body)))
    assert rows[1] == ["progressive", "blazing"]
    assert rows[2][2:] == ["as of event", str(evening_house.store.position())]
    rows_ = [dict(zip(rows[4], row, strict=True)) for row in rows[5:]]
    assert [(row_["position"], row_["setting"], row_["before"], row_["after"], row_["told"]) for row_ in rows_] == [
        (str(at), "seed_minor", "2500000", "2600000", ""),
        (str(at), "feed_millionths", "100000", "95000", ""),
        (rows_[2]["position"], "cap_minor", "", "300000", "anna"),
    ]
    assert rows_[0]["agreed by"] == "mark (progressive manager); paul (pit boss)"


def test_the_growth_shows_where_a_rate_changed(client: Client, evening_house: House) -> None:
    at = change(evening_house, "paul", level="mega", feed_millionths=95_000)
    evening_with_everything.project(evening_house)
    [turn] = re.findall(
        r'<a href="(/events/\d+)" aria-label="(contribution rate[^"]*)">', source(client, "/progressives/blazing")
    )
    assert turn == (f"/events/{at}", "contribution rate: 10 % to 9.5 %")
