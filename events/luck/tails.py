"""Probability of a result: the chance that independent decisions bring at most, or at least, this total.

Totals of whole numbers are counted exactly where possible. Few ways are counted one by one. Many ways are counted on
all places of their lattice at once (`events.luck.tail_chances_on_lattice`). Where there are too many of both, the
saddle point of Lugannani and Rice is used, on the lattice of the amounts. It has the shape of the tail where a normal
curve does not (few bets, long odds). The next term of its series (Daniels 1987) bounds its error. Where that error is
large, bounds from a coarser lattice are used if they are nearer.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from operator import mul
from typing import Literal

import msgspec

from events.luck.tail_chances_on_lattice import counted_tail as counted_together
from events.luck.tail_chances_on_lattice import tail_bounds
from events.rules.bet_outcome_chance_structs import independent_sums

Odds = tuple[tuple[int, int], ...]  # results of a decision by amount, each with its number of ways
_Alike = tuple[Odds, int]  # decisions with the same odds, and how many
STEPS_MAX = 300_000  # additions of whole numbers that a count may take
PLACES_A_STEP = 60  # that are moved in the time of one addition
ROUGH = 0.01  # a saddle point that may be further off is held against bounds
MARGIN = 4  # so many times the next term, its parts added up: held against exact tails of mixed nights
NEARLY = 1e-10  # of a deviation: so near to the saddle point is on it
NEAR = 1e-3  # so near to the expected result that the formula's own limit is taken


class LuckTails(msgspec.Struct, frozen=True, kw_only=True):
    """The chances of at most, and of at least, the result; `error`: their error bound, 0 where they are exact."""

    at_most: float
    at_least: float
    how: Literal["exact", "saddle point", "bounds", "certain"]
    error: float = 0.0

    @property
    def chance(self) -> float:
        """Return the probability of a result as far out, on its own side of the expected value."""
        return min(self.at_most, self.at_least)


def tail(decisions: Mapping[Odds, int], outcome: int, steps_max: int = STEPS_MAX) -> LuckTails:
    """Return the tails of a result of all these decisions, each as often as given."""
    # the distance of which all differences are multiples
    span = math.gcd(*(amount - odds[0][0] for odds in decisions for amount, _ in odds))
    if span == 0:
        return LuckTails(at_most=1.0, at_least=1.0, how="certain")
    least = sum(odds[0][0] * times for odds, times in decisions.items())
    lattice = {tuple((amount // span, ways) for amount, ways in odds): times for odds, times in _alike(decisions)}
    place = Fraction(outcome - least, span)
    counted = _counted(lattice, steps_max)
    if counted is not None:
        return _exact(*counted, place)
    bounds_together = counted_together(lattice, place, PLACES_A_STEP * steps_max)
    if bounds_together is not None:
        return LuckTails(
            at_most=bounds_together.at_most, at_least=bounds_together.at_least, how="exact", error=bounds_together.error
        )
    near = _approximate(lattice, place)
    if near.error <= ROUGH:
        return near
    bounds = tail_bounds(lattice, place, PLACES_A_STEP * steps_max // 2)
    if bounds is None or bounds.error >= near.error:
        return near
    return LuckTails(at_most=bounds.at_most, at_least=bounds.at_least, how="bounds", error=bounds.error)


def _alike(decisions: Mapping[Odds, int]) -> list[tuple[Odds, int]]:
    """Return the decisions without sure amounts, merged where they are then equal; a decision of a sure amount
    disappears.
    """
    merged: dict[Odds, int] = {}
    for odds, times in decisions.items():
        if len(odds) == 1:
            continue
        moved = tuple((amount - odds[0][0], ways) for amount, ways in odds)
        merged[moved] = merged.get(moved, 0) + times
    return list(merged.items())


# --- counted ----------------------------------------------------------------------------------------------------------


def _counted(lattice: Mapping[Odds, int], steps_max: int) -> tuple[dict[int, int], dict[int, int]] | None:
    """The decisions in two halves, each counted: every sum with its number of ways. None where that takes too long.

    The sums of all together would be as many as those of one half times those of the other, and no one asks for
    each.
    """
    halves = _halves(lattice)
    if sum(map(_steps, halves)) > steps_max:
        return None
    first, other = map(_sums, halves)
    return first, other


def _halves(lattice: Mapping[Odds, int]) -> tuple[list[_Alike], list[_Alike]]:
    """Return two halves: the decisions with the most totals first, each to the half with fewer so far."""
    first, other, sums, others = list[_Alike](), list[_Alike](), 1, 1
    for alike_decisions in sorted(lattice.items(), key=_several, reverse=True):
        if sums > others:
            first, other, sums, others = other, first, others, sums
        first.append(alike_decisions)
        sums *= _several(alike_decisions)
    return first, other


def _several(alike_decisions: _Alike) -> int:
    """Return the largest number of totals of equal decisions, whose order does not matter."""
    odds, times = alike_decisions
    return math.comb(times + len(odds) - 1, times)


def _steps(half: Iterable[_Alike]) -> int:
    """Return the largest number of additions: totals are not more than the places between the least and the
    greatest.
    """
    before, width, steps = 1, 1, 0
    for odds, times in half:
        sums = before
        for done in range(1, times + 1):
            steps += sums * len(odds) * (1 + sums // 20_000)
            width += odds[-1][0]
            sums = min(before * _several((odds, done)), width)
        before = sums
    return steps


def _sums(half: Iterable[_Alike]) -> dict[int, int]:
    """Every sum of these decisions, with its number of ways."""
    sums = {0: 1}
    for odds, times in half:
        for _ in range(times):
            sums = independent_sums(sums, odds)
    return sums


def _exact(first: Mapping[int, int], other: Mapping[int, int], place: Fraction) -> LuckTails:
    ways = sum(first.values()) * sum(other.values())
    under = _at_most(first, other, math.floor(place))
    over = ways - _at_most(first, other, math.ceil(place) - 1)
    return LuckTails(at_most=float(Fraction(under, ways)), at_least=float(Fraction(over, ways)), how="exact")


def _at_most(first: Mapping[int, int], other: Mapping[int, int], most: int) -> int:
    """Return the number of ways in which a total of one plus a total of the other is at most `most`."""
    amounts = sorted(other)
    under = [0, *accumulate(other[amount] for amount in amounts)]
    return sum(times * under[bisect_right(amounts, most - amount)] for amount, times in first.items())


# --- the saddle point -------------------------------------------------------------------------------------------------


class _Law(msgspec.Struct, frozen=True, gc=False):
    """A decision in floating point: amounts, the shares of its ways, and how often it was."""

    amounts: tuple[float, ...]
    shares: tuple[float, ...]
    times: int


class _Cumulants(msgspec.Struct, frozen=True):
    """The cumulants' generating function at a point, and its first four derivatives there."""

    value: float
    first: float
    second: float
    third: float
    fourth: float


