"""A chart in a real browser: its value under the pointer, the finger, by the arrow keys; and the way to the round."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.houses.small_house import DAY
from tests.support.pages.browser import opened
from tests.support.processes.web_process import Web, played

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TABLE = f"/tables/FR1/{DAY}"
WORDS = re.compile(r"^\d\d:\d\d:\d\d, round \d+: [\d,.]+ (won|lost|even)$")


@pytest.fixture(scope="module")
def web(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Web]:
    """The web process over the evening."""
    with Web(played, django_db_blocker) as running:
        yield running


def test_the_value_under_the_pointer_is_said_and_a_click_leads_to_its_round(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url + TABLE) as page:
        label, plot = page.locator("#win-value"), page.locator("#win .plot")
        assert WORDS.match(label.inner_text())
        box = plot.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 2, box["y"] + 40)
        first = label.inner_text()
        assert WORDS.match(first)
        assert page.locator("#win .cursor").get_attribute("d")
        number = re.search(r"round (\d+)", first)
        assert number is not None
        page.mouse.click(box["x"] + 2, box["y"] + 40)
        page.wait_for_url(re.compile(rf"/events\?table=FR1&gaming_day={DAY}&round={number[1]}$"))


def test_the_arrow_keys_go_through_the_values(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url + TABLE) as page:
        label = page.locator("#win-value")
        last = label.inner_text()
        label.focus()
        page.keyboard.press("ArrowLeft")
        before = label.inner_text()
        page.keyboard.press("Home")
        page.keyboard.press("End")
        assert (label.inner_text(), before != last) == (last, True)
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"/events\?table=FR1.*round=\d+$"))


def test_a_finger_chooses_and_follows_the_words(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url + TABLE, "tablet", has_touch=True) as page:
        box = page.locator("#win .plot").bounding_box()
        assert box is not None
        page.touchscreen.tap(box["x"] + 2, box["y"] + 40)
        assert page.url.endswith(TABLE), "the finger hides what it would lead to"
        assert WORDS.match(page.locator("#win-value").inner_text())
        page.locator("#win-value").tap()
        page.wait_for_url(re.compile(r"/events\?table=FR1"))


def test_without_the_script_the_values_are_a_list(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url + TABLE, java_script_enabled=False) as page:
        page.locator(".spots summary").click()
        values = page.locator(".spots li a")
        assert values.count() > 1
        assert WORDS.match(values.first.inner_text())
