"""The probability of a result: exact where it can be counted, else with a bound of its error."""

import random
from collections import Counter
from fractions import Fraction
from itertools import product
from operator import itemgetter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.luck import tail_chances_on_lattice
from events.luck.tails import Odds, tail
from events.rules.bet_outcome_chance_structs import independent_sums
from events.tables.table_session_state_structs import Bet
from tests.unit.luck.table_bets_and_spins import odds_of, spin


def test_a_tail_of_few_spins_is_what_enumeration_says() -> None:
    three = odds_of(spin(Bet("a", "straight", 100, "p", numbers=(7,)), Bet("b", "red", 500, "p")))
    each = [amount for amount, ways in three for _ in range(ways)]
    sums = [sum(way) for way in product(each, repeat=3)]
    for came in {min(sums), max(sums), sorted(sums)[len(sums) // 3], 0}:
        tail_ = tail({three: 3}, came)
        assert tail_.how == "exact"
        assert tail_.at_most == pytest.approx(sum(sum_ <= came for sum_ in sums) / len(sums), abs=1e-15)
        assert tail_.at_least == pytest.approx(sum(sum_ >= came for sum_ in sums) / len(sums), abs=1e-15)


@pytest.mark.parametrize("wager", ["straight", "red"])
@pytest.mark.parametrize("times", [40, 200])
def test_the_saddle_point_is_near_the_exact_tail_even_of_long_odds(wager: str, times: int) -> None:
    bet = Bet("a", wager, 100, "p", numbers=(7,) if wager == "straight" else ())
    odds = odds_of(spin(bet))
    lost, won = max(odds)[0], min(odds)[0]
    for wins in range(1, times // 2 if wager == "red" else times // 8, max(1, times // 20)):
        came = wins * won + (times - wins) * lost
        exact, near = tail({odds: times}, came), tail({odds: times}, came, steps_max=0)
        assert (exact.how, near.how) == ("exact", "saddle point")
        assert near.at_most == pytest.approx(exact.at_most, rel=0.02, abs=1e-9)
        assert near.at_least == pytest.approx(exact.at_least, rel=0.02, abs=1e-9)
        assert abs(near.at_most - exact.at_most) <= near.error + 1e-9


@given(
    st.lists(
        st.tuples(
            st.lists(
                st.tuples(st.integers(-40, 40), st.integers(1, 9)), min_size=1, max_size=4, unique_by=itemgetter(0)
            ),
            st.integers(1, 3),
        ),
        min_size=1,
        max_size=6,
    ),
    st.integers(-150, 150),
)
def test_a_tail_that_is_counted_in_two_halves_is_that_of_all_ways_together(drawn: Any, came: int) -> None:
    """Few decisions of any kind, which no smooth formula describes: they are counted, however their stakes differ."""
    decisions: dict[Odds, int] = {}
    whole = {0: 1}
    for odds, times in drawn:
        law = tuple(sorted(odds))
        decisions[law] = decisions.get(law, 0) + times
        for _ in range(times):
            whole = independent_sums(whole, law)
    ways, tail_ = sum(whole.values()), tail(decisions, came)
    assert tail_.how in ("exact", "certain")
    if tail_.how == "exact":
        assert tail_.at_most == sum(count for amount, count in whole.items() if amount <= came) / ways
        assert tail_.at_least == sum(count for amount, count in whole.items() if amount >= came) / ways


def test_a_night_of_stakes_that_all_differ_is_counted() -> None:
    """Twelve spins, a straight-up each time, of twelve stakes that no unit divides: four thousand sums."""
    decisions: dict[Odds, int] = {((-35 * stake, 1), (stake, 36)): 1 for stake in range(1_009, 1_129, 10)}
    tail_ = tail(decisions, sum(range(1_009, 1_129, 10)))
    assert (tail_.how, tail_.error) == ("exact", 0.0)
    assert tail_.at_least == pytest.approx((36 / 37) ** 12, rel=1e-12)


KINDS: tuple[Odds, ...] = (
    ((-35, 1), (1, 36)),
    ((-17, 2), (1, 36)),
    ((-2, 12), (1, 26)),
    ((-1, 18), (1, 20)),
    ((-8, 95), (1, 905)),
    ((-1, 446), (0, 95), (1, 459)),
    ((-3, 455), (-2, 4230), (-1, 3000), (0, 8500), (1, 4800)),
)
CHIPS = ((1,), (1, 2, 5), (1, 5, 20), (5, 25, 100), tuple(range(1, 11)))


def night(seed: int, most: int = 140) -> tuple[dict[Odds, int], int]:
    """Return a night's bets, of up to three kinds and a few chips each, and their result."""
    chance = random.Random(seed)
    kinds, chips = chance.sample(KINDS, chance.randint(1, 3)), chance.choice(CHIPS)
    decisions, result = Counter[Odds](), 0
    for _ in range(chance.randint(25, most)):
        kind, stake = chance.choice(kinds), chance.choice(chips) * chance.choice((1, 1, 1, 2, 4))
        decisions[tuple((amount * stake, ways) for amount, ways in kind)] += 1
        result += stake * chance.choices([amount for amount, _ in kind], [ways for _, ways in kind])[0]
    return decisions, result


@pytest.mark.parametrize("seed", range(12))
def test_sums_side_by_side_in_one_number_are_those_of_whole_numbers(seed: int) -> None:
    decisions, came = night(seed, most=40)
    whole, least = {0: 1}, sum(odds[0][0] * times for odds, times in decisions.items())
    for odds, times in decisions.items():
        for _ in range(times):
            whole = independent_sums(whole, odds)
    moved = {tuple((amount - odds[0][0], ways) for amount, ways in odds): times for odds, times in decisions.items()}
    counts, ways = tail_chances_on_lattice.counted_tail(moved, Fraction(came - least), 10**9), sum(whole.values())
    assert counts is not None
    assert counts.error < 1e-12
    at_most = Fraction(sum(count for amount, count in whole.items() if amount <= came), ways)
    at_least = Fraction(sum(count for amount, count in whole.items() if amount >= came), ways)
    assert abs(counts.at_most - at_most) <= counts.error + 1e-16
    assert abs(counts.at_least - at_least) <= counts.error + 1e-16


@pytest.mark.parametrize("seed", range(60))
def test_what_a_saddle_point_may_be_off_by_is_stated(seed: int) -> None:
    """A night of some hundred bets is counted; what the formula would have said of it, and of its own error."""
    decisions, came = night(seed)
    exact, near = tail(decisions, came), tail(decisions, came, steps_max=0)
    assert (exact.how, near.how) == ("exact", "saddle point")
    assert exact.error < 1e-12
    assert abs(near.at_most - exact.at_most) <= near.error + 1e-12
    assert abs(near.at_least - exact.at_least) <= near.error + 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_bounds_from_a_coarser_lattice_hold(seed: int) -> None:
    decisions, came = night(seed)
    least = sum(odds[0][0] * times for odds, times in decisions.items())
    moved = {tuple((amount - odds[0][0], ways) for amount, ways in odds): times for odds, times in decisions.items()}
    exact = tail_chances_on_lattice.counted_tail(moved, place := Fraction(came - least), 10**9)
    assert exact is not None
    for most in (10**5, 3 * 10**5, 10**6):
        bounds = tail_chances_on_lattice.tail_bounds(moved, place, most)
        assert bounds is not None
        assert abs(bounds.at_most - exact.at_most) <= bounds.error + 1e-12
        assert abs(bounds.at_least - exact.at_least) <= bounds.error + 1e-12
    assert tail_chances_on_lattice.tail_bounds(moved, place, 0) is None


def test_bets_that_are_worth_fractions_have_bounds_where_no_smooth_formula_fits() -> None:
    """Sixty bets on numbers, with unsettled bets worth a few millionths more or less.

    No lattice can count such amounts, and the smooth formula does not know their lumps.
    """
    plain: dict[Odds, int] = {((-35_000_000 * stake, 1), (1_000_000 * stake, 36)): 12 for stake in range(100, 600, 100)}
    fractions: dict[Odds, int] = {((-1_000_003 - 7 * step, 1), (1_000_001 + step, 1)): 1 for step in range(20)}
    came = sum(odds[-1][0] * times for odds, times in plain.items()) - 36_000_000 * 100
    result = tail({**plain, **fractions}, came)
    assert result.how == "bounds"
    assert result.error < 0.05


def test_a_night_of_four_hundred_bets_on_numbers_is_counted() -> None:
    decisions: dict[Odds, int] = {((-35 * stake, 1), (stake, 36)): 40 for stake in range(1, 11)}
    tail_ = tail(decisions, sum(40 * stake for stake in range(1, 11)))
    assert tail_.how == "exact"
    assert tail_.at_least == pytest.approx((36 / 37) ** 400, rel=1e-6)


def test_a_result_that_cannot_be_has_no_chance_and_the_best_one_its_own() -> None:
    odds = odds_of(spin(Bet("a", "straight", 100, "p", numbers=(7,))))
    most = 50 * max(odds)[0]
    assert tail({odds: 50}, most + 1, 0).at_least == 0
    assert tail({odds: 50}, most, 0).at_least == pytest.approx((36 / 37) ** 50)
    assert tail({odds: 50}, most, 0).at_most == 1
