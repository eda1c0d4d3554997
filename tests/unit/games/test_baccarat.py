"""Baccarat: the table of play, settlement, limits, the table's procedure, odds. [001]"""

import csv
import os
from fractions import Fraction
from math import perm
from pathlib import Path
from typing import Any

import pytest

from events.errors import Invalid, Refused
from events.games.baccarat import par, table_procedure_and_limit_rules
from events.games.baccarat import rules as baccarat
from events.games.baccarat.rules import BaccaratBet, CoupOutcome, next_side, next_to, settle_coup
from events.games.baccarat.table_procedure_and_limit_rules import DealtCard, StakeLimits
from events.games.cases import kinds

COMMISSION = baccarat.rules("baccarat")
NO_COMMISSION = baccarat.rules("baccarat-no-commission")

# The table of 001 §8: Banker's total by the points of Player's third card; the last column: Player stood.
TABLE = """
    0 1 2 3 4 5 6 7 8 9 -
0   D D D D D D D D D D D
1   D D D D D D D D D D D
2   D D D D D D D D D D D
3   D D D D D D D D s D D
4   s s D D D D D D s s D
5   s s s s D D D D s s D
6   s s s s s s D D s s s
7   s s s s s s s s s s s
"""
HEAD, *ROWS = [line.split() for line in TABLE.strip().splitlines()]
CELLS = [(int(row[0]), third, move == "D") for row in ROWS for third, move in zip(HEAD, row[1:], strict=True)]


def answer(kind: str, ruleset: str = "baccarat", **inputs: Any) -> dict[str, Any]:
    return kinds(ruleset)[kind]({"kind": kind, **inputs})


def profits(game: baccarat.BaccaratRules, end: CoupOutcome, stake: int = 100) -> dict[str, Any]:
    results = settle_coup(game, end, [BaccaratBet(name, name, stake) for name in baccarat.BETS])
    return {result.bet: result.profit for result in results}


# The table of play


@pytest.mark.parametrize(("banker", "third", "draws"), CELLS)
def test_banker_draws_as_the_table_says(banker: int, third: str, draws: bool) -> None:
    player = [0, 6] if third == "-" else [0, 4, int(third)]
    assert next_side(player, [0, banker]) == ("banker" if draws else None)


@pytest.mark.parametrize("player", range(10))
@pytest.mark.parametrize("banker", range(10))
def test_player_draws_to_five_unless_there_is_a_natural(player: int, banker: int) -> None:
    draws = player <= 5 and banker < 8
    assert (next_side([0, player], [0, banker]) == "player") is draws


@pytest.mark.parametrize("banker", range(8))
@pytest.mark.parametrize("natural", [8, 9])
def test_a_natural_of_player_ends_the_dealing(natural: int, banker: int) -> None:
    assert next_side([0, natural], [0, banker]) is None


def test_the_first_four_cards_go_by_turns() -> None:
    assert next_to([], []) == "player"
    assert next_to(["2C"], []) == "banker"
    assert next_to(["2C"], ["3C"]) == "player"
    assert next_to(["2C", "4C"], ["3C"]) == "banker"


@pytest.mark.parametrize(("player", "banker"), [(2, 0), (0, 1), (3, 1), (1, 2), (4, 2), (2, 4)])
def test_cards_that_lie_out_of_order_are_refused(player: int, banker: int) -> None:
    with pytest.raises(Refused) as refused:
        next_side([0] * player, [0] * banker)
    assert refused.value.clause == "baccarat I.1"


def test_points_and_totals() -> None:
    assert [baccarat.points(card) for card in ("AC", "2D", "9H", "TS", "JC", "QD", "KH")] == [1, 2, 9, 0, 0, 0, 0]
    assert baccarat.total([7, 8]) == 5
    assert baccarat.total([9, 9, 9]) == 7


def test_nobody_has_more_than_three_cards() -> None:
    hands = baccarat.deal(["2C", "2D", "2H", "2S", "2C", "2D", "2H", "2S"])
    assert (len(hands.player), len(hands.banker), hands.used) == (3, 3, 6)


def test_a_card_out_of_order_is_used_in_its_right_place() -> None:
    hands = baccarat.place(["9C", "2S", "KH", "AD", "5C"])
    assert hands == baccarat.CoupHands(("9C", "KH"), ("2S", "AD"), 4)


# Settlement


