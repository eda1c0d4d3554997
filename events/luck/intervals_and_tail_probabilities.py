"""Intervals and probabilities of results, rates and pairs; with the correction for many comparisons.

The total of many decisions is taken as a gamma curve with the same mean, variance and third moment (Pearson's type
III). It has the skewness of long odds, which a normal curve lacks. Rates of errors are Poisson's, shares of errors
binomial, void rounds hypergeometric. All functions are pure; chances are between 0 and 1.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import TypeVar

import msgspec

LEVEL = 0.95  # of every interval
_SIDE = (1 - LEVEL) / 2
ENOUGH = 30  # decisions or rounds, at least, before a result is judged
SKEWED = 1.0  # a total more skewed than this is not judged: too few decisions for its odds
LARGE = 500.0  # shape from which the cube root of a gamma variable is taken as normal (Wilson and Hilferty)
MANY = 400.0  # variance of a binomial from which it is taken as normal
_NORMAL = NormalDist()
K = TypeVar("K")


class Interval(msgspec.Struct, frozen=True):
    """Ends of an interval."""

    low: float
    high: float


class Spread(msgspec.Struct, frozen=True):
    """The total of independent decisions: their number, and its mean, variance and third central moment."""

    decisions: int
    mean: float
    variance: float
    third: float

    @property
    def deviation(self) -> float:
        """Return the standard deviation."""
        return math.sqrt(max(self.variance, 0.0))

    @property
    def skewness(self) -> float:
        """Return the third moment in units of the deviation."""
        return self.third / self.variance**1.5 if self.variance > 0 else 0.0

    @property
    def is_enough(self) -> bool:
        """Return whether there are enough decisions for their odds, so that the curve describes the total."""
        return self.decisions >= ENOUGH and self.variance > 0 and abs(self.skewness) <= SKEWED

    def interval(self) -> Interval:
        """Return the interval that contains the total with probability LEVEL, with equal tails."""
        return Interval(self._value(_SIDE), self._value(1 - _SIDE))

    def at_most(self, value: float) -> float:
        """Return the chance of this total or less."""
        if self.variance <= 0:
            return 1.0 if value >= self.mean else 0.0
        return _standard_at_most((value - self.mean) / self.deviation, self.skewness)

    def chance(self, value: float) -> float:
        """Return the two-sided chance of a total this far from the mean: twice the smaller tail."""
        below = self.at_most(value)
        return min(1.0, 2 * min(below, 1 - below))

    def _value(self, share: float) -> float:
        return self.mean + self.deviation * _standard_value(share, self.skewness)


def _standard_at_most(z: float, skewness: float) -> float:
    """Return the chance of at most `z` deviations above the mean."""
    if abs(skewness) < 1e-6:
        return _NORMAL.cdf(z)
    if skewness < 0:
        return 1 - _standard_at_most(-z, -skewness)
    shape = 4 / skewness**2
    return gamma_at_most(shape, shape + z * math.sqrt(shape))


def _standard_value(share: float, skewness: float) -> float:
    """Return the number of deviations above the mean that a share of all results do not exceed."""
    if abs(skewness) < 1e-6:
        return _NORMAL.inv_cdf(share)
    if skewness < 0:
        return -_standard_value(1 - share, -skewness)
    shape = 4 / skewness**2
    return (gamma_value(shape, share) - shape) / math.sqrt(shape)


# --- gamma ------------------------------------------------------------------------------------------------------------


def gamma_at_most(shape: float, value: float) -> float:
    """Return the chance that a gamma variable of this shape and scale 1 is at most `value`."""
    if value <= 0:
        return 0.0
    if shape > LARGE:
        root = (value / shape) ** (1 / 3) - 1 + 1 / (9 * shape)
        return _NORMAL.cdf(3 * math.sqrt(shape) * root)
    return _by_series(shape, value) if value < shape + 1 else 1 - _by_fraction(shape, value)


def _by_series(shape: float, value: float) -> float:
    term = total = 1 / shape
    step = shape
    while term > total * 1e-15:
        step += 1
        term *= value / step
        total += term
    return total * math.exp(-value + shape * math.log(value) - math.lgamma(shape))


def _by_fraction(shape: float, value: float) -> float:
    """Return the upper tail by its continued fraction (Lentz)."""
    tiny = 1e-300
    part = value + 1 - shape
    up, down = 1 / tiny, 1 / part
    product = down
    for number in range(1, 10_000):
        factor = -number * (number - shape)
        part += 2
        down = 1 / (factor * down + part or tiny)
        up = part + factor / up or tiny
        change = down * up
        product *= change
        if abs(change - 1) < 1e-15:
            break
    return product * math.exp(-value + shape * math.log(value) - math.lgamma(shape))


def gamma_value(shape: float, share: float) -> float:
    """Return the value that a share of all gamma variables of this shape do not exceed."""
    normal = _NORMAL.inv_cdf(share)
    near = shape * max(1 - 1 / (9 * shape) + normal / (3 * math.sqrt(shape)), 0.0) ** 3
    if shape > LARGE:
        return near
    low, high = 0.0, max(near, shape) * 4 + 20
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if gamma_at_most(shape, middle) < share else (low, middle)
    return (low + high) / 2


# --- counts -----------------------------------------------------------------------------------------------------------


def rate_interval(events: int, exposure: float) -> Interval:
    """Return the interval of a Poisson rate (Garwood): events for each unit of exposure.

    It is exact up to `LARGE` events. Above, it is the approximation of Wilson and Hilferty.
    """
    low = gamma_value(events, _SIDE) if events else 0.0
    return Interval(low / exposure, gamma_value(events + 1, 1 - _SIDE) / exposure)


def share_chance(part: int, total: int, share: float) -> float:
    """Return the two-sided binomial chance of `part` of `total` events at this share: twice the smaller tail."""
    if not total or not 0 < share < 1:
        return 1.0
    if (variance := total * share * (1 - share)) > MANY:
        deviations = max(0.0, abs(part - total * share) - 0.5) / math.sqrt(variance)
        return 2 * _NORMAL.cdf(-deviations)
    below, above = _binomial(range(part + 1), total, share), _binomial(range(part, total + 1), total, share)
    return min(1.0, 2 * min(below, above))


def _binomial(counts: Sequence[int], whole: int, share: float) -> float:
    logs = math.log(share), math.log1p(-share)
    return min(
        1.0, math.fsum(math.exp(_log_combinations(whole, k) + k * logs[0] + (whole - k) * logs[1]) for k in counts)
    )


def _log_combinations(whole: int, part: int) -> float:
    """Return the logarithm of the number of ways to choose."""
    return math.lgamma(whole + 1) - math.lgamma(part + 1) - math.lgamma(whole - part + 1)


def drawn_chance(everywhere: int, marked: int, drawn_count: int, hits: int) -> float:
    """Return the chance of `hits` or more marked ones among `drawn_count` of `everywhere`, in floating point: the
    hypergeometric upper tail of the alert for void rates."""
    most = min(marked, drawn_count)
    if everywhere < max(drawn_count, marked) or hits <= max(0, drawn_count + marked - everywhere):
        return 1.0
    of_all = _log_combinations(everywhere, drawn_count)
    terms = (
        math.exp(
            _log_combinations(marked, count) + _log_combinations(everywhere - marked, drawn_count - count) - of_all
        )
        for count in range(hits, most + 1)
    )
    return min(1.0, math.fsum(terms))


def means_chance(first: Sequence[float], other: Sequence[float]) -> float:
    """Return the chance that two means differ at least this much (Welch, in the normal limit).

    Each is (count, sum, sum of squares) of one group of at least two values.
    """
    spread = sum(_square_error(*group) for group in (first, other))
    difference = first[1] / first[0] - other[1] / other[0]
    if spread <= 0:
        return 1.0 if not difference else 0.0
    return 2 * _NORMAL.cdf(-abs(difference) / math.sqrt(spread))


def mean_interval(count: float, total: float, squares: float) -> Interval:
    """Return the interval of a mean, in the normal limit."""
    mean = total / count
    half_width = _NORMAL.inv_cdf(1 - _SIDE) * math.sqrt(max(_square_error(count, total, squares), 0.0))
    return Interval(mean - half_width, mean + half_width)


def _square_error(count: float, total: float, squares: float) -> float:
    return max(squares - total * total / count, 0.0) / (count - 1) / count


def holm(chances: Mapping[K, float]) -> dict[K, float]:
    """Return each chance corrected for the number of comparisons (Holm 1979).

    Without a real difference, the chance of a corrected value under 5 % is at most 5 %.
    """
    corrected: dict[K, float] = {}
    most = 0.0
    ordered = sorted(chances, key=lambda key: chances[key])
    for place, key in enumerate(ordered):
        most = max(most, min(1.0, (len(ordered) - place) * chances[key]))
        corrected[key] = most
    return corrected
