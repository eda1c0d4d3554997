"""What of a round went where: stakes that went back undecided, and the commission that is off the winnings already."""

import pytest
from django.test import Client

from projections.floor.models import PlayedRound
from projections.tables.models import TableDay
from tests.house import DAY, House
from tests.pages import words

pytestmark = pytest.mark.django_db
PAGE = f"/tables/FR1/{DAY}"


def test_what_went_back_stands_between_stakes_and_paid(client: Client, evening_house: House) -> None:
    last = PlayedRound.objects.filter(table="FR1").latest("position")
    PlayedRound.objects.filter(id=last.id).update(stakes_minor=987_600, returned_minor=123_400, paid_minor=45_600)
    said = words(client, PAGE)
    assert "Stakes Returned Paid House" in said
    assert "9,876.00 1,234.00 456.00" in said
    found = client.get(f"/api/v1{PAGE}").json()
    assert found["rounds"][0]["returned_minor"] == 123_400


def test_commission_that_was_kept_is_said_where_none_is_added(client: Client, evening_house: House) -> None:
    assert "Commission, off the winnings already" not in words(client, PAGE)
    TableDay.objects.filter(table="FR1").update(kept_millionths=133_100_000_000)
    assert "Commission, off the winnings already: 1,331.00" in words(client, PAGE)
