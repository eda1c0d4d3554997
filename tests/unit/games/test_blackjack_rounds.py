"""Whole rounds as settlement cases: the answers, and all impossible rounds, which must be refused."""

from typing import Any

import pytest

from events.errors import PitledgerError
from events.games.cases import kinds


def box(**changes: Any) -> dict[str, Any]:
    return {"id": "b1", "cards": ["TH", "8S"], "stake": 100, "actions": []} | changes


def settle(dealer: str, *boxes: dict[str, Any], minimum: int = 10) -> dict[str, Any]:
    inputs = {"kind": "round", "minimum": minimum, "dealer": dealer.split(), "boxes": list(boxes)}
    return kinds("blackjack-trilux")["round"](inputs)


def does(*actions: tuple[int, str, str]) -> list[dict[str, Any]]:
    return [{"hand": hand, "do": do, "cards": cards.split()} for hand, do, cards in actions]


REFUSED = {
    "no box": ("TC 7D", [], "boxes 1 to 7"),
    "eight boxes": ("TC 7D", [box(id=f"b{i}") for i in range(8)], "boxes 1 to 7"),
    "one id twice": ("TC 7D", [box(), box()], "Two boxes have the same id"),
    "stake below the minimum": ("TC 7D", [box(stake=9)], "minimum of the table is 10, the stake 9"),
    "stake not whole": ("TC 7D", [box(stake="21/2")], "stake"),
    "three cards dealt": ("TC 7D", [box(cards=["TH", "8S", "2C"])], "two cards"),
    "one card dealt": ("TC 7D", [box(cards=["TH"])], "two cards"),
    "no such card": ("TC 7D", [box(cards=["TH", "1S"])], "1S is not a card"),
    "dealer without cards": ("", [box()], "no card"),
    "dealer draws too many": ("TC 7D 2S", [box()], "stands on 17"),
    "dealer draws on a soft 17": ("AC 6D 2S", [box()], "stands on 17"),
    "dealer stops at 16": ("TC 6D", [box()], "draws on 16"),
    "dealer stops though a blackjack may tie": ("TC", [box(cards=["AH", "KS"])], "draws on 10"),
    "dealer stops though insured": (
        "AC",
        [box(actions=does((0, "hit", "9C")), insurance=50)],
        "draws on 11",
    ),
    "insurance on a king": ("KC AD", [box(insurance=50)], "an ace"),
    "insurance too high": ("AC TD", [box(insurance=51)], "from 5 to 50"),
    "insurance too low": ("AC TD", [box(insurance="9/2")], "from 5 to 50"),
    "insurance of nothing": ("AC TD", [box(insurance=0)], "from 5 to 50"),
    "trilux of nothing": ("TC 7D", [box(trilux=0)], "trilux"),
    "double on 18": ("TC 7D", [box(actions=does((0, "double", "2C")))], "18 is not doubled"),
    "split of different values": ("TC 7D", [box(actions=does((0, "split", "2C 3C")))], "same value"),
    "hand 1 of 1": ("TC 7D", [box(actions=does((1, "stand", "")))], "no hand 1"),
    "hand -1": ("TC 7D", [box(actions=does((-1, "stand", "")))], "no hand -1"),
    "no such action": ("TC 7D", [box(actions=does((0, "surrender", "")))], "surrender"),
    "hit without a card": (
        "TC 7D",
        [box(actions=does((0, "hit", "")))],
        "A hit takes 1 cards, not 0. Give that many cards.",
    ),
    "hit after standing": ("TC 7D", [box(actions=does((0, "stand", ""), (0, "hit", "2C")))], "stands on this hand"),
    "hit when bust": ("TC 7D", [box(actions=does((0, "hit", "9C"), (0, "hit", "2C")))], "over 21"),
    "a card that no shoe holds": ("7D TD", [box(cards=["7D", "7D"], actions=does(*[(0, "hit", "7D")]))], None),
}


