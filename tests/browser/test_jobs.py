"""Each job of people in one setting, so that together every size and theme occurs; all settings: `make matrix`."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.jobs.evening_house import EveningHouse, going_on
from tests.jobs.jobs_in_order import JOBS
from tests.jobs.person_at_a_screen import SETTINGS, HouseInBrowser, ScreenSetting
from tests.support.processes.web_process import Web

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SMOKE = [(job, SETTINGS[number % len(SETTINGS)]) for number, job in enumerate(JOBS)]


@pytest.fixture(scope="module")
def house(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[tuple[EveningHouse, Web]]:
    with going_on(django_db_blocker) as running:
        yield running


@pytest.mark.parametrize(("job", "setting"), SMOKE, ids=[f"{job.__name__}-{setting}" for job, setting in SMOKE])
def test_a_job_is_done(
    house: tuple[EveningHouse, Web], browser: "Browser", job: Callable[[HouseInBrowser], None], setting: ScreenSetting
) -> None:
    job(HouseInBrowser(*house, browser, setting))


def test_every_size_and_theme_occurs() -> None:
    assert {setting for _job, setting in SMOKE} == set(SETTINGS)
    assert len(JOBS) == 21
