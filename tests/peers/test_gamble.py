"""Every hand of Trilux, beside gamble's poker hands of three cards; each difference is one that a clause explains."""

from collections import Counter
from itertools import combinations_with_replacement
from typing import Any

import pytest

from events.games.blackjack.trilux import trilux_class
from events.rules.cards import PACK

pytestmark = pytest.mark.peers

# (ours, gamble's): why, and the clause. Every other hand has the same class with both.
EXPLAINED = {
    ("three_of_a_kind", "flush"): "B.5, BJ-11: three identical cards take the higher line; in poker flush beats trips",
}
_CLASSES = {
    "royal flush": "royal",
    "straight flush": "straight_flush",
    "three of a kind": "three_of_a_kind",
    "straight": "straight",
    "flush": "flush",
    "pair": "none",
    "high card": "none",
}


def compared() -> Counter[tuple[str, str]]:
    """Count pairs (our class, their class) of the player's two cards with each first card of the dealer.

    The cards come from more than one pack.
    """
    from gamble import Card, Hand

    cards: dict[str, Any] = {card: Card.get(card) for card in PACK}
    counts: Counter[tuple[str, str]] = Counter()
    for first, second in combinations_with_replacement(PACK, 2):
        for dealer in PACK:
            rank = Hand([cards[first], cards[second], cards[dealer]]).rank.name
            counts[trilux_class((first, second), dealer), _CLASSES[rank]] += 1
    return counts


def test_every_difference_from_gamble_is_explained_by_a_clause() -> None:
    counts = compared()
    assert {pair for pair in counts if pair[0] != pair[1]} == set(EXPLAINED)
    assert {pair[0] for pair in counts if pair[0] == pair[1]} == set(_CLASSES.values())
    assert counts["three_of_a_kind", "flush"] == len(PACK)  # a card three times over, and no other hand
    assert counts.total() == 52 * 53 // 2 * 52
