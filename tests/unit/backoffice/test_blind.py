"""Amounts hidden during a blind count, by role and by the progress of the count."""

import pytest

from backoffice.event_log import figures_hidden_before_counts
from projections.accounts.models import BoxAccount

UNDER, TAKEN = BoxAccount(put_at=1), BoxAccount(put_at=1, removed_at=2)
ENTERED = BoxAccount(put_at=1, removed_at=2, entered_at=3)
DIFFERED = BoxAccount(put_at=1, removed_at=2, differed_at=4)
COUNTED = BoxAccount(put_at=1, removed_at=2, counted_at=5)


@pytest.mark.parametrize(
    ("roles", "counts"),
    [
        ({"count"}, True),
        ({"accountant"}, True),
        ({"accountant", "auditor"}, True),
        ({"accountant", "pit boss"}, False),  # nobody of the pit counts, whatever else he is
        ({"count", "surveillance"}, False),
        ({"auditor"}, False),
        ({"cage"}, False),
        (set[str](), False),
    ],
)
def test_who_counts_boxes(roles: set[str], counts: bool) -> None:
    assert figures_hidden_before_counts.may_count(roles) == counts


@pytest.mark.parametrize(
    ("box", "to_counters", "to_others"),
    [
        (UNDER, True, False),
        (TAKEN, True, False),
        (ENTERED, True, True),
        (DIFFERED, True, False),  # both counts are open; the record is not, to who counts again
        (COUNTED, False, False),
    ],
)
def test_a_box_is_sealed_to_counters_until_it_is_counted_and_to_all_while_one_count_is_in(
    box: BoxAccount, to_counters: bool, to_others: bool
) -> None:
    assert figures_hidden_before_counts.is_sealed(box, counts=True) == to_counters
    assert figures_hidden_before_counts.is_sealed(box, counts=False) == to_others


def test_only_the_shift_of_a_box_is_sealed() -> None:
    boxes = [BoxAccount(table="FR1", shift="day", removed_at=2), BoxAccount(table="FR1", shift="night", counted_at=5)]
    sealed = figures_hidden_before_counts.sealed(boxes, {"accountant"})
    assert [sealed("FR1", "day"), sealed("FR1", "night"), sealed("BJ1", "day")] == [True, False, False]


@pytest.mark.parametrize(
    ("roles", "counts"), [({"inspector"}, True), ({"pit boss"}, True), ({"surveillance"}, False), ({"auditor"}, False)]
)
def test_who_counts_trays(roles: set[str], counts: bool) -> None:
    assert figures_hidden_before_counts.may_count_trays(roles) == counts
