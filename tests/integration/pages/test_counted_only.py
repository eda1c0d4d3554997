"""A table that is only counted, on the pages: its boxes and its tray, and no figures of bets."""

import pytest
from django.test import Client

from projections.invariants import findings
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, PROPERTY, House
from tests.support.pages.page_text_and_queries import words

pytestmark = pytest.mark.django_db

CLAUSE = "house counted only"


@pytest.fixture
def counted_only(house: House) -> House:
    """Bought in for 300.00; in the tray are 20.00 more than it began with."""
    act = house.action
    table = {"pit": "A", "table": "R7", "game": "roulette", "ruleset": "roulette-french", "recorded": False}
    house.agreed("floor", "", ("adam", "paul"), act("table.install", **table))
    house.open_table("R7")
    house.ok("tables", "R7", "dora", act("buyin.make", seat=1, player="g-1", amount_minor=30_000))
    closer = {"100": 1_020, "500": 1_000, "2500": 1_000}
    house.ok("tables", "R7", "ines", act("session.close", closer=closer), act("drop.remove", drop_box="b"))
    house.ok("tables", "R7", "cora", act("drop.count", drop_box="b", amount_minor=30_000))
    evening_with_everything.project(house)
    return house


def test_its_inventory_win_is_compared_with_nothing(client: Client, counted_only: House) -> None:
    assert findings() == []
    head = client.get(f"/api/v1/tables/R7/{DAY}").json()["head"]["reckoning"]
    assert (head["inventory_win_minor"], head["event_win_minor"], head["difference_minor"]) == (32_000, None, None)
    for address in (f"/tables/R7/{DAY}", "/"):
        assert "counted only: its bets are not recorded" in words(client, address)


@pytest.mark.parametrize("intent", ["ask", "fact"])
def test_no_bet_is_taken_there(counted_only: House, intent: str) -> None:
    house = counted_only
    house.ok("tables", "R7", "ines", house.action("session.open", gaming_day="2026-11-21", opener={"100": 10}))
    for kind, data in (("round.open", {}), ("ball.land", {"number": 1})):
        problem = house.no("tables", "R7", "dora", house.action(kind, _intent=intent, **data))
        assert problem.clause == CLAUSE
    house.ok("tables", "R7", "dora", house.action("buyin.make", seat=1, player="g-1", amount_minor=50_000))
    assert (
        house.desk.streams.cache._current_states[f"{PROPERTY}/tables/R7/2026-11-21"].state.float_minor == 1_000 - 50_000
    )
