"""Markers issued before the books began: open on the cage's page until they are redeemed for their exact amount."""

import msgspec
import pytest
from django.test import Client

from tests.integration.pages.conftest import house  # noqa: F401 - the house of the pages' tests
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House
from tests.support.pages.sign_in import signed_in

DAY = "2026-11-20"


@pytest.fixture
def open_cage(house: House) -> House:  # noqa: F811
    """Open the books of a cage with the markers that it already holds."""
    opened = house.action("cage.open", gaming_day=DAY, chips={}, cash_minor=100_000, marker_minor=75_000)
    house.ok("cage", "", "cage", opened)
    for number, player, amount in (("M-1", "g-1", 50_000), ("M-2", "g-2", 25_000)):
        carried = house.action("marker.carry", marker=number, player=player, amount_minor=amount, issued="2026-10-01")
        house.ok("cage", "", "cage", carried)
    return house


def test_a_marker_is_on_the_page_until_it_is_redeemed(open_cage: House) -> None:
    evening_with_everything.project(open_cage)
    page = signed_in(Client(), "cage").get("/cage")
    shown = page.content.decode()
    assert "M-1" in shown
    assert "2 open markers" in " ".join(shown.split())
    assert "750.00" in shown
    open_cage.ok("cage", "", "cage", open_cage.action("marker.redeem", marker="M-1", player="g-1", amount_minor=50_000))
    evening_with_everything.project(open_cage)
    shown = signed_in(Client(), "cage").get("/cage").content.decode()
    assert "1 open marker" in " ".join(shown.split())


@pytest.mark.parametrize("otherwise", [{"player": "g-2"}, {"amount_minor": 40_000}])
def test_it_is_redeemed_as_it_is_open(open_cage: House, otherwise: dict[str, object]) -> None:
    fields = {"marker": "M-1", "player": "g-1", "amount_minor": 50_000} | otherwise
    reply = open_cage.no("cage", "", "cage", open_cage.action("marker.redeem", **fields))
    assert "open with another player or amount" in reply.detail
    reported = msgspec.structs.replace(open_cage.action("marker.redeem", **fields), intent="fact")
    events = open_cage.ok("cage", "", "cage", reported)
    assert [event.data.TYPE for event in events] == ["marker.redeemed.v1", "irregularity.found.v1"]


def test_a_number_is_one_marker_s(open_cage: House) -> None:
    again = open_cage.action("marker.carry", marker="M-1", player="g-3", amount_minor=1)
    reply = open_cage.no("cage", "", "cage", again)
    assert "known already" in reply.detail
