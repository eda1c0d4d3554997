"""The main bet of Trilux blackjack, exactly, from an infinite deck with the best total-dependent play.

Every card has the same odds at any time (each rank 1/13). All choices come from `blackjack.legal_actions`, all results
from `blackjack.settle_hand`. Hands of equal total, softness and number of cards (two, or more) are one state, since
nothing else affects their result.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

from events.games.blackjack import rules as blackjack
from events.games.blackjack.rules import BlackjackHand, BlackjackRules

Odds: TypeAlias = Any  # Fraction; float where an estimate will do
Deck: TypeAlias = tuple[tuple[str, Odds], ...]
# One face for each value; suits do not matter.
DECK: Deck = (
    *((f"{rank}S", Fraction(1, 13)) for rank in "A23456789"),
    ("TS", Fraction(4, 13)),
)
_NATURAL = ("AS", "TS")
_Hands = dict[tuple[str, ...], Fraction]


class PositionValue:
    """Average value of a position: profit, hands won and stakes laid, per unit of the first stake."""

    __slots__ = ("laid", "profit", "won")

    def __init__(self, profit: Odds = 0, won: Odds = 0, laid: Odds = 0) -> None:
        self.profit, self.won, self.laid = profit, won, laid

    def __add__(self, other: "PositionValue") -> "PositionValue":
        return PositionValue(self.profit + other.profit, self.won + other.won, self.laid + other.laid)

    def times(self, weight: Odds) -> "PositionValue":
        return PositionValue(self.profit * weight, self.won * weight, self.laid * weight)


def main_bet(rules: BlackjackRules, *, hole_card: bool = False) -> PositionValue:
    """The main bet's value under the best play. `hole_card`: as if the dealer checks for blackjack first.

    That game is not this one; it is there to be held against published figures.
    """
    whole = PositionValue()
    for up, weight in DECK:
        whole += against(rules, up, hole_card=hole_card).times(weight)
    return whole


def against(rules: BlackjackRules, up: str, *, hole_card: bool) -> PositionValue:
    """The main bet's value against this first card of the dealer."""
    dealers = dealer_hands(rules, up)
    natural = dealers.pop(_NATURAL, Fraction(0)) if hole_card else Fraction(0)
    play = BestPlay(rules, {cards: odds / (1 - natural) for cards, odds in dealers.items()})
    seen = BestPlay(rules, {_NATURAL: Fraction(1)})
    total = PositionValue()
    for first, odds in DECK:
        for second, second_odds in DECK:
            hand = BlackjackHand(cards=(first, second), stake=1)
            total += play.best(hand, 0).times(odds * second_odds * (1 - natural))
            if natural:
                total += seen.stand(hand).times(odds * second_odds * natural)
    return total


def dealer_hands(rules: BlackjackRules, up: str) -> dict[tuple[str, ...], Fraction]:
    """The dealer's final hands, one for each total (and the blackjack), with their odds."""
    hands: _Hands = {}
    open_: _Hands = {(up,): Fraction(1)}
    while open_:
        further: _Hands = {}
        for cards, odds in open_.items():
            if blackjack.dealer_draws(rules, cards):
                further |= {(*cards, card): odds * weight for card, weight in DECK}
            else:
                hands[_NATURAL if blackjack.is_blackjack(cards) else cards] = odds
        open_ = _merged(further, _drawn)
    return _merged(hands, _final)


def _merged(hands: _Hands, key: Callable[[tuple[str, ...]], object]) -> _Hands:
    """Hands without a difference for the play count as one, the first of them."""
    representatives: dict[object, tuple[str, ...]] = {}
    merged: _Hands = {}
    for cards, odds in hands.items():
        same = representatives.setdefault(key(cards), cards)
        merged[same] = merged.get(same, Fraction(0)) + odds
    return merged


def _drawn(cards: tuple[str, ...]) -> object:
    return blackjack.total(cards), any(card[0] == "A" for card in cards), blackjack.is_blackjack(cards)


