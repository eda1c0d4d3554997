"""A shoe is counted down: cards missing, surplus or unshuffled are recorded and raised (docs/reference/alerts.md)."""

from typing import Any

import pytest

from tests.support.houses.alert_scenario_house import FULL, AlertSummary, AtWork, boxes, wheel
from tests.support.houses.small_house import DAY

WHOLE: dict[str, Any] = {"shoe": "s1", "packs": 6}


def count(house: AtWork, person: str = "sven", intent: str = "ask", **data: Any) -> Any:
    [event] = house.ok("tables", "BJ1", person, house.action("shoe.count", _intent=intent, **{**WHOLE, **data}))
    return event


def test_a_whole_shoe_is_recorded_and_raises_nothing(house: AtWork) -> None:
    boxes(house)
    event = count(house, witness="sid", detail="end of the shoe")
    assert (event.type, event.actor, event.actorrole) == ("shoe.counted.v1", "sven", "surveillance")
    assert (event.data.shoe, event.data.packs, event.data.witness) == ("s1", 6, "sid")
    assert house.new() == []


def test_missing_and_surplus_cards_are_raised_once_with_the_loading_as_proof(house: AtWork) -> None:
    boxes(house)
    count(house, missing={"7D": 2, "AS": 1})
    count(house, "ines", surplus={"KC": 1}, intent="fact")
    assert house.new() == [
        AlertSummary("missing cards", "sven", None, "shoe.counted"),
        AlertSummary("missing cards", "ines", None, "shoe.counted"),
    ]
    short, over = house.alert_data()
    assert (short["missing"], short["cards"], short["shoe"]) == ({"7D": 2, "AS": 1}, -3, "s1")
    assert (over["surplus"], over["cards"]) == ({"KC": 1}, 1)
    assert house.proofs() == [("missing cards", ["shoe.loaded", "shoe.counted"])] * 2
    house.check()


def test_packs_in_order_are_raised(house: AtWork) -> None:
    boxes(house)
    count(house, unshuffled_packs=6, missing={"2C": 1})
    assert [alert.name for alert in house.new()] == ["missing cards", "card order"]
    assert house.alert_data()[1]["unshuffled_packs"] == 6
    house.check()


def test_a_shoe_is_counted_in_any_phase_after_the_close_and_long_after_it_was_changed(house: AtWork) -> None:
    at = boxes(house)
    at("round.open")
    count(house)
    house.void("BJ1", 1)
    at("shoe.load", shoe="s2", packs=6)
    count(house, missing={"7D": 1})
    house.ok("tables", "BJ1", "ines", house.action("session.close", closer=FULL))
    count(house, shoe="s2", missing={"7D": 1})
    assert [alert.name for alert in house.new() if alert.name == "missing cards"] == ["missing cards", "missing cards"]


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"missing": {"7X": 1}}, "data.missing"),
        ({"missing": {"7D": 7}}, "data.missing"),
        ({"missing": {"7D": 0}}, "data.missing"),
        ({"surplus": {"7D": 0}}, "data.surplus"),
        ({"missing": {"7D": 1}, "surplus": {"7D": 1}}, "data.surplus"),
        ({"unshuffled_packs": 7}, "data.unshuffled_packs"),
        ({"packs": 0}, "data.packs"),
        ({"packs": 9}, "data.packs"),
    ],
)
def test_what_cannot_be_is_refused(house: AtWork, data: dict[str, Any], field: str) -> None:
    boxes(house)
    problem = house.no("tables", "BJ1", "sven", house.action("shoe.count", **{**WHOLE, **data}))
    assert (problem.field or "").startswith(field)


def test_who_may_count_and_where(house: AtWork) -> None:
    boxes(house)
    assert house.no("tables", "BJ1", "dora", house.action("shoe.count", **WHOLE)).status == 403
    alone = house.no("tables", "BJ1", "sven", house.action("shoe.count", **WHOLE, witness="sven"))
    assert alone.field == "data.witness"
    wheel(house)
    assert house.no("tables", "FR1", "sven", house.action("shoe.count", **WHOLE)).status == 422


def test_cards_that_are_dealt_in_the_order_of_a_new_pack_are_raised_once_a_shoe(house: AtWork) -> None:
    """The cards of eight boxes come in the order of a new, unshuffled pack."""
    at = boxes(house)
    names = ["2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC"]
    at("round.open")
    for box in range(1, 5):
        at("bet.place", bet=f"m{box}", wager="main", amount_minor=1_000, player=f"g-{box}", box=box)
    at("bets.close")
    at.deal(*zip(names[:4], (1, 2, 3, 4), strict=True), (names[4], "dealer"))
    assert house.new() == []
    at.deal(*zip(names[5:9], (1, 2, 3, 4), strict=True))
    at("deal.complete")
    assert house.new() == []
    at("card.deal", to="box", box=1, card=names[9])
    assert house.new() == [AlertSummary("card order", "dora", None, "card.dealt")]
    at("card.deal", to="box", box=2, card="QC")
    assert house.new() == []
    types = house.proofs()[0][1]
    assert types == ["shoe.loaded", *["card.dealt"] * 10]
    house.check()


def test_the_house_sets_how_many_cards_in_order_are_no_chance(house: AtWork) -> None:
    change = {"setting": "alert_rules", "value": "card order: in_order 5"}
    small = house.no("house", "", "anna", house.action("setting.change", **change))
    assert "in_order is from 6" in small.detail


@pytest.mark.parametrize("intent", ["ask", "fact"])
def test_a_shoe_of_a_table_that_is_counted_only_is_counted_down(house: AtWork, intent: str) -> None:
    table = {"pit": "A", "table": "BJ7", "game": "blackjack", "ruleset": "blackjack-trilux", "recorded": False}
    house.agreed("floor", "", ("adam", "paul"), house.action("table.install", **table))
    house.ok("tables", "BJ7", "ines", house.action("session.open", gaming_day=DAY, opener={"100": 10}))
    counted = house.action("shoe.count", _intent=intent, **WHOLE, missing={"7D": 1})
    [event] = house.ok("tables", "BJ7", "sven", counted)
    assert event.type == "shoe.counted.v1"
    assert [seen.name for seen in house.new()] == ["missing cards"]
    assert house.no("tables", "BJ7", "dora", house.action("round.open")).clause == "house counted only"