def test_player_and_banker_pay_even_money_less_commission() -> None:
    assert profits(COMMISSION, CoupOutcome(7, 5)) == {
        "player": 100,
        "banker": -100,
        "tie": -100,
        "player_pair": -100,
        "banker_pair": -100,
    }
    assert profits(COMMISSION, CoupOutcome(4, 5))["banker"] == 95
    assert profits(COMMISSION, CoupOutcome(4, 6))["banker"] == 95


def test_without_commission_a_banker_six_pays_half() -> None:
    assert profits(NO_COMMISSION, CoupOutcome(4, 5))["banker"] == 100
    assert profits(NO_COMMISSION, CoupOutcome(4, 6), 1000)["banker"] == 500
    assert profits(NO_COMMISSION, CoupOutcome(7, 6))["player"] == 100
    assert profits(NO_COMMISSION, CoupOutcome(6, 6))["banker"] == 0


def test_commission_is_exact_and_shown_apart() -> None:
    (result,) = settle_coup(COMMISSION, CoupOutcome(1, 2), [BaccaratBet("b", "banker", 7)])
    assert (result.profit, result.commission, result.returned) == (Fraction(133, 20), Fraction(7, 20), 7)
    (result,) = settle_coup(NO_COMMISSION, CoupOutcome(1, 6), [BaccaratBet("b", "banker", 7)])
    assert (result.profit, result.commission) == (Fraction(7, 2), Fraction(7, 2))


def test_a_tie_pays_eight_and_the_sides_push() -> None:
    assert profits(COMMISSION, CoupOutcome(6, 6)) == {
        "player": 0,
        "banker": 0,
        "tie": 800,
        "player_pair": -100,
        "banker_pair": -100,
    }
    results = settle_coup(
        COMMISSION, CoupOutcome(0, 0), [BaccaratBet("p", "player", 10), BaccaratBet("b", "banker", 20)]
    )
    assert [(result.outcome, result.returned) for result in results] == [("push", 10), ("push", 20)]


def test_pairs_are_two_bets_of_eleven_to_one() -> None:
    end = baccarat.coup(["JC", "JD", "3C"], ["JC", "QD", "4C"])
    assert (end.player_pair, end.banker_pair) == (True, False)
    assert profits(COMMISSION, end)["player_pair"] == 1100
    assert profits(COMMISSION, end)["banker_pair"] == -100


def test_the_third_card_makes_no_pair() -> None:
    assert not baccarat.coup(["2C", "3C", "3D"], ["KC", "7D"]).player_pair


@pytest.mark.parametrize(
    ("player", "banker", "natural"),
    [
        (["9C", "KC"], ["2C", "3C"], True),
        (["2C", "3C"], ["8C", "KC"], True),
        (["9C", "TC"], ["9D", "QC"], True),
        (["7C", "KC"], ["5C", "QC", "3C"], False),
        (["6C", "KC"], ["7C", "QC"], False),
        (["4C", "KC", "5C"], ["7C", "QC"], False),
    ],
)
def test_a_natural_is_eight_or_nine_in_two_cards(player: list[str], banker: list[str], natural: bool) -> None:
    assert baccarat.coup(player, banker).natural is natural


@pytest.mark.parametrize(
    ("player", "banker"),
    [
        (["2C", "3C"], ["KC", "7C"]),
        (["6C", "KC", "2C"], ["KC", "7C"]),
        (["9C", "KC"], ["2C", "AC", "2D"]),
        (["9C"], ["2C", "AC"]),
        ([], []),
    ],
)
def test_hands_not_dealt_by_the_table_of_play_are_not_settled(player: list[str], banker: list[str]) -> None:
    with pytest.raises(Refused) as refused:
        baccarat.settle_coup(COMMISSION, baccarat.coup(player, banker), [])
    assert refused.value.clause == "baccarat I.1"


def test_there_is_no_bet_on_either_pair() -> None:
    with pytest.raises(Refused) as refused:
        settle_coup(COMMISSION, CoupOutcome(1, 2), [BaccaratBet("b", "either_pair", 10)])
    assert (refused.value.clause, refused.value.reading) == ("baccarat B", "BAC-2")


ROUND: dict[str, Any] = {"variant": "commission", "shoe": ["KH", "KD", "9S", "7D"], "bets": []}


