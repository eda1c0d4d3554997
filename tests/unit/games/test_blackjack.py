"""Blackjack and Trilux as the guide (004) has them: what a dealer may do, what a stake wins, what the odds are."""

from fractions import Fraction

import pytest
from msgspec.structs import replace

from events.errors import Invalid, Refused
from events.games.blackjack import deal_order_and_stake_checks as blackjack_procedure
from events.games.blackjack import par, trilux
from events.games.blackjack import rules as blackjack
from events.games.blackjack.infinite_deck_main_bet_value import main_bet
from events.games.blackjack.rules import BlackjackHand, act
from events.rules.bonus_hand_counts_by_packs import all_ways, counts

RULES = blackjack.rules()


def hand(*cards: str, stake: int = 100, from_split: bool = False) -> BlackjackHand:
    return BlackjackHand(cards=cards, stake=stake, from_split=from_split)


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("9H 7S", (16, False)),
        ("AH 6S", (17, True)),
        ("AH AS", (12, True)),
        ("AH AS 9C", (21, True)),
        ("AH AS TC", (12, False)),
        ("KH QS 2C", (22, False)),
    ],
)
def test_an_ace_counts_eleven_while_it_can(cards: str, expected: tuple[int, bool]) -> None:
    assert blackjack.total(cards.split()) == expected


@pytest.mark.parametrize(
    ("cards", "splits", "from_split", "expected"),
    [
        ("9H 7S", 0, False, "hit stand"),
        ("7H 4S", 0, False, "double hit stand"),
        ("8H 4S", 0, False, "hit stand"),
        ("AH 9S", 0, False, "double hit stand"),
        ("AH AS", 0, False, "double hit split stand"),
        ("TH KS", 0, False, "hit split stand"),
        ("TH KS", 1, True, "hit split stand"),
        ("TH KS", 2, True, "hit stand"),
        ("AH 5S", 1, True, ""),
        ("AH AS", 1, True, ""),
        ("5H AS", 1, True, "double hit stand"),
        ("AH TS", 0, False, ""),
        ("TH AS", 1, True, ""),
        ("7H 7S 7C", 0, False, ""),
        ("5H 2S 2C", 0, False, "hit stand"),
        ("TH 9S 5C", 0, False, ""),
    ],
)
def test_what_the_dealer_offers(cards: str, splits: int, from_split: bool, expected: str) -> None:
    offered = blackjack.legal_actions(RULES, hand(*cards.split(), from_split=from_split), splits)
    assert offered == tuple(expected.split())


@pytest.mark.parametrize(
    ("cards", "actions", "clause", "reading"),
    [
        ("AH AS", [(0, "split", "5D 9C"), (0, "double", "2C")], "B.3", "BJ-18"),
        ("AH AS", [(0, "split", "5D AC"), (1, "split", "2C 3C")], "B.3", "BJ-18"),
        ("8H 4S", [(0, "double", "2C")], "B.2", "BJ-1"),
        ("5H 2S", [(0, "hit", "2C"), (0, "double", "2C")], "B.2", ""),
        ("5H 4S", [(0, "double", "2C"), (0, "hit", "3C")], "B.2", ""),
        ("5H 4S", [(0, "double", "2C 3C")], "B.2", ""),
        ("5H 4S", [(0, "double", "")], "B.2", ""),
        ("5H 4S", [(0, "stand", ""), (0, "hit", "3C")], "P.8", ""),
        ("TH 9S", [(0, "hit", "5C"), (0, "hit", "3C")], "P.7", ""),
        ("TH 9S", [(0, "hit", "2C"), (0, "hit", "3C")], "P.7", "BJ-20"),
        ("AH TS", [(0, "hit", "3C")], "P.6", "BJ-1"),
        ("TH 9S", [(0, "split", "5C 6C")], "B.3", "BJ-4"),
        ("8H 8S", [(0, "split", "8C 8D"), (0, "split", "2C 3C"), (2, "split", "2D 3D")], "B.3", "BJ-5"),
        ("8H 8S", [(0, "split", "8C")], "B.3", ""),
        ("TH 6S", [(0, "hit", "")], "P.7", ""),
        ("TH 6S", [(0, "stand", "2C")], "P.7", ""),
    ],
)
def test_what_is_refused_names_its_clause(
    cards: str, actions: list[tuple[int, str, str]], clause: str, reading: str
) -> None:
    hands: tuple[BlackjackHand, ...] = (hand(*cards.split()),)
    *before, (index, do, drawn) = actions
    for earlier, what, cards_drawn in before:
        hands = act(RULES, hands, earlier, what, cards_drawn.split())
    with pytest.raises(Refused) as caught:
        act(RULES, hands, index, do, drawn.split())
    assert (caught.value.clause, caught.value.reading) == (f"blackjack-trilux {clause}", reading)
    assert caught.value.source.startswith("004 L")