def _final(cards: tuple[str, ...]) -> object:
    return min(22, blackjack.total(cards)[0]), blackjack.is_blackjack(cards)


class BestPlay:
    """The best play against one distribution of the dealer's final hands."""

    def __init__(self, rules: BlackjackRules, dealers: dict[tuple[str, ...], Odds], deck: Deck = DECK) -> None:
        self.rules, self.dealers, self.deck = rules, dealers, deck
        self._value_by_position: dict[tuple[object, ...], PositionValue] = {}
        self._choice_by_position: dict[tuple[object, ...], tuple[str, PositionValue]] = {}

    def best(self, hand: BlackjackHand, splits: int) -> PositionValue:
        """The value of `hand` when its player chooses best; `splits` made so far in its box."""
        return self._choice(hand, splits)[1]

    def does(self, hand: BlackjackHand, splits: int) -> str:
        """Return the player's choice for this hand; without a choice the hand stands."""
        return self._choice(hand, splits)[0]

    def _choice(self, hand: BlackjackHand, splits: int) -> tuple[str, PositionValue]:
        key = (*alike(hand), splits if len(hand.cards) == 2 else 0)
        if key not in self._choice_by_position:
            options = [(do, self.after(hand, do, splits)) for do in blackjack.legal_actions(self.rules, hand, splits)]
            self._choice_by_position[key] = max(
                options, key=lambda option: option[1].profit, default=("stand", self.stand(hand))
            )
        return self._choice_by_position[key]

    def after(self, hand: BlackjackHand, do: str, splits: int) -> PositionValue:
        """The value once this is announced, and played on best."""
        if do == "split":
            return self.split(hand.cards[0], 2, splits + 1)
        if do == "stand":
            return self.stand(hand)
        (begun,) = blackjack.begin(self.rules, [hand], 0, do)
        whole = PositionValue()
        for card, odds in self.deck:
            after = blackjack.deal(begun, card)
            whole += (self.best(after, splits) if do == "hit" else self.stand(after)).times(odds)
        return whole

    def stand(self, hand: BlackjackHand) -> PositionValue:
        """The value of `hand` with no more cards."""
        key = ("stand", *alike(hand))
        if key not in self._value_by_position:
            whole = PositionValue()
            for dealer, odds in self.dealers.items():
                outcome, profit = blackjack.settle_hand(self.rules, hand, dealer)
                whole += PositionValue(profit, outcome in ("win", "blackjack"), hand.stake).times(odds)
            self._value_by_position[key] = whole
        return self._value_by_position[key]

    def split(self, first: str, waiting: int, splits: int) -> PositionValue:
        """`waiting` hands of the one card `first` that get their second card one after another."""
        key = ("split", first[0], waiting, splits)
        if key not in self._value_by_position:
            self._value_by_position[key] = self._split_on(first, waiting, splits) if waiting else PositionValue()
        return self._value_by_position[key]

    def _split_on(self, first: str, waiting: int, splits: int) -> PositionValue:
        remainder = self.split(first, waiting - 1, splits)
        whole = PositionValue()
        for card, odds in self.deck:
            hand = BlackjackHand(cards=(first, card), stake=1, from_split=True)
            options = [self.best(hand, self.rules.splits) + remainder]
            if "split" in blackjack.legal_actions(self.rules, hand, splits):
                options.append(self.split(first, waiting + 1, splits + 1))
            whole += max(options, key=lambda value: value.profit).times(odds)
        return whole


def alike(hand: BlackjackHand) -> tuple[object, ...]:
    """Return the state that distinguishes hands: total and aces, the stake, and for two first cards a pair, a
    blackjack, a split."""
    low = sum(map(blackjack.value, hand.cards))
    ace = any(card[0] == "A" for card in hand.cards)
    if len(hand.cards) != 2:
        return (low, ace, hand.doubled, hand.stake)
    pair = hand.cards[0][0] == hand.cards[1][0]
    return (low, ace, hand.stake, pair, hand.from_split, blackjack.is_split_ace(hand))