def _approximate(lattice: Mapping[Odds, int], place: Fraction) -> LuckTails:
    """Return approximate tails. Both hold the result itself: the lower one is the complement of the next place above
    it."""
    most = sum(odds[-1][0] * times for odds, times in lattice.items())
    laws = [_law(odds, times) for odds, times in lattice.items()]
    over, error = _at_least(laws, math.ceil(place), most)
    above, another = _at_least(laws, math.floor(place) + 1, most)
    return LuckTails(at_most=1 - above, at_least=over, how="saddle point", error=min(1.0, max(error, another)))


def _law(odds: Odds, times: int) -> _Law:
    whole = sum(ways for _, ways in odds)
    return _Law(tuple(float(amount) for amount, _ in odds), tuple(ways / whole for _, ways in odds), times)


def _at_least(laws: Sequence[_Law], place: int, most: int) -> tuple[float, float]:
    """Return the chance of this place or one above it, and its error bound."""
    if place <= 0:
        return 1.0, 0.0
    if place >= most:
        every_most = math.exp(sum(law.times * math.log(law.shares[-1]) for law in laws))
        return (0.0 if place > most else every_most), 0.0
    half = place - 0.5  # between two places: both neighbours are counted whole
    at = _saddle(laws, half)
    bent = _bent(laws, at)
    root = math.copysign(math.sqrt(max(0.0, 2 * (at * half - bent.value))), at)
    slope = 2 * math.sinh(at / 2) * math.sqrt(bent.second)
    third, fourth = bent.third / bent.second**1.5, bent.fourth / bent.second**2
    density = math.exp(-root * root / 2) / math.sqrt(2 * math.pi)
    near = abs(root) < NEAR
    first = -third / 6 if near else 1 / slope - 1 / root
    shape = abs(fourth) / 8 + 5 * third**2 / 24 + 1 / (24 * bent.second)
    chance = 0.5 * math.erfc(root / math.sqrt(2)) + density * first
    return min(1.0, max(0.0, chance)), MARGIN * density * shape * (abs(first) + 1 / max(1.0, abs(root)))