@pytest.mark.parametrize(("index", "do"), [(1, "hit"), (-1, "hit"), (0, "surrender")])
def test_a_hand_or_an_action_that_is_not_there_is_invalid(index: int, do: str) -> None:
    with pytest.raises(Invalid):
        act(RULES, [hand("9H", "7S")], index, do, ["2C"])


def test_to_stand_where_no_card_is_offered_is_no_breach() -> None:
    assert act(RULES, [hand("7H", "7S", "7C")], 0, "stand")[0].stood
    assert act(RULES, [hand("AH", "5S", from_split=True), hand("AS", "2S", from_split=True)], 0, "stand")[0].stood


def test_a_split_puts_the_new_hand_beside_the_old_one() -> None:
    hands = act(RULES, [hand("8H", "8S")], 0, "split", ["8C", "3D"])
    hands = act(RULES, hands, 0, "split", ["2C", "TD"])
    hands = act(RULES, hands, 2, "double", ["TS"])
    assert [(" ".join(hand.cards), hand.stake) for hand in hands] == [("8H 2C", 100), ("8C TD", 100), ("8S 3D TS", 200)]


def test_at_a_live_table_the_cards_come_one_by_one() -> None:
    first, second = blackjack.begin(RULES, [hand("8H", "8S")], 0, "split")
    assert (blackjack.cards_due(first), blackjack.legal_actions(RULES, first, 1)) == (1, ())
    first, second = blackjack.deal(first, "3C"), blackjack.deal(second, "TD")
    doubled, _ = blackjack.begin(RULES, [first, second], 0, "double")
    assert (doubled.stake, blackjack.cards_due(doubled)) == (200, 1)
    done = blackjack.deal(doubled, "TC")
    assert blackjack.is_complete(RULES, done, 1)
    with pytest.raises(Refused, match="exactly one card"):
        blackjack.deal(done, "2C")


def test_a_split_ace_gets_one_card() -> None:
    first, _ = blackjack.begin(RULES, [hand("AH", "AS")], 0, "split")
    first = blackjack.deal(first, "5C")
    assert blackjack.is_complete(RULES, first, 1)
    with pytest.raises(Refused, match="one card only"):
        blackjack.deal(first, "2C")


@pytest.mark.parametrize(
    ("player", "dealer", "expected"),
    [
        ("TH 8S", "6C TD 6S", ("win", 100)),
        ("TH 7S", "7C TD", ("push", 0)),
        ("9H 7S", "7C TD", ("lose", -100)),
        ("AH KS", "7C TD", ("blackjack", 150)),
        ("AH KS", "7C 4D TS", ("blackjack", 150)),
        ("AH KS", "AC TD", ("push", 0)),
        ("7H 7S 7C", "AC TD", ("lose", -100)),
        ("TH 9S 5C", "6C TD 6S", ("lose", -100)),
    ],
)
def test_what_a_hand_wins(player: str, dealer: str, expected: tuple[str, int]) -> None:
    assert blackjack.settle_hand(RULES, hand(*player.split()), dealer.split()) == expected


def test_twenty_one_on_a_split_hand_is_no_blackjack() -> None:
    split = hand("AH", "KS", from_split=True)
    assert blackjack.settle_hand(RULES, split, ["7C", "TD"]) == ("win", 100)
    assert blackjack.settle_hand(RULES, split, ["7C", "4D", "TS"]) == ("push", 0)
    assert blackjack.settle_hand(RULES, split, ["AC", "TD"]) == ("lose", -100)


