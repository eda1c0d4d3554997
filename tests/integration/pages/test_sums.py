"""Totals over the events' own bytes are the same on PostgreSQL and on SQLite."""

import pytest
from django.db.models import Count, Sum

from backoffice.event_log.filters import Filters
from backoffice.event_log.sum_declarations_of_figures import sums

pytestmark = pytest.mark.postgres


def _totals(filters: Filters, using: str) -> dict[str, int | None]:
    rows = filters.matching().using(using)
    return rows.aggregate(events=Count("position"), amount=Sum("counts"))


def test_every_sum_is_the_same_on_both_databases(other: str) -> None:
    totals = {name: _totals(Filters(sum=name), "default") for name in sums()}
    assert {name: _totals(Filters(sum=name), other) for name in sums()} == totals
    used = {name for name, total in totals.items() if total["events"]}
    unused = {"commission", "closer-variance", "corrections", "carried-in", "carried-out", "buyins-marker"}
    assert used == set(sums()) - unused


def test_text_in_the_data_is_found_on_both_databases(other: str) -> None:
    expected = Filters(wager="straight").matching()
    assert list(expected.using(other).values_list("position")) == list(expected.values_list("position"))
    assert expected.count() > 0