@pytest.mark.parametrize(
    "change",
    [
        {"shoe": ["2C", "3C", "4C"]},
        {"shoe": ["2C", "3C", "2D", "3D"]},
        {"shoe": ["2C", "3C", "2D", "3D", "6H"]},
        {"shoe": []},
        {"shoe": ["1C", "3C", "4C", "5C", "6C", "7C"]},
        {"shoe": ["10C", "3C", "4C", "5C", "6C", "7C"]},
        {"shoe": ["KH", "KD", "9S", "7D", "xx"]},
        {"shoe": ["2C"] * 9},
        {"shoe": "KH KD 9S 7D"},
        {"variant": "half"},
        {"bets": [{"id": "b", "type": "player", "stake": 0}]},
        {"bets": [{"id": "b", "type": "player", "stake": -1}]},
        {"bets": [{"id": "b", "type": "player", "stake": "1/2"}]},
        {"bets": [{"id": "b", "type": "player", "stake": True}]},
        {"bets": [{"id": "b", "type": "dragon", "stake": 1}]},
        {"bets": [{"id": "b", "stake": 1}]},
        {"bets": [{"id": "b", "type": "player", "stake": 1}, {"id": "b", "type": "tie", "stake": 1}]},
        {"bets": None},
    ],
)
def test_a_round_that_cannot_be_is_refused(change: dict[str, Any]) -> None:
    assert answer("round", **ROUND)["winner"] == "player"
    with pytest.raises((Invalid, Refused)):
        answer("round", **(ROUND | change))


def test_the_ruleset_without_commission_is_played_only_so() -> None:
    inputs: dict[str, Any] = {
        "shoe": ["2C", "KD", "2D", "6D", "KC"],
        "bets": [{"id": "b", "type": "banker", "stake": 10}],
    }
    assert answer("round", "baccarat-no-commission", **inputs)["net"] == 5
    assert answer("round", variant="no_commission", **inputs)["net"] == 5
    assert answer("round", **inputs)["net"] == "19/2"
    with pytest.raises(Invalid, match="variant"):
        answer("round", "baccarat-no-commission", variant="commission", **inputs)


# Dealing checked


def dealt(*cards: str) -> list[DealtCard]:
    return [DealtCard("player" if card[0] == "p" else "banker", card[1:]) for card in cards]


@pytest.mark.parametrize(
    ("deals", "error_at", "complete"),
    [
        (dealt(), None, False),
        (dealt("p2C", "b6S", "p3H", "bKD", "pTD"), None, True),
        (dealt("p2C", "b6S", "p3H", "bKD", "p6D"), None, False),
        (dealt("p2C", "b6S", "p3H", "bKD", "p6D", "b2C"), None, True),
        (dealt("p2C", "b6S", "p3H", "bKD", "p6D", "b2C", "p2C"), 6, False),
        (dealt("p2C", "b6S", "b3H"), 2, False),
        (dealt("b2C"), 0, False),
        (dealt("p9C", "b2S", "pKH", "bAD"), None, True),
        (dealt("p9C", "b2S", "pKH", "bAD", "b2D"), 4, False),
        (dealt("p6C", "b6S", "pKH", "bKD", "b2D"), 4, False),
        (dealt("p6C", "b5S", "pKH", "bKD"), None, False),
        (dealt("p2C", "p6S"), 1, False),
    ],
)
def test_the_first_card_that_lies_wrong_is_found(deals: list[DealtCard], error_at: int | None, complete: bool) -> None:
    checked = table_procedure_and_limit_rules.deal_check(deals)
    assert (checked.error_at, checked.complete, checked.valid) == (error_at, complete, error_at is None)


@pytest.mark.parametrize("wrong", [{"to": "dealer", "card": "2C"}, {"to": "player", "card": "2X"}, {"to": "player"}])
def test_a_card_that_cannot_be_read_is_invalid(wrong: dict[str, str]) -> None:
    with pytest.raises(Invalid):
        answer("deal_check", deals=[{"to": "banker", "card": "2C"}, wrong])


# Limits


def test_the_heavier_side_is_reduced_in_proportion() -> None:
    bets = [
        BaccaratBet("p", "player", 300),
        BaccaratBet("q", "player", 100),
        BaccaratBet("b", "banker", 50),
        BaccaratBet("t", "tie", 9000),
    ]
    reduction = table_procedure_and_limit_rules.max_difference(100, bets)
    assert (reduction.difference, reduction.exceeded, reduction.heavier, reduction.factor) == (
        350,
        True,
        "player",
        Fraction(3, 8),
    )
    assert reduction.stakes == {"p": Fraction(225, 2), "q": Fraction(75, 2), "b": 50, "t": 9000}


