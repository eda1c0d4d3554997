"""Forms in a real browser: a correction, its approval from the inbox, and the sign-in link of a new person."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from django.conf import settings
from pytest_django.plugin import DjangoDbBlocker

from tests.support.pages.browser import follow, violations
from tests.support.processes.web_process import EveningThreads, Web

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BLAZING = "/progressives/blazing"
PHONE = {"width": 390, "height": 844}


class ActingEvening:
    """The web process over an evening that plays on, and people's browsers."""

    def __init__(self, night: EveningThreads, web: Web, browser: "Browser") -> None:
        self.night, self.web, self.browser = night, web, browser

    def at(self, person: str, path: str, scheme: str = "light") -> "Page":
        """Open a page in a new browser of a person, who has just signed in."""
        context = self.browser.new_context(color_scheme=scheme, locale="en-GB")  # type: ignore[arg-type]  # a Literal
        session = self.web.let_in(person)
        cookie = {"name": settings.SESSION_COOKIE_NAME, "value": session, "url": self.web.url}
        context.add_cookies([cookie])  # type: ignore[list-item]  # Playwright's own TypedDict
        page = context.new_page()
        page.set_default_timeout(90_000)
        page.goto(self.web.url + path)
        return page


@pytest.fixture(scope="module")
def working(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[ActingEvening]:
    night = EveningThreads(django_db_blocker)
    try:
        with Web(night.fill, django_db_blocker) as web:
            yield ActingEvening(night, web, browser)
    finally:
        night.close()


def test_one_asks_for_a_correction_and_another_agrees_from_the_inbox(working: ActingEvening) -> None:
    page = working.at("mark", BLAZING)
    follow(page.locator("text=Correct meter"))
    page.select_option("[name=level]", "mega")
    page.fill("[name=amount_minor]", "2.50")
    page.select_option("[name=reason]", "malfunction")
    assert violations(page) == []
    follow(page.locator("text=Review"))
    assert "Needs one approval" in page.inner_text("main")
    assert violations(page) == []
    page.dblclick("text=Send for approval")  # whose second click breaks off what the first had asked the browser for
    page.locator("main", has_text="Sent for approval").wait_for()
    assert page.url == working.web.url + BLAZING
    working.night.do(lambda house: None)

    page = working.at("anna", "/inbox")
    assert page.locator("tr.matter", has_text="correct meter").count() == 1
    assert violations(page) == []
    follow(page.locator("tr.matter >> text=Approve request"))
    assert "2.50\N{NO-BREAK SPACE}EUR" in page.inner_text("main")
    page.click("text=Confirm")
    page.wait_for_url(working.web.url + "/inbox")
    assert re.search(r"^Saved \(event \d+\)\.", page.inner_text("main"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_forms_inbox_and_directory_fit_a_phone_and_can_be_read(working: ActingEvening, scheme: str) -> None:
    pages = {"mark": (f"{BLAZING}/do/parameters.change", "/inbox"), "adam": ("/people", "/people/do/enrol")}
    for person, paths in pages.items():
        for path in paths:
            page = working.at(person, path, scheme)
            page.set_viewport_size(PHONE)  # type: ignore[arg-type]  # Playwright's own TypedDict
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
            assert violations(page) == [], path


def test_an_administrator_lets_somebody_in(working: ActingEvening) -> None:
    page = working.at("adam", "/people")
    follow(page.locator("text=Create sign-in link"))
    page.fill("[name=person]", "dora")
    follow(page.locator("main button.main"))
    assert "/enrol#" in page.inner_text("#secret")
    assert violations(page) == []