def _saddle(laws: Sequence[_Law], place: float) -> float:
    """Return the tilt at which the mean of the total is the result.

    The mean rises everywhere, so Newton's method finds it, or bisection where Newton's steps lead too far.
    """
    low, high = _bracket(laws, place)
    at = 0.0
    for _ in range(100):
        first, second = _rise(laws, at)
        low, high = (at, high) if first < place else (low, at)
        if abs(first - place) <= NEARLY * math.sqrt(second):
            break
        step = at + (place - first) / second if second else low
        at = step if low < step < high else (low + high) / 2
    return at


def _bracket(laws: Sequence[_Law], place: float) -> tuple[float, float]:
    low, high = -1.0, 1.0
    while _rise(laws, low)[0] > place:
        low *= 2
    while _rise(laws, high)[0] < place:
        high *= 2
    return low, high


def _rise(laws: Iterable[_Law], at: float) -> tuple[float, float]:
    """The mean of the tilted sum, and how fast it rises."""
    first = second = 0.0
    for law in laws:
        amounts, tilted = law.amounts, _tilted(law, at)
        weight = sum(tilted)
        mean = sum(map(mul, amounts, tilted)) / weight
        distances = [amount - mean for amount in amounts]
        first += law.times * mean
        second += law.times * sum(map(mul, map(mul, distances, distances), tilted)) / weight
    return first, second


def _tilted(law: _Law, at: float) -> list[float]:
    """The shares under another weight, as multiples of the greatest."""
    top = at * (law.amounts[-1] if at > 0 else law.amounts[0])
    return [share * math.exp(at * amount - top) for amount, share in zip(law.amounts, law.shares, strict=True)]


def _bent(laws: Iterable[_Law], at: float) -> _Cumulants:
    sums = [0.0] * 5
    for law in laws:
        for place, value in enumerate(_of_one(law, at)):
            sums[place] += law.times * value
    return _Cumulants(*sums)


def _of_one(law: _Law, at: float) -> tuple[float, float, float, float, float]:
    """Return, for one decision, the logarithm of its generating function, and its tilted cumulants."""
    tilted = _tilted(law, at)
    weight = math.fsum(tilted)
    mean = math.fsum(map(mul, law.amounts, tilted)) / weight
    second, third, fourth = (
        math.fsum(
            (amount - mean) ** power * tilted_weight for amount, tilted_weight in zip(law.amounts, tilted, strict=True)
        )
        / weight
        for power in (2, 3, 4)
    )
    top = at * (law.amounts[-1] if at > 0 else law.amounts[0])
    return top + math.log(weight), mean, second, third, fourth - 3 * second**2
