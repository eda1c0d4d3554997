"""Intervals of error rates: a rate in 1,000 rounds is at most 1,000."""

import pytest

from backoffice.surveillance.person_results.measures_against_theory_and_colleagues import error_rate, voids
from backoffice.surveillance.person_results.period_totals import Sums
from events.luck.intervals_and_tail_probabilities import rate_interval

OTHERS = Sums(rounds=1_000, mispays=3, voids=3)


@pytest.mark.parametrize("rounds", [1, 2, 30])
def test_no_interval_of_errors_ends_above_every_round(rounds: int) -> None:
    for count in range(rounds + 1):
        own = Sums(rounds=rounds, mispays=count, voids=count)
        everybody = Sums(rounds=1_000 + rounds, mispays=3 + count, voids=3 + count)
        for judged in (error_rate("mispays", own, OTHERS), voids(own, OTHERS, everybody)):
            assert judged.low is not None
            assert judged.high is not None
            assert judged.value is not None
            assert 0 <= judged.low <= judged.value <= judged.high <= 1_000


def test_a_usual_interval_is_the_exact_one() -> None:
    judged, ends = error_rate("mispays", Sums(rounds=400, mispays=2), OTHERS), rate_interval(2, 0.4)
    assert (judged.low, judged.high) == (ends.low, ends.high)


def test_several_errors_a_round_are_not_cut_off() -> None:
    judged = error_rate("corrections", Sums(rounds=10, corrections=20), OTHERS)
    assert judged.value == 2_000
    assert judged.high is not None
    assert judged.high > 2_000
