"""Payments reported after the close, in the books: they explain the closer, and every figure is that of its events."""

import pytest
from django.test import Client

from projections.invariants import findings
from tests.regressions.test_late_payments import report, won
from tests.regressions.test_rolled_days import FLOAT
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House
from tests.support.pages.page_text_and_queries import figures, log_total

pytestmark = pytest.mark.django_db


@pytest.fixture
def closed(house: House) -> House:
    """Leave a closer that is 5.00 short: a winner was paid 5.00 without a record."""
    house.open_table("FR1")
    won(house, is_paid=False)
    closer = {**FLOAT, "500": FLOAT["500"] - 1}
    house.ok("tables", "FR1", "ines", house.action("session.close", closer=closer))
    return house


def _reckoned(client: Client) -> dict[str, int]:
    reckoning = client.get(f"/api/v1/tables/FR1/{DAY}").json()["head"]["reckoning"]
    return {line["sum"]: line["amount_minor"] for line in reckoning["explained"]} | {"rest": reckoning["rest_minor"]}


def test_before_it_is_recorded_two_parts_explain_each_other(client: Client, closed: House) -> None:
    evening_with_everything.project(closed)
    assert _reckoned(client) == {"mispay": 500, "closer-variance": -500, "rest": 0}


def test_once_it_is_recorded_nothing_is_left_to_explain(client: Client, closed: House) -> None:
    report(closed, reason="the terminal's last queue was lost")
    evening_with_everything.project(closed)
    assert _reckoned(client) == {"rest": 0}
    assert findings() == []
    for name, (address, amount) in figures(client, f"/tables/FR1/{DAY}").items():
        assert abs(log_total(client, address)) == abs(amount), (name, address)
