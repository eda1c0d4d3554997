"""Properties of every round of blackjack, Trilux and Blazing 7's."""

from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.errors import Refused
from events.games.blackjack import json_case_settlement, trilux
from events.games.blackjack import rules as blackjack
from events.games.blackjack.rules import ACTIONS, BlackjackHand
from events.games.blazing7s import json_case_settlement as blazing_cases
from events.games.blazing7s import rules as blazing7s
from events.progressives.meter import contributed_units, displayed_minor, meter_after_shares
from events.progressives.sharing_policies import policy
from events.rules import cards

RULES = blackjack.rules()
BLAZING = blazing7s.rules()
CARD = st.sampled_from(cards.PACK)


class ShoeRound:
    """A round played from a shoe. Each box takes one of its offered actions, as the drawn choices say."""

    def __init__(self, shoe: list[str], stakes: list[int], choices: list[int]) -> None:
        self.shoe, self.choices = iter(shoe), iter(choices)
        self.up = next(self.shoe)
        self.boxes = [self._play(number, stake) for number, stake in enumerate(stakes, start=1)]
        self.dealer = [self.up]
        while blackjack.dealer_draws(RULES, self.dealer):
            self.dealer.append(next(self.shoe))
        self.given = {"kind": "round", "minimum": 1, "dealer": self.dealer, "boxes": self.boxes}

    def _play(self, number: int, stake: int) -> dict[str, Any]:
        first_two = [next(self.shoe), next(self.shoe)]
        hands: tuple[BlackjackHand, ...] = (BlackjackHand(cards=tuple(first_two), stake=stake),)
        actions = []
        while (turn := self._turn(hands)) is not None:
            index, offered = turn
            do = offered[next(self.choices, 0) % len(offered)]
            drawn = [next(self.shoe) for _ in range({"split": 2, "stand": 0}.get(do, 1))]
            hands = blackjack.act(RULES, hands, index, do, drawn)
            actions.append({"hand": index, "do": do, "cards": drawn})
        return {"id": f"b{number}", "cards": first_two, "stake": stake, "actions": actions, "trilux": stake}

    @staticmethod
    def _turn(hands: tuple[BlackjackHand, ...]) -> tuple[int, tuple[str, ...]] | None:
        for index, hand in enumerate(hands):
            if offered := blackjack.legal_actions(RULES, hand, len(hands) - 1):
                return index, offered
        return None


@st.composite
def tables(draw: st.DrawFn) -> ShoeRound:
    shoe = draw(st.randoms(use_true_random=False))
    pack = cards.packs(4)
    shoe.shuffle(pack)
    stakes = draw(st.lists(st.integers(1, 10_000), min_size=1, max_size=7))
    return ShoeRound(pack, stakes, draw(st.lists(st.integers(0, 11), max_size=60)))


def settle(given_: dict[str, Any]) -> dict[str, Any]:
    return json_case_settlement.round_("blackjack-trilux", given_)


def amount(shown: int | str) -> Fraction:
    return Fraction(shown)


@settings(max_examples=150, deadline=None)
@given(tables())
def test_chips_are_conserved(table: ShoeRound) -> None:
    """The house loses the winnings of the boxes.

    The net is the total of the parts, and no stake loses more than itself.
    """
    answer = settle(table.given)
    parts = [amount(hand["profit"]) for box in answer["boxes"] for hand in box["hands"]]
    parts += [amount(box["trilux"]["profit"]) for box in answer["boxes"]]
    assert amount(answer["net"]) == sum(parts)
    for box, box_answer in zip(table.boxes, answer["boxes"], strict=True):
        doubles = sum(action["do"] == "double" for action in box["actions"])
        splits = sum(action["do"] == "split" for action in box["actions"])
        laid = box["stake"] * (1 + splits + doubles)
        assert len(box_answer["hands"]) == 1 + splits
        assert -laid <= sum(amount(hand["profit"]) for hand in box_answer["hands"]) <= max(laid, laid * Fraction(3, 2))
    dealt = [card for box_answer in answer["boxes"] for hand in box_answer["hands"] for card in hand["cards"]]
    drawn = [card for box in table.boxes for action in box["actions"] for card in action["cards"]]
    assert sorted(dealt) == sorted([*(card for box in table.boxes for card in box["cards"]), *drawn])