@pytest.mark.parametrize(("dealer", "boxes", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_round_that_cannot_have_been_is_refused(
    dealer: str, boxes: list[dict[str, Any]], message: str | None
) -> None:
    if message is None:
        boxes = [*boxes, *(box(id=f"c{i}", cards=["7D", "TS"]) for i in range(4))]
        message = "7D lies 7 times"
    with pytest.raises(PitledgerError) as caught:
        settle(dealer, *boxes)
    assert message in str(caught.value)


def test_a_round_with_everything() -> None:
    splits = does((0, "split", "3D 8C"), (0, "double", "TC"), (1, "split", "KC 2H"), (2, "hit", "9D"))
    answer = settle(
        "AC 9D",
        box(cards=["8H", "8S"], actions=splits, insurance=50, trilux=10),
        box(id="b2", cards=["7H", "7D"], actions=does((0, "hit", "9S")), blazing=True, trilux=5),
        box(id="b3", cards=["AH", "KS"], stake=25, insurance="25/2"),
    )
    first, second, third = answer["boxes"]
    assert [(hand["total"], hand["outcome"], hand["profit"]) for hand in first["hands"]] == [
        (21, "win", 200),
        (18, "lose", -100),
        (19, "lose", -100),
    ]
    assert (first["insurance"]["profit"], first["trilux"]) == (-50, {"hand": "none", "profit": -10})
    assert (second["hands"][0]["outcome"], second["blazing"]) == ("lose", {"class": "two7"})
    assert third["hands"][0] == {"cards": ["AH", "KS"], "total": 21, "outcome": "blackjack", "profit": "75/2"}
    assert answer["net"] == -60 - 105 + 25


def test_the_dealer_need_not_draw_for_nobody() -> None:
    answer = settle("TC 6D", box(actions=does((0, "hit", "9C"))))
    assert (answer["dealer_total"], answer["net"]) == (16, -100)
    assert settle("TC 6D 5S", box(actions=does((0, "hit", "9C"))))["net"] == -100


@pytest.mark.parametrize(
    ("kind", "inputs"),
    [
        ("classify", {"player": ["7D"], "dealer": "7D", "stake": 500, "basis": "to"}),
        ("classify", {"player": ["7D", "7D"], "dealer": "7D", "stake": 0, "basis": "to"}),
        ("classify", {"player": ["7D", "7D"], "dealer": "7D", "stake": 500, "basis": "by"}),
        ("progressive", {"pools": {}, "events": [{"award": {"tier": "mega", "winners": ["A"]}}]}),
        ("progressive", {"pools": {}, "events": [{}]}),
        ("progressive", {"pools": {"mega": {"value": 1, "seed": 0, "rate": "-1/10"}}, "events": []}),
        ("progressive", {"pools": {"mega": {"value": 1, "seed": 0, "rate": "0"}}, "events": [{"stakes": [-1]}]}),
        (
            "progressive",
            {
                "pools": {"mega": {"value": 1, "seed": 0, "rate": "0"}},
                "events": [{"award": {"tier": "mega", "winners": []}}],
            },
        ),
        ("envy", {"participants": [{"id": "A", "level": 2}], "winners": []}),
        ("envy", {"participants": [{"id": "A", "level": 0}], "winners": [{"id": "A", "tier": "three7"}]}),
    ],
)
def test_what_blazing_cases_cannot_mean_is_refused(kind: str, inputs: dict[str, Any]) -> None:
    with pytest.raises(PitledgerError):
        kinds("blazing7s")[kind](inputs)


def test_envy_counts_a_player_once_by_his_highest_stake() -> None:
    participants = [{"id": "A", "level": 1}, {"id": "A", "level": 0}, {"id": "B", "level": 0}]
    answer = kinds("blazing7s")["envy"](
        {"participants": participants, "winners": [{"id": "B", "tier": "minor"}], "envy_to_winner": False}
    )
    assert answer == {"envy": {"A": 5000, "B": 0}, "total": 5000}
