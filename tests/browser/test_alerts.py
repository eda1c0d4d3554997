"""An analyst's way from the wall to the proofs of an alert, by keyboard."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.pages.browser import SIZES, opened, violations
from tests.support.processes.web_process import Web, played

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def web(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Web]:
    """The web process over the evening."""
    with Web(played, django_db_blocker) as running:
        yield running


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "dark"), ("tablet", "light")])
def test_from_the_wall_to_the_proofs(web: Web, browser: "Browser", size: str, scheme: str) -> None:
    with opened(browser, f"{web.url}/alerts", size, scheme) as page:
        page.get_by_role("link", name="mispay").last.click()
        page.wait_for_url("**/alerts/*")
        assert page.get_by_role("heading", level=1).inner_text() == "Mispay"
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
        assert violations(page) == []
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.get_by_role("link", name="winnings paid").click()
        page.wait_for_url("**/events/*")
