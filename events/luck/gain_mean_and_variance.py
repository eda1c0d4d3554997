"""Mean, variance and third central moment of the house's gain from a decision, without counting its totals.

Given a case, bets on different hands are independent, so their cumulants add. The law of total cumulance joins the
cases. This takes a fraction of the time of `joint`, and the moments of independent decisions add up over any period.
"""

from collections.abc import Iterable, Sequence
from operator import add

import msgspec

from events.luck.played_decisions_with_bet_results import PlayedDecision
from events.luck.win_against_theory import lying_value
from events.rules.bet_outcome_chance_structs import MICRO, Risk, Spread, by_hand

_Cases = tuple[list[float], list[float], list[float]]  # mean, variance and third cumulant of a hand, case by case
_KEPT_MAX = 5_000


class Moments(msgspec.Struct, frozen=True, gc=False):
    """Results of decisions, in minor units and their powers; `theory_micro` in millionths.

    `win_minor` is the recorded result of the decided bets. `theory_micro` is its expected value: of a bet that stays on
    the layout it has the change of its value.
    """

    decisions: int = 0
    win_minor: int = 0
    theory_micro: int = 0
    variance: float = 0.0
    third: float = 0.0


def moments_of(played_decision: PlayedDecision, risks: Sequence[Risk]) -> Moments:
    """Return the moments of these bets of a decision, and their result."""
    weights = played_decision.decision.weights
    mean, variance, third = _joined_cases(weights, [_hand(hand) for hand in by_hand(risks)])
    lies = sum(lying_value(played_decision.decision, risk) for risk in risks)
    won = sum(played_decision.won.get(risk.bet, 0) for risk in risks)
    return Moments(
        decisions=1,
        win_minor=won // MICRO,
        theory_micro=round(mean * MICRO) - lies,
        variance=variance,
        third=third,
    )


def sum_of_moments(several: Iterable[Moments]) -> Moments:
    """Return the moments of independent decisions together."""
    decisions = win = theory = 0
    variance = third = 0.0
    for moments in several:
        decisions += moments.decisions
        win += moments.win_minor
        theory += moments.theory_micro
        variance += moments.variance
        third += moments.third
    return Moments(decisions, win, theory, variance, third)


def _hand(risks: Sequence[Risk]) -> _Cases:
    """Return the moments of a hand for every case."""
    if len(risks) == 1:
        return _cached(risks[0].gains)
    ways = [[risk.gains[case] for risk in risks] for case in range(len(risks[0].gains))]
    return _moments([_total_spread(spreads) for spreads in ways])


def _total_spread(spreads: Sequence[Spread]) -> Spread:
    """Return the gain of all bets of a hand in each way of a case."""
    ways = zip(*spreads, strict=True)
    return tuple((sum(gain for gain, _ in way), way[0][1]) for way in ways)


_spreads_by_id: dict[int, tuple[tuple[Spread, ...], _Cases]] = {}  # by identity: the games remember their spreads


def _cached(gains: tuple[Spread, ...]) -> _Cases:
    cached = _spreads_by_id.get(id(gains))
    if cached is None or cached[0] is not gains:
        if len(_spreads_by_id) >= _KEPT_MAX:
            _spreads_by_id.clear()
        cached = _spreads_by_id[id(gains)] = (gains, _moments(gains))
    return cached[1]


def _moments(cases: Sequence[Spread]) -> _Cases:
    each = [_of_spread(spread) for spread in cases]
    return [mean for mean, _, _ in each], [second for _, second, _ in each], [third for _, _, third in each]


def _of_spread(spread: Spread) -> tuple[float, float, float]:
    """Return mean, variance and third cumulant of one case, in minor units."""
    if len(spread) == 1:
        return spread[0][0] / MICRO, 0.0, 0.0
    whole = sum(ways for _, ways in spread)
    mean = sum(gain * ways for gain, ways in spread) / whole / MICRO
    distances = [(gain / MICRO - mean, ways) for gain, ways in spread]
    second = sum(distance**2 * ways for distance, ways in distances) / whole
    third = sum(distance**3 * ways for distance, ways in distances) / whole
    return mean, second, third


def _joined_cases(weights: Sequence[int], hands: Sequence[_Cases]) -> tuple[float, float, float]:
    """Join the cases by the law of total cumulance."""
    means, seconds, thirds = hands[0]
    for hand_means, hand_seconds, hand_thirds in hands[1:]:
        means = list(map(add, means, hand_means))
        seconds = list(map(add, seconds, hand_seconds))
        thirds = list(map(add, thirds, hand_thirds))
    total_weight = sum(weights)
    mean = sum(weight * value for weight, value in zip(weights, means, strict=True)) / total_weight
    variance = third = 0.0
    for weight, value, second, own_third in zip(weights, means, seconds, thirds, strict=True):
        distance = value - mean
        variance += weight * (second + distance * distance)
        third += weight * (own_third + 3 * second * distance + distance**3)
    return mean, variance / total_weight, third / total_weight
