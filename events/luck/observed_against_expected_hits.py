"""Actual against expected hits: observed hits against those expected from the cards, with an interval.

Expected hits are bets x probability, by the number of packs in the shoe. The probability is counted from the deck by
the function that settles hands. The interval is that of a Poisson count (`rate_interval`), since the hits of a level
are rare and nearly independent. Boxes of one round share the dealer's card, which widens the real spread a little. No
figure here is money, so floats are used.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import exp, lgamma, log

import msgspec

from events.luck.intervals_and_tail_probabilities import rate_interval
from events.rules.bonus_hand_counts_by_packs import probability
from events.rules.game_declaration_and_registry import ProgressiveHands


class LevelOdds(msgspec.Struct, frozen=True, kw_only=True):
    """A level: hits observed and expected, and for which expected counts the observed one is usual (95 %).

    `likelihood`: how probable a count at least as far on this side is, if the odds are right (at most 1).
    """

    level: str
    bets: int
    observed: int
    expected: float
    low: float
    high: float
    likelihood: float

    @property
    def is_usual(self) -> bool:
        """Return whether the expected number is within the interval."""
        return self.low <= self.expected <= self.high


def odds(hands: ProgressiveHands, observed: Mapping[str, int], bets: Mapping[int, int]) -> list[LevelOdds]:
    """`observed` hits by level, standing ones only; `bets` by the packs in the shoe."""
    by_level = []
    for level in hands.levels:
        chances = (probability(hands.classify, packs, level) * count for packs, count in bets.items())
        expected_hits = sum(chances, Fraction(0))
        hits = observed.get(level, 0)
        interval = rate_interval(hits, 1.0)
        by_level.append(
            LevelOdds(
                level=level,
                bets=sum(bets.values()),
                observed=hits,
                expected=float(expected_hits),
                low=interval.low,
                high=interval.high,
                likelihood=likelihood(hits, float(expected_hits)),
            )
        )
    return by_level


def likelihood(count: int, expected: float) -> float:
    """The probability of a count at least as far away on the same side, twice (two-sided), at most 1."""
    if expected == 0:
        return 1.0 if count == 0 else 0.0
    one_side = at_most(count, expected) if count <= expected else 1 - at_most(count - 1, expected)
    return min(1.0, 2 * one_side)


def at_most(count: int, mean: float) -> float:
    """P(X <= count) of a Poisson count with this mean."""
    if mean == 0:
        return 1.0
    return min(1.0, sum(exp(k * log(mean) - mean - lgamma(k + 1)) for k in range(count + 1)))
