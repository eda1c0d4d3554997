"""Sums over the events' own bytes come to the same on PostgreSQL as on SQLite."""

from collections.abc import Callable, Iterator

import pytest
from django.db.models import Count, Sum
from pytest_django.plugin import DjangoDbBlocker

from backoffice.pages.queries.filters import Filters
from backoffice.pages.queries.sums import SUMS
from tests import evening
from tests.house import House
from tests.scratch import read_models

pytestmark = pytest.mark.postgres


@pytest.fixture
def other(evening_house: House, new_database: Callable[[], str], django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias of the same evening's read models on PostgreSQL."""
    with django_db_blocker.unblock(), read_models(new_database()) as alias:
        evening.project(evening_house, alias)
        yield alias


def _totals(filters: Filters, using: str) -> dict[str, int | None]:
    found = filters.matching().using(using)
    return found.aggregate(events=Count("position"), amount=Sum("counts"))


def test_every_sum_is_the_same_on_both_databases(other: str) -> None:
    found = {name: _totals(Filters(sum=name), "default") for name in SUMS}
    assert {name: _totals(Filters(sum=name), other) for name in SUMS} == found
    used = {name for name, total in found.items() if total["events"]}
    assert used == set(SUMS) - {"commission", "closer-variance", "corrections"}


def test_text_in_the_data_is_found_on_both_databases(other: str) -> None:
    wanted = Filters(wager="straight").matching()
    assert list(wanted.using(other).values_list("position")) == list(wanted.values_list("position"))
    assert wanted.count() > 0
