"""The work counted in a turn of a side."""

from time import perf_counter

from tools.bench.turns_medians_and_percentiles import repeated, turns_until


def test_a_thread_that_comes_late_works_once_nevertheless() -> None:
    assert len(list(turns_until(perf_counter() - 1))) == 1


def test_a_turn_without_time_does_its_work_once() -> None:
    assert repeated(0, lambda: 3) > 0
