"""A verification that is started in the browser shows its progress, and by itself its result."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.pages.browser import opened
from tests.support.processes.web_process import EveningThreads, Web

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def web(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Web]:
    night = EveningThreads(django_db_blocker)
    with Web(night.fill, django_db_blocker) as web:
        yield web
        night.close()


def test_the_button_leads_to_a_result(web: Web, browser: "Browser") -> None:
    with opened(browser, f"{web.url}/integrity") as page:
        page.get_by_role("button", name="Verify history").click()
        page.get_by_text("Verifying…").wait_for()
        page.get_by_role("button", name="Verify history").wait_for()  # it has ended; nobody loaded the page again
        page.get_by_role("heading", name="Last verification").wait_for()
        assert page.get_by_text("Verified up to event").count() == 1