def test_a_dealers_blackjack_takes_the_doubled_stake_whole() -> None:
    (doubled,) = act(RULES, [hand("5H", "6S")], 0, "double", ["TC"])
    assert blackjack.settle_hand(RULES, doubled, ["TC", "AD"]) == ("lose", -200)


def test_three_to_two_of_an_odd_stake_is_exact() -> None:
    assert blackjack.settle_hand(RULES, hand("AH", "KS", stake=25), ["9C", "9D"]) == ("blackjack", Fraction(75, 2))


def test_the_dealer_stands_on_seventeen_soft_or_hard() -> None:
    assert blackjack.dealer_draws(RULES, ["TC", "6D"])
    assert not blackjack.dealer_draws(RULES, ["AC", "6D"])
    assert not blackjack.dealer_draws(RULES, ["TC", "7D"])


@pytest.mark.parametrize("dealer", ["TC 7D 4S", "TC 6D", "9C"])
def test_a_dealers_hand_of_too_many_or_too_few_cards_is_refused(dealer: str) -> None:
    with pytest.raises(Refused, match=r"The dealer (stands|draws) on") as caught:
        blackjack.check_dealer(RULES, [hand("TH", "8S")], dealer.split())
    assert caught.value.clause == "blackjack-trilux P.7"


@pytest.mark.parametrize(
    ("player", "dealer", "insured", "needed"),
    [
        ("TH 8S", "9C", False, True),
        ("TH 8S 9C", "9C", False, False),
        ("TH 8S 9C", "AC", True, True),
        ("TH 8S 9C", "AC 2C", True, False),
        ("AH KS", "9C", False, False),
        ("AH KS", "TC", False, True),
        ("AH KS", "TC 2C", False, False),
    ],
)
def test_the_dealer_may_stop_when_nothing_depends_on_him(player: str, dealer: str, insured: bool, needed: bool) -> None:
    assert blackjack.dealer_needed(RULES, [hand(*player.split())], dealer.split(), insured=insured) is needed


def test_an_open_hand_is_not_settled() -> None:
    with pytest.raises(Refused, match="the hand is open"):
        blackjack.settle_hand(RULES, hand("TH", "8S"), ["9C"])


def test_insurance_goes_from_half_the_minimum_to_half_the_stake() -> None:
    assert blackjack.insurance_band(RULES, 25, 10) == (5, Fraction(25, 2))
    blackjack.check_insurance(RULES, ["AC"], 25, 10, Fraction(25, 2))
    for dealer, bet in ((["AC"], 4), (["AC"], 13), (["KC"], 5), (["AC", "KD"], 5)):
        with pytest.raises(Refused) as caught:
            blackjack.check_insurance(RULES, dealer, 25, 10, bet)
        assert caught.value.clause == "blackjack-trilux B.4"


def test_insurance_pays_two_to_one() -> None:
    assert blackjack.settle_insurance(RULES, Fraction(11, 2), ["AC", "TD"]) == ("win", 11)
    assert blackjack.settle_insurance(RULES, 11, ["AC", "9D"]) == ("lose", -11)
    with pytest.raises(Refused, match="second card"):
        blackjack.settle_insurance(RULES, 11, ["AC"])


@pytest.mark.parametrize(
    ("cards", "class_", "profit"),
    [
        ("QH KH AH", "royal", 1000),
        ("AH 2H 3H", "straight_flush", 350),
        ("TS JS QS", "straight_flush", 350),
        ("8H 8H 8H", "three_of_a_kind", 330),
        ("TS 8D 9D", "straight", 100),
        ("QH KS AH", "straight", 100),
        ("KH AH 2H", "flush", 50),
        ("9H 9H 2H", "flush", 50),
        ("KH AS 2H", "none", -10),
        ("9H 9S 2H", "none", -10),
    ],
)
def test_trilux(cards: str, class_: trilux.Class, profit: int) -> None:
    first, second, dealer = cards.split()
    assert trilux.trilux_class([first, second], dealer) == class_
    assert trilux.settle_trilux(RULES, class_, 10) == profit