@settings(max_examples=60, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_boxes_changes_nothing(table: ShoeRound, random: Any) -> None:
    boxes = list(table.boxes)
    random.shuffle(boxes)
    straight, mixed = settle(table.given), settle(table.given | {"boxes": boxes})
    assert straight["net"] == mixed["net"]
    assert {box["box"]: box for box in straight["boxes"]} == {box["box"]: box for box in mixed["boxes"]}


HANDS = st.builds(
    BlackjackHand,
    cards=st.lists(CARD, min_size=1, max_size=5).map(tuple),
    stake=st.integers(1, 1000),
    from_split=st.booleans(),
    doubled=st.booleans(),
    stood=st.booleans(),
)


@settings(max_examples=400, deadline=None)
@given(HANDS, st.integers(0, 3), st.lists(CARD, min_size=2, max_size=2))
def test_what_is_offered_is_accepted_and_every_refusal_names_its_clause(
    hand: BlackjackHand, splits: int, drawn: list[str]
) -> None:
    others = [BlackjackHand(cards=("TS", "9S"), stake=1, from_split=True)] * splits
    offered = blackjack.legal_actions(RULES, hand, splits)
    for do in ACTIONS:
        taken = drawn[: {"split": 2, "stand": 0}.get(do, 1)]
        if (refusal := _refusal(hand, splits, do)) is None:
            after = blackjack.act(RULES, [*others, hand], splits, do, taken)
            stakes = sum(hand.stake for hand in after) - sum(hand.stake for hand in others)
            assert stakes == hand.stake * (2 if do in ("double", "split") else 1)
            assert do in offered or do == "stand"
            continue
        assert do not in offered
        assert refusal.clause.startswith(("blackjack-trilux P.", "blackjack-trilux B."))
        assert refusal.source.startswith("004 L")
        with pytest.raises(Refused):
            blackjack.act(RULES, [*others, hand], splits, do, taken)


def _refusal(hand: BlackjackHand, splits: int, do: blackjack.Do) -> Refused | None:
    try:
        blackjack.check_action(RULES, hand, splits, do)
    except Refused as refusal:
        return refusal
    return None


@given(st.lists(CARD, min_size=3, max_size=3))
def test_bonus_hands_do_not_depend_on_who_holds_which_card(three: list[str]) -> None:
    assert len({trilux.trilux_class(order[:2], order[2]) for order in permutations(three)}) == 1
    assert blazing7s.classify(three[:2], three[2]) == blazing7s.classify(three[1::-1], three[2])


RATE = st.fractions(0, 1, max_denominator=1000)
AMOUNT = st.integers(0, 10_000_000)


@given(AMOUNT, AMOUNT, RATE, st.lists(st.integers(0, 10_000)), st.integers(1, 7))
def test_a_meter_loses_nothing(meter: int, seed: int, rate: Fraction, stakes: list[int], winners: int) -> None:
    full = meter + contributed_units(rate, stakes)
    assert contributed_units(rate, reversed(stakes)) == contributed_units(rate, [sum(stakes)]) == rate * sum(stakes)
    each = policy("split").share(displayed_minor(full), winners)
    after = meter_after_shares(full, Fraction(seed), policy("split").taken(each, winners))
    assert each * winners + after == full + seed
    assert seed <= after < seed + winners
    assert each * winners <= displayed_minor(full)


@given(
    st.dictionaries(st.sampled_from("ABCDEFG"), st.integers(0, 1), min_size=1),
    st.lists(st.tuples(st.sampled_from("ABCDEFG"), st.sampled_from(blazing7s.LEVELS)), max_size=4),
)
def test_envy_to_the_winner_adds_his_own_hands_only(players: dict[str, int], won: list[tuple[str, Any]]) -> None:
    question: dict[str, Any] = {
        "participants": [{"id": player, "level": column} for player, column in players.items()],
        "winners": [{"id": winner, "tier": level} for winner, level in won],
    }
    without = blazing_cases.envy("blazing7s", question | {"envy_to_winner": False})["envy"]
    with_own = blazing_cases.envy("blazing7s", question | {"envy_to_winner": True})["envy"]
    for player, column in players.items():
        own = sum(BLAZING.envy[level][column] for winner, level in won if winner == player)
        assert with_own[player] - without[player] == own


@given(st.lists(st.tuples(st.sampled_from(blazing7s.LEVELS), st.integers(1, 3)), max_size=6), AMOUNT)
def test_progressive_cases_pay_what_the_meters_lose(awards: list[tuple[str, int]], value: int) -> None:
    pools = {level: {"value": value, "seed": 1000, "rate": "1/7"} for level in blazing7s.LEVELS}
    in_order = [{"tier": tier, "winners": list("ABC"[:winners])} for tier, winners in awards]
    answer = blazing_cases.progressive(
        "blazing7s", {"pools": pools, "events": [{"stakes": [100, 250]}, {"awards_in_order": in_order}]}
    )
    held = sum(Fraction(meter) for meter in answer["meters"].values())
    assert held + answer["total_paid"] == 3 * (value + Fraction(350, 7)) + 1000 * len(awards)