@pytest.mark.parametrize(("limit", "factor"), [(349, Fraction(399, 400)), (350, 1), (351, 1), (0, Fraction(1, 8))])
def test_a_gap_as_large_as_the_limit_is_allowed(limit: int, factor: Fraction) -> None:
    bets = [BaccaratBet("p", "player", 400), BaccaratBet("b", "banker", 50)]
    assert table_procedure_and_limit_rules.max_difference(limit, bets).factor == factor


def test_one_side_alone_may_be_reduced_to_nothing() -> None:
    reduction = table_procedure_and_limit_rules.max_difference(0, [BaccaratBet("b", "banker", 50)])
    assert (reduction.heavier, reduction.factor, reduction.stakes) == ("banker", 0, {"b": 0})


@pytest.mark.parametrize(
    "inputs",
    [
        {"max_difference": -1, "bets": []},
        {"max_difference": "1", "bets": []},
        {"max_difference": 1, "bets": [{"id": "a", "type": "player", "stake": -1}]},
        {"max_difference": 1, "bets": [{"id": "a", "type": "horn", "stake": 1}]},
        {"max_difference": 1, "bets": [{"id": "a", "type": "tie", "stake": 1}] * 2},
    ],
)
def test_stakes_that_cannot_be_added_up_are_invalid(inputs: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        answer("max_difference", **inputs)


def test_tie_and_pair_maxima_hold_for_the_whole_table() -> None:
    bets = [
        BaccaratBet("a", "tie", 71),
        BaccaratBet("b", "tie", 30),
        BaccaratBet("c", "player_pair", 50),
        BaccaratBet("d", "player", 9999),
    ]
    totals = table_procedure_and_limit_rules.table_max({"tie": 100, "player_pair": 50, "banker_pair": 50}, bets)
    assert {name: (of.total, of.within) for name, of in totals.items()} == {
        "tie": (101, False),
        "player_pair": (50, True),
        "banker_pair": (0, True),
    }
    with pytest.raises(Invalid, match="whole table"):
        table_procedure_and_limit_rules.table_max({"player": 1}, bets)


def test_a_personal_limit_stands_in_for_the_tables() -> None:
    table = StakeLimits(10, 100)
    table_procedure_and_limit_rules.check_stake(COMMISSION, 100, table)
    table_procedure_and_limit_rules.check_stake(COMMISSION, 500, table, StakeLimits(50, 1000))
    for stake, personal in ((9, None), (101, None), (49, StakeLimits(50, 1000))):
        with pytest.raises(Refused) as refused:
            table_procedure_and_limit_rules.check_stake(COMMISSION, stake, table, personal)
        assert refused.value.clause == "baccarat L.3"


def test_the_table_has_ten_seats() -> None:
    table_procedure_and_limit_rules.check_seat(COMMISSION, 10)
    for seat in (0, 11):
        with pytest.raises(Refused, match="seats 1 to 10"):
            table_procedure_and_limit_rules.check_seat(COMMISSION, seat)


# Procedure


@pytest.mark.parametrize(("card", "down"), [("AC", 1), ("2D", 2), ("9H", 9), ("TS", 10), ("JC", 10), ("KD", 10)])
def test_as_many_cards_are_burnt_as_the_first_is_worth(card: str, down: int) -> None:
    assert answer("burn", card=card) == {"face_up": 1, "face_down": down, "total": down + 1}


@pytest.mark.parametrize(
    ("burnt", "free_rounds", "wants", "bets", "due"),
    [
        (True, 0, False, True, 0),
        (False, 0, False, False, 3),
        (False, 2, False, False, 1),
        (False, 3, False, True, 0),
        (False, 4, False, True, 0),
        (False, 1, True, True, 2),
    ],
)
def test_a_new_shoe_opens_with_a_burn_or_three_free_rounds(
    burnt: bool, free_rounds: int, wants: bool, bets: bool, due: int
) -> None:
    opening = table_procedure_and_limit_rules.opening(
        COMMISSION, burnt=burnt, free_rounds=free_rounds, player_wants_to_bet=wants
    )
    assert opening == table_procedure_and_limit_rules.ShoeOpening(bets, due)


def test_the_cut_card_ends_the_shoe_after_the_round() -> None:
    assert table_procedure_and_limit_rules.shuffle_due(cut_card_out=True, round_over=True)
    assert not table_procedure_and_limit_rules.shuffle_due(cut_card_out=True, round_over=False)
    assert not table_procedure_and_limit_rules.shuffle_due(cut_card_out=False, round_over=True)


@pytest.mark.parametrize("operation", ["make", "take_back", "change"])
def test_after_bets_closed_nothing_moves(operation: str) -> None:
    assert answer("accept", phase="open", operation=operation) == {"accepted": True}
    closed = answer("accept", phase="bets_closed", operation=operation)
    assert closed["accepted"] is False
    assert "[baccarat B.4]" in closed["why"]


@pytest.mark.parametrize(
    "inputs", [{"phase": "shut", "operation": "make"}, {"phase": "open", "operation": "steal"}, {}]
)
def test_an_operation_that_cannot_be_read_is_invalid(inputs: dict[str, str]) -> None:
    with pytest.raises(Invalid):
        answer("accept", **inputs)


@pytest.mark.parametrize(
    ("bets", "player", "banker"),
    [
        ([("X", "player", 10), ("Y", "player", 20), ("X", "banker", 5)], "Y", "X"),
        ([("X", "player", 10), ("Y", "player", 10)], "X", "dealer"),
        ([("X", "tie", 10), ("Y", "banker_pair", 10)], "dealer", "dealer"),
        ([("X", "player", 10), ("X", "banker", 20), ("Y", "banker", 19)], "X", "X"),
        ([], "dealer", "dealer"),
    ],
)
def test_the_highest_bet_turns_the_cards(bets: list[tuple[str, str, int]], player: str, banker: str) -> None:
    inputs = [{"by": by, "type": name, "stake": stake} for by, name, stake in bets]
    assert answer("reveal", bets=inputs) == {"player": player, "banker": banker}


# Odds


def percent(ruleset: str) -> dict[str, Fraction]:
    return {edge.bet: round(100 * edge.edge, 4) for edge in par.edges(ruleset)}


def test_the_odds_of_eight_packs_are_the_published_ones() -> None:
    pair = {"player_pair": Fraction("10.3614"), "banker_pair": Fraction("10.3614")}
    common = {"player": Fraction("1.2351"), "tie": Fraction("14.3596")} | pair
    assert percent("baccarat") == common | {"banker": Fraction("1.0579")}
    assert percent("baccarat-no-commission") == common | {"banker": Fraction("1.4581")}


def test_the_combinations_of_eight_packs_are_the_published_ones() -> None:
    totals = par.totals_of(8)
    assert sum(totals.values()) == perm(416, 6) == 4_998_398_275_503_360
    assert sum(ways for (player, banker), ways in totals.items() if banker > player) == 2_292_252_566_437_888
    assert sum(ways for (player, banker), ways in totals.items() if banker < player) == 2_230_518_282_592_256
    assert sum(ways for (player, banker), ways in totals.items() if banker == player) == 475_627_426_473_216


# Recorded play


def test_recorded_coups_agree_with_the_table_of_play() -> None:
    """Real coups (`baccarat_hands.csv`), which are not shipped with the project: PITLEDGER_RECORDED_DATA names the
    file or its folder."""
    named = Path(os.environ.get("PITLEDGER_RECORDED_DATA", ""))
    path = named / "baccarat_hands.csv" if named.is_dir() else named
    if not path.is_file():
        pytest.skip("no recorded coups: PITLEDGER_RECORDED_DATA names no baccarat_hands.csv")
    with path.open(newline="", encoding="utf-8") as file:
        coups = [row for row in csv.DictReader(file) if row["player_card_values"]]
    assert coups
    for row in coups:
        replay(row)


def replay(row: dict[str, str]) -> None:
    """Deals the recorded cards by the table of play: both hands, totals and winner must come out."""
    player, banker = ([int(value) for value in row[f"{side}_card_values"].split()] for side in ("player", "banker"))
    hands: dict[str, list[int]] = {"player": [], "banker": []}
    left = {"player": list(player), "banker": list(banker)}
    while (side := next_side(hands["player"], hands["banker"])) is not None:
        hands[side].append(left[side].pop(0))
    assert left == {"player": [], "banker": []}, row
    end = CoupOutcome(baccarat.total(hands["player"]), baccarat.total(hands["banker"]))
    recorded = (int(row["player_total"]), int(row["banker_total"]), row["result"])
    assert (end.player_total, end.banker_total, end.winner) == recorded
