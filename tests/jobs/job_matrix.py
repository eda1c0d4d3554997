"""Every job in every setting, one house a setting: `make matrix`. It takes long, so pytest does not collect it."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, cast

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.jobs.evening_house import going_on
from tests.jobs.jobs_in_order import JOBS
from tests.jobs.person_at_a_screen import SETTINGS, HouseInBrowser

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module", params=SETTINGS, ids=str)
def house(
    request: pytest.FixtureRequest, browser: "Browser", django_db_blocker: DjangoDbBlocker
) -> Iterator[HouseInBrowser]:
    with going_on(django_db_blocker) as (night, web):
        yield HouseInBrowser(night, web, browser, request.param)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: cast(str, job.__name__))
def test_a_job_is_done(house: HouseInBrowser, job: Callable[[HouseInBrowser], None]) -> None:
    job(house)
