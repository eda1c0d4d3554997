"""Rounds of blackjack beside blackjack21, on the same cards. A clause explains each difference.

The players' cards and the dealer's cards are in two piles, so both programs play the same hands. Otherwise they would
differ: blackjack21 deals the dealer a second card at once, and our rules do not (P.4). blackjack21 names results and
stakes but pays nothing, so this test does not compare winnings.
"""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from events.games.blackjack import rules as blackjack
from events.games.blackjack.rules import BlackjackHand, BlackjackRules
from events.rules.cards import packs

pytestmark = pytest.mark.peers

STAKE = 10
ROUNDS = 20_000
SEED = 4

Ends = list[tuple[str, int]]  # of each hand: outcome and stake

# What one of them offers and the other does not, and why. When that is: `ComparedBox.explained`.
EXPLAINED = {
    "double": "B.2, BJ-1: two cards that count 2 to 11, aces as one; blackjack21 doubles any two cards",
    "split": "B.3, BJ-5: two splits, three hands; blackjack21 splits without end",
    "surrender": "P.8: double, split and insurance are the choices; with blackjack21 a player may give up half",
    "insurance": "B.4: offered on the dealer's ace; blackjack21 has none",
    "dealer's blackjack": "P.4, BJ-3: no hole card, so it takes doubled and split stakes whole; blackjack21 deals one,"
    " looks at it and ends the round before anybody plays",
}
_OUTCOMES = {
    "BLACKJACK": "blackjack",
    "PLAYER_WIN": "win",
    "DEALER_BUST": "win",
    "PUSH": "push",
    "PLAYER_BUST": "lose",
    "DEALER_WIN": "lose",
}
_DEALERS_DRAWS = (2, 4)  # of the four first cards, with one player


class Piles:
    """Their shoe: cards for the player from one pile, for the dealer from the other."""

    def __init__(self, player: Sequence[str], dealer: Sequence[str]) -> None:
        self.player, self.dealer = iter(player), iter(dealer)
        self.table: Any = None
        self.drawn = 0

    def __len__(self) -> int:
        return 52

    def draw_card(self) -> Any:
        self.drawn += 1
        dealers = self.drawn in _DEALERS_DRAWS or self.table.state == "DEALER_TURN"
        return their_card(next(self.dealer if dealers else self.player))


def their_card(card: str) -> Any:
    from blackjack21 import Card
    from blackjack21.deck import DEFAULT_RANKS

    rank = card[0].replace("T", "10")
    return Card(card[1], rank, DEFAULT_RANKS[rank])


def their_table(player: Sequence[str], dealer: Sequence[str]) -> Any:
    """Their table, the four first cards dealt."""
    from blackjack21 import Table

    piles = Piles(player, dealer)
    table = Table([("player", STAKE)], piles)
    piles.table = table
    table.start_game()
    return table


class ComparedBox:
    """One box played by both with the same choices, as long as both play on. `differing` fills as it is played."""

    def __init__(self, rules: BlackjackRules, player: Sequence[str], dealer: Sequence[str]) -> None:
        self.rules = rules
        self.cards = iter(player)
        self.dealer = dealer
        self.hands: tuple[BlackjackHand, ...] = (BlackjackHand((next(self.cards), next(self.cards)), STAKE),)
        self.table = their_table(player, dealer)
        self.ended_by_look = self.table.state == "ROUND_OVER" and blackjack.is_blackjack(dealer[:2])
        self.differing: set[str] = set()

    def play(self, chance: random.Random) -> None:
        """To the round's end. Raises AssertionError for a difference that is not explained, or does not show."""
        index = 0
        while index < len(self.hands):
            offered: set[str] = set(blackjack.legal_actions(self.rules, self.hands[index], len(self.hands) - 1))
            if not offered:
                index += 1
                continue
            if not self.ended_by_look:
                theirs = self.offered_by_them(index)
                assert theirs ^ self.with_insurance(offered, index) == self.explained(index), self.hands
                self.differing |= self.explained(index)
                offered &= theirs
            self.do(index, chance.choice(sorted(offered)))
        self.end()

    def offered_by_them(self, index: int) -> set[str]:
        """Return the actions that blackjack21 offers. Its hand must be the same hand as ours, with the same total."""
        hand = self.table.current_hand
        assert hand is self.table[0].hands[index]
        assert hand.total == blackjack.total(self.hands[index].cards)[0]
        return {action.value for action in self.table.available_actions()}

    def with_insurance(self, offered: set[str], index: int) -> set[str]:
        return (
            offered | {"insurance"}
            if self.is_first(index) and blackjack.insurance_offered(self.dealer[:1])
            else offered
        )

    def is_first(self, index: int) -> bool:
        """Return whether the box has one hand without an action."""
        return len(self.hands) == 1 and len(self.hands[index].cards) == 2

    def explained(self, index: int) -> set[str]:
        """Return the actions that only one of the two programs offers; a clause explains each."""
        cards = self.hands[index].cards
        values = [blackjack.value(card) for card in cards]
        two = len(cards) == 2
        when = {
            "double": two and sum(values) > 11,
            "split": two and values[0] == values[1] and len(self.hands) == 3,
            "surrender": self.is_first(index),
            "insurance": self.is_first(index) and self.dealer[0][0] == "A",
        }
        return {name for name, shows in when.items() if shows}

    def do(self, index: int, do: str) -> None:
        wanted = {"hit": 1, "double": 1, "split": 2}.get(do, 0)
        self.hands = blackjack.act(self.rules, self.hands, index, do, [next(self.cards) for _ in range(wanted)])
        if not self.ended_by_look:
            getattr(self.table, "double_down" if do == "double" else do)()

    def end(self) -> None:
        drawn = 2
        while blackjack.dealer_draws(self.rules, self.dealer[:drawn]):
            drawn += 1
        assert self.table.dealer.hand == [their_card(card) for card in self.dealer[:drawn]]
        ours: Ends = [(blackjack.outcome(self.rules, hand, self.dealer[:drawn]), hand.stake) for hand in self.hands]
        laid_more = sum(stake for _, stake in ours) > STAKE
        assert (ours != self.results()) == (self.ended_by_look and laid_more), (self.hands, self.dealer[:drawn])
        self.differing |= {"dealer's blackjack"} if ours != self.results() else set()

    def results(self) -> Ends:
        return [(_OUTCOMES[hand.result.value], hand.bet) for hand in self.table[0].hands]


def test_every_difference_from_blackjack21_is_explained_by_a_clause() -> None:
    rules, chance, shoe = blackjack.rules(), random.Random(SEED), packs(6)
    differing: set[str] = set()
    for _ in range(ROUNDS):
        cards = chance.sample(shoe, 60)
        played = ComparedBox(rules, cards[:44], cards[44:])
        played.play(chance)
        differing |= played.differing
    assert differing == set(EXPLAINED)
