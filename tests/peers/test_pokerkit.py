"""Every hand of Trilux, beside pokerkit's Rhode Island hold'em; each difference is one that a clause explains."""

from collections import Counter
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

import pytest

from events.games.blackjack.trilux import trilux_class
from events.rules.cards import PACK

pytestmark = pytest.mark.peers

NO_HAND = "no hand"  # what pokerkit says of suited cards of one rank: one pack does not hold them

# (ours, pokerkit's): in how many of the hands, why, and the clause. Every other hand has the same class with both.
EXPLAINED = {
    ("flush", NO_HAND): (
        1_248,
        "P.1, BJ-12: of four to six packs, a suited pair and a third card of its suit are a flush",
    ),
    ("three_of_a_kind", NO_HAND): (52, "P.1, BJ-11: of four to six packs, three identical cards are three of a kind"),
}
_CLASSES = {
    "Straight flush": "straight_flush",
    "Three of a kind": "three_of_a_kind",
    "Straight": "straight",
    "Flush": "flush",
    "One pair": "none",
    "High card": "none",
}


@cache
def highest() -> Any:
    from pokerkit import RhodeIslandHoldemHand

    return RhodeIslandHoldemHand("QsKsAs")


def peer_class(cards: list[Any]) -> str:
    """pokerkit's class; its highest straight flush is the line that Trilux pays as royal."""
    try:
        hand = type(highest())(cards)
    except ValueError:
        return NO_HAND
    return "royal" if hand == highest() else _CLASSES[hand.entry.label]


def test_every_difference_from_pokerkit_is_explained_by_a_clause() -> None:
    from pokerkit import Card

    cards = {card: next(Card.parse(card[0] + card[1].lower())) for card in PACK}
    counts = Counter(
        (trilux_class((first, second), dealer), peer_class([cards[first], cards[second], cards[dealer]]))
        for first, second in combinations_with_replacement(PACK, 2)
        for dealer in PACK
    )
    differing = {pair: count for pair, count in counts.items() if pair[0] != pair[1]}
    assert differing == {pair: count for pair, (count, _) in EXPLAINED.items()}
    assert counts.total() == 52 * 53 // 2 * 52
