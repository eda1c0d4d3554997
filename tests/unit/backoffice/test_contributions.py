"""The contributions to a progressive: the one line of the older days has their whole amount."""

from backoffice.progressives.contributions_by_table_day import Contribution, summed


def contribution(day: int, amount: int) -> Contribution:
    return Contribution("BJ1", f"2026-11-{day}", 2, amount, (amount, 2 * amount), 3)


def test_older_days_are_summed_in_one_line_up_to_the_last_of_them() -> None:
    sum_ = summed([contribution(20, 5), contribution(19, 7)])
    assert sum_ == Contribution("", "2026-11-20", 4, 12, (12, 24), 6)
    assert sum_.total_micro == 42


def test_no_older_day_has_no_line() -> None:
    assert summed([]) is None
