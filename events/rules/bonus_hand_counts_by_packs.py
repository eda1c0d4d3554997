"""Exact counts of the bonus hands: the player's first two cards and the dealer's first, out of 4 to 6 packs.

Every hand of distinct faces is classified once, by the function that settles it. The number of packs decides only the
number of ways to deal those faces.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import comb
from typing import Any, TypeAlias, TypeVar

from events.rules.cards import PACK

C = TypeVar("C", bound=str)
Classify: TypeAlias = Callable[[Sequence[str], str], C]


def counts(classify: Classify[C], packs: int) -> dict[C, int]:
    """Return the number of deals of each class: the player's two in any order, then the dealer's."""
    ways: Counter[C] = Counter()
    faces_of: Counter[tuple[C, bool, int]] = _faces(classify)
    for (hand_class, pair, repeated), faces in faces_of.items():
        players = comb(packs, 2) if pair else packs * packs
        ways[hand_class] += faces * players * max(0, packs - repeated)
    if sum(ways.values()) != all_ways(packs):
        raise AssertionError(f"{sum(ways.values())} hands counted, there are {all_ways(packs)}")
    return ways


def all_ways(packs: int) -> int:
    """Return the number of deals of three cards: two to the player, one to the dealer."""
    return comb(52 * packs, 2) * (52 * packs - 2)


def probability(classify: Classify[C], packs: int, hand_class: str) -> Fraction:
    """Return the probability of this class of cards."""
    ways = sum(count for name, count in counts(classify, packs).items() if name == hand_class)
    return Fraction(ways, all_ways(packs))


@cache
def _faces(classify: Classify[Any]) -> Counter[tuple[Any, bool, int]]:
    """Hands of faces by (class, the player has two alike, how many of his are the dealer's face too)."""
    counts_by_class: Counter[tuple[Any, bool, int]] = Counter()
    for player in combinations_with_replacement(PACK, 2):
        for dealer in PACK:
            counts_by_class[classify(player, dealer), player[0] == player[1], player.count(dealer)] += 1
    return counts_by_class


@cache
def by_dealer(classify: Classify[Any], packs: int) -> tuple[tuple[int, tuple[tuple[Any, int], ...]], ...]:
    """Return the bonus hands for the dealer's cards: for so many of its faces, the ways of each class with it."""
    ways_by_class: Counter[tuple[tuple[Any, int], ...]] = Counter()
    for dealer in PACK:
        ways: Counter[Any] = Counter()
        for player in combinations_with_replacement(PACK, 2):
            ways[classify(player, dealer)] += _pairs(player, dealer, packs)
        ways_by_class[tuple(sorted(ways.items()))] += 1
    return tuple((faces, ways) for ways, faces in ways_by_class.items())


def _pairs(player: Sequence[str], dealer: str, packs: int) -> int:
    """Return the number of ways of the player's two from full packs less the dealer's card."""
    first, second = (packs - (card == dealer) for card in player)
    return comb(first, 2) if player[0] == player[1] else first * second
