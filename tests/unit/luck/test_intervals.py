"""Intervals contain their stated share of results: against exact tails, published values and seeded simulations."""

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.alerts.dealers_with_excess_void_rounds import tail as void_tail
from events.luck import intervals_and_tail_probabilities
from events.luck.intervals_and_tail_probabilities import (
    Spread,
    drawn_chance,
    gamma_at_most,
    gamma_value,
    holm,
    rate_interval,
    share_chance,
)
from events.luck.tails import tail

STRAIGHT = ((-35, 1), (1, 36))  # a stake of 1 on one number: gain of the house, and its number of ways
EVEN = ((-1, 18), (1, 19))
DOZEN = ((-2, 12), (1, 25))


def spread_of(nights: dict[tuple[tuple[int, int], ...], int]) -> Spread:
    mean = variance = third = 0.0
    for odds, times in nights.items():
        whole = sum(ways for _, ways in odds)
        own = sum(gain * ways for gain, ways in odds) / whole
        mean += times * own
        variance += times * sum((gain - own) ** 2 * ways for gain, ways in odds) / whole
        third += times * sum((gain - own) ** 3 * ways for gain, ways in odds) / whole
    return Spread(sum(nights.values()), mean, variance, third)


NIGHTS = [{EVEN: 60}, {DOZEN: 200}, {STRAIGHT: 300}, {STRAIGHT: 60, EVEN: 100, DOZEN: 40}]


@pytest.mark.parametrize("nights", NIGHTS)
def test_a_total_is_inside_its_interval_at_the_stated_rate(nights: dict[tuple[tuple[int, int], ...], int]) -> None:
    spread, chance = spread_of(nights), random.Random(20261127)
    assert spread.is_enough
    ends, inside, rare, runs = spread.interval(), 0, 0, 2_000
    pools = [([gain for gain, ways in odds for _ in range(ways)], times) for odds, times in nights.items()]
    for _ in range(runs):
        total = sum(sum(chance.choices(pool, k=times)) for pool, times in pools)
        inside += ends.low <= total <= ends.high
        rare += spread.chance(total) < 0.05
    assert 0.93 <= inside / runs <= 0.975
    assert rare / runs <= 0.07


@pytest.mark.parametrize("nights", NIGHTS)
def test_tails_are_near_the_exact_ones(nights: dict[tuple[tuple[int, int], ...], int]) -> None:
    spread = spread_of(nights)
    for deviations in (-2, -1, 0, 1, 2):
        place = round(spread.mean + deviations * spread.deviation)
        while (exact := tail(nights, place)).at_most + exact.at_least <= 1 + 1e-9:
            place += 1  # no total of these bets
        middle = (exact.at_most + 1 - exact.at_least) / 2  # half of the place itself: the curve has no steps
        assert spread.at_most(place) == pytest.approx(middle, abs=0.02)


def test_few_decisions_and_long_odds_are_not_judged() -> None:
    assert not spread_of({EVEN: 29}).is_enough
    assert not spread_of({STRAIGHT: 30}).is_enough
    assert not Spread(40, 0.0, 0.0, 0.0).is_enough
    assert spread_of({STRAIGHT: 36}).is_enough


def test_gamma_and_poisson_are_the_published_ones() -> None:
    assert gamma_at_most(1, 2) == pytest.approx(1 - math.exp(-2))
    assert gamma_at_most(2.5, 3) == pytest.approx(0.693781081586722)
    assert gamma_at_most(intervals_and_tail_probabilities.LARGE, 520) == pytest.approx(
        gamma_at_most(intervals_and_tail_probabilities.LARGE + 1e-9, 520), abs=1e-4
    )
    for count, low, high in ((0, 0.0, 3.6889), (3, 0.6187, 8.7673), (10, 4.7954, 18.3904)):
        ends = rate_interval(count, 1.0)
        assert (ends.low, ends.high) == pytest.approx((low, high), abs=1e-3)


@given(shape=st.floats(0.5, 2_000), share=st.floats(0.001, 0.999))
def test_a_value_has_its_share_below_it(shape: float, share: float) -> None:
    assert gamma_at_most(shape, gamma_value(shape, share)) == pytest.approx(share, abs=2e-3)


@given(st.integers(1, 400), st.data())
def test_void_rounds_are_judged_as_by_the_alert(everywhere: int, data: st.DataObject) -> None:
    marked, drawn = data.draw(st.integers(0, everywhere)), data.draw(st.integers(0, everywhere))
    hits = data.draw(st.integers(max(0, marked + drawn - everywhere), min(marked, drawn)))
    exact = void_tail(everywhere, marked, drawn, hits)
    assert drawn_chance(everywhere, marked, drawn, hits) == pytest.approx(float(exact), rel=1e-8, abs=1e-15)


@given(whole=st.integers(1, 60), share=st.integers(1, 19), data=st.data())
def test_a_share_of_errors_is_binomial(whole: int, share: int, data: st.DataObject) -> None:
    part, each = data.draw(st.integers(0, whole)), Fraction(share, 20)
    ways = [math.comb(whole, k) * each**k * (1 - each) ** (whole - k) for k in range(whole + 1)]
    exact = min(Fraction(1), 2 * min(sum(ways[: part + 1]), sum(ways[part:])))
    assert share_chance(part, whole, share / 20) == pytest.approx(float(exact), rel=1e-9)


def test_many_errors_are_judged_like_few() -> None:
    few = share_chance(430, 1_600, 0.25)
    many = share_chance(430 * 4, 1_600 * 4, 0.25)
    assert 0 < many < few < 1


@given(st.dictionaries(st.integers(0, 50), st.floats(0, 1), max_size=20))
def test_corrected_chances_keep_their_order_and_are_no_smaller(chances: dict[int, float]) -> None:
    corrected = holm(chances)
    assert corrected.keys() == chances.keys()
    assert all(chances[key] <= corrected[key] <= 1 for key in chances)
    ordered = sorted(chances, key=lambda key: chances[key])
    assert [corrected[key] for key in ordered] == sorted(corrected.values())
    if chances:
        assert corrected[ordered[0]] == pytest.approx(min(1.0, len(chances) * chances[ordered[0]]))


def test_without_a_cause_a_page_raises_one_false_alarm_in_twenty() -> None:
    """Twenty dealers, three measures each, a thousand times."""
    chance, alarms = random.Random(7), 0
    for _ in range(1_000):
        corrected = holm({number: chance.random() for number in range(60)})
        alarms += min(corrected.values()) < 0.05
    assert 25 <= alarms <= 75