def test_trilux_limits() -> None:
    trilux.check_stake(RULES, 250, 5, 250)
    for stake, least, most in ((4, 5, 250), (251, 5, 250), (5, 5, 251), (5, 5, 4)):
        with pytest.raises(Refused) as caught:
            trilux.check_stake(RULES, stake, least, most)
        assert caught.value.source == "004 L101"


def test_cards_go_from_left_to_right_and_bonuses_are_settled_back() -> None:
    assert blackjack_procedure.deal_order(RULES, [5, 2]) == [2, 5, "dealer", 2, 5]
    assert blackjack_procedure.bonus_settlement(RULES, 3) == [3, 2, 1]


def test_procedure_refuses() -> None:
    procedure = blackjack_procedure
    for refusal, clause in (
        (lambda: procedure.deal_order(RULES, 8), "P.1"),
        (lambda: procedure.check_packs(RULES, 8), "P.1"),
        (lambda: procedure.check_shoe(RULES, ["7D"] * 7), "P.1"),
        (lambda: procedure.check_side_bet(main_stake=0), "P.2"),
        (lambda: procedure.check_bet_open(dealing_started=True), "P.3"),
        (lambda: procedure.check_change(hand_over=False), "P.9"),
        (lambda: procedure.check_stake(9, 10), "L.1"),
        (lambda: procedure.check_stake(101, 10, 100), "L.1"),
    ):
        with pytest.raises(Refused) as caught:
            refusal()
        assert caught.value.clause == f"blackjack-trilux {clause}"


def test_trilux_counts_agree_with_published_ones() -> None:
    """Six packs: https://www.jndiario.com/games/blackjack/side-bets/21plus3/ (a copy of the Wizard of Odds' page).

    There straight flushes include royals, and flushes are listed with and without a pair. A payout of 9:1 on every
    class costs 4.24 % with four packs and 3.24 % with six. Straights and three of a kind are also at
    wizardofodds.com, side bet "Trifecta".
    """
    ways = {class_: count // 3 for class_, count in counts(trilux.trilux_class, 6).items()}
    assert ways["royal"] + ways["straight_flush"] == 10_368
    assert ways["three_of_a_kind"] == 26_312
    assert ways["straight"] == 155_520
    assert ways["flush"] == 236_736 + 56_160
    assert sum(ways.values()) == 5_013_320
    for packs, published in ((4, "0.0424"), (6, "0.0324")):
        losing = Fraction(counts(trilux.trilux_class, packs)["none"], all_ways(packs))
        assert round(losing - 9 * (1 - losing), 4) == Fraction(published)


def test_trilux_edge_is_what_the_pays_make_of_the_counts() -> None:
    edges = {edge.condition: edge.edge for edge in par.edges("blackjack-trilux") if edge.bet == "trilux"}
    assert [round(edges[f"{packs} packs"], 5) for packs in (4, 5, 6)] == [
        Fraction("0.05811"),
        Fraction("0.04974"),
        Fraction("0.04412"),
    ]


def test_insurance_edge() -> None:
    """16 n of the 52 n - 1 cards left make the blackjack: the edge is (4 n - 1) / (52 n - 1)."""
    edges = [edge.edge for edge in par.edges("blackjack-trilux") if edge.bet == "insurance"]
    assert edges == [Fraction(4 * packs - 1, 52 * packs - 1) for packs in (4, 5, 6)]


def test_the_infinite_deck_agrees_with_the_published_game() -> None:
    """https://wizardofodds.com/games/blackjack/appendix/5: 0.5093975 %, with a dealer's hole card and unlimited splits.

    There aces are split once. Six splits are within a ten-thousandth of a per cent of unlimited splits.
    """
    rules = replace(RULES, splits=6)
    assert abs(-main_bet(rules, hole_card=True).profit - Fraction("0.005093975")) < Fraction("0.000001")


def test_without_a_hole_card_the_house_has_more() -> None:
    """Doubles and splits are lost whole to a dealer's blackjack (BJ-3): an eighth of a per cent or so."""
    main = [edge for edge in par.edges("blackjack-trilux") if edge.bet == "main"]
    assert [edge.per for edge in main] == ["stake", "outlay"]
    assert round(main[0].edge, 8) == Fraction("0.00633964")
    assert main[1].edge < main[0].edge
