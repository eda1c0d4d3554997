"""Alerts about cards, dice and the progressive, as docs/reference/alerts.md specifies them.

Each case is played through the desk, with the near misses on both sides. Each planted fault raises one alert, and
nothing else raises one.
"""

from typing import Any

import pytest

from tests.support.houses.alert_scenario_house import AlertSummary, AtWork, boxes, line, sides

# --- cards and dice ---------------------------------------------------------------------------------------------------


def test_wrong_card_of_baccarat_laid_elsewhere_kept_passed_over_and_not_drawn(house: AtWork) -> None:
    at = sides(house)
    wrong = [AlertSummary("wrong card", "dora", None, "irregularity.recorded")]
    at("round.open")
    at("bets.close")
    at.deal(("9D", "player"))
    at.fact("card.deal", to="player", card="3H")
    assert house.new() == wrong
    at.deal(("QS", "player"), ("4C", "banker"))
    at.fact("card.deal", to="player", card="5C")
    assert house.new() == wrong, "one too many: it begins the next round"
    at("round.end")
    at("round.open")
    at("bets.close")
    at.fact("card.deal", to="player", card="2D")
    assert house.new() == wrong
    at.deal(("5C", "banker"), ("3S", "player"), ("2H", "banker"))
    assert house.new() == []
    at.fact("round.end")
    assert house.new() == wrong


def test_wrong_card_of_blackjack_misdealt_and_a_round_that_is_ended_without_one(house: AtWork) -> None:
    at = boxes(house)
    wrong = [AlertSummary("wrong card", "dora", None, "irregularity.recorded")]

    def begin() -> None:
        at("round.open")
        at("bet.place", bet="m", wager="main", amount_minor=1_000, player="g-1", box=1)
        at("bets.close")
        at.deal(("8D", 1))

    begin()
    at.fact("card.deal", to="box", box=1, card="2C")
    assert house.new() == wrong
    at.deal(("9C", "dealer"), ("9D", 1))
    at("deal.complete")
    at("hand.stand", box=1)
    assert house.new() == []
    at.fact("round.end")
    assert house.new() == wrong, "the dealer's card was due"
    begin()
    at.fact("round.end")
    assert house.new() == wrong, "the deal was not complete"


def test_impossible_card_is_one_a_card_beyond_the_packs(house: AtWork) -> None:
    """With six packs, the seventh and the eighth 8D raise one alert each. The second is removed as misdealt."""
    at = boxes(house)
    for _ in range(3):
        at("round.open")
        at("bet.place", bet="m", wager="main", amount_minor=1_000, player="g-1", box=1)
        at("bets.close")
        at.deal(("8D", 1), ("9C", "dealer"), ("8D", 1))
        at("deal.complete")
        at("hand.stand", box=1)
        at.deal(("9H", "dealer"))
        at("round.end")
    assert house.new() == []
    at("round.open")
    at("bet.place", bet="m", wager="main", amount_minor=1_000, player="g-1", box=1)
    at("bets.close")
    at.fact("card.deal", to="box", box=1, card="8D")
    assert house.new() == [AlertSummary("impossible card", "dora", None, "card.dealt")]
    at.fact("card.deal", to="box", box=1, card="8D")
    assert sorted(alert.name for alert in house.new()) == ["impossible card", "wrong card"]


def test_foreign_dice_by_their_serial(house: AtWork) -> None:
    at = line(house)
    at("dice.offer")
    at("dice.roll", dice=[2, 4], serials=["K17", "K17"])
    at("dice.offer")
    assert house.new() == []
    at.fact("dice.roll", dice=[2, 3], serials=["K17", "X1"])
    assert house.new() == [AlertSummary("foreign dice", "Ann", None, "irregularity.recorded")]
    assert "X1" in house.alert_data()[-1]["detail"]
    at("dice.offer")
    at.fact("roll.call_off", detail="off the table", serials=["X1", "X2"])
    assert house.new() == [AlertSummary("foreign dice", "Ann", None, "irregularity.recorded")]
    assert house.proofs() == [
        ("foreign dice", ["dice.rolled", "irregularity.recorded"]),
        ("foreign dice", ["roll.called_off", "irregularity.recorded"]),
    ]


# --- the progressive --------------------------------------------------------------------------------------------------


def test_second_progressive_bet_and_one_without_its_main_bet(house: AtWork) -> None:
    at = boxes(house)
    sevens: dict[str, Any] = {"wager": "blazing7s", "amount_minor": 500}
    at("round.open")
    at("bet.place", bet="m", wager="main", amount_minor=1_000, player="g-1", box=1)
    at("bet.place", bet="s", **sevens, player="g-1", box=1)
    assert house.new() == []
    at.fact("bet.place", bet="second", **sevens, player="g-1", box=1)
    at.fact("bet.place", bet="orphan", **sevens, player="g-2", box=2)
    assert house.new() == [
        AlertSummary("second progressive bet", "g-1", 500, "irregularity.recorded"),
        AlertSummary("second progressive bet", "g-2", 500, "irregularity.recorded"),
    ]
    proved = ("second progressive bet", ["bet.placed", "irregularity.recorded"])
    assert house.proofs() == [proved, proved], "the stake proves it"
    at("bets.close")
    at.fact("bet.place", bet="late", **sevens, player="g-1", box=1)
    at.fact("bet.place", bet="late orphan", **sevens, player="g-2", box=2)
    assert [alert.name for alert in house.new()] == ["late bet", "late bet"]


@pytest.mark.parametrize(
    ("up", "declared", "expected"),
    [
        ("7H", None, [AlertSummary("undeclared hit", "g-1", None, "irregularity.recorded")]),
        ("7H", "minor", []),
        ("7H", "mega", [AlertSummary("irregularity", "g-1", None, "irregularity.recorded")]),
        ("7C", None, []),
        ("8H", None, []),
    ],
)
def test_undeclared_hit(house: AtWork, up: str, declared: str | None, expected: Any) -> None:
    """7D 7H and the dealer's 7H are of one colour, a Minor; with 7C they are 200 to 1."""
    at = boxes(house)
    at("round.open")
    at("bet.place", bet="m", wager="main", amount_minor=1_000, player="g-1", box=1)
    at("bet.place", bet="s", wager="blazing7s", amount_minor=500, player="g-1", box=1)
    at("bets.close")
    at("progressive.arm")
    at.deal(("7D", 1), (up, "dealer"), ("7H", 1))
    if declared:
        at.fact("hit.declare", box=1, level=declared)
    at("deal.complete")
    assert house.new() == expected


def test_wrong_card_is_a_deal_that_ended_with_cards_missing_though_it_was_armed(house: AtWork) -> None:
    at = boxes(house)
    at("round.open")
    at("bet.place", bet="m", wager="main", amount_minor=1_000, player="g-1", box=1)
    at("bet.place", bet="s", wager="blazing7s", amount_minor=500, player="g-1", box=1)
    at("bets.close")
    at("progressive.arm")
    at.deal(("7D", 1))
    assert house.no("tables", "BJ1", "dora", house.action("round.end")).status == 422
    at.fact("round.end")
    assert house.new() == [AlertSummary("wrong card", "dora", None, "irregularity.recorded")]
    assert house.proofs() == [("wrong card", ["deal.completed", "irregularity.recorded"])]
