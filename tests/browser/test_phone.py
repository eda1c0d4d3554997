"""A phone 390 pixels wide: no page of any role is wider than the screen, and the header's controls are on it."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.houses.small_house import DAY
from tests.support.pages.addresses import ABSENT, READ
from tests.support.pages.browser import violations
from tests.support.processes.web_process import LiveProcess, Web, played

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WIDTH, HEIGHT = 390, 844
# Who reads most of each department; the auditor reads every page.
PEOPLE = ("olga", "dora", "ines", "paul", "cage", "cora", "anna", "mark", "sven", "ada")
PARTS = re.compile(
    r"/(live|part|course|count|said|more|facets|completions|total)(/|$)|\.(csv|xlsx|pdf|jsonl?)$|/looked"
)
HEADER = """[...document.querySelectorAll("header.bar :is(a, button, input)")].filter(one => {
  const at = one.getBoundingClientRect();
  return at.width && one.type !== "hidden" && (at.left < 0 || at.right > innerWidth + 0.5);
}).map(one => one.textContent.trim() || one.ariaLabel || one.id)"""


@pytest.fixture(scope="module")
def web(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Web]:
    with Web(played, django_db_blocker) as running, LiveProcess(running):
        yield running


def phone(web: Web, browser: "Browser", person: str) -> "Page":
    viewport: Any = {"width": WIDTH, "height": HEIGHT}
    context = browser.new_context(viewport=viewport, locale="en-GB")
    cookie: Any = {"name": "sessionid", "value": web.let_in(person), "domain": urlsplit(web.url).hostname, "path": "/"}
    context.add_cookies([cookie])
    return context.new_page()


def pages() -> list[str]:
    """Every page that is read, but for parts of pages and files."""
    left_out = {where for where, _rule in READ if PARTS.search(where) or "api/" in where}
    return sorted({where for where, _rule in READ} - left_out - {*ABSENT})


def fits(page: "Page") -> list[str]:
    width = page.evaluate("document.documentElement.scrollWidth")
    return [*([f"{width} pixels wide"] if width > WIDTH else []), *page.evaluate(HEADER)]


def test_no_page_is_wider_than_the_screen(web: Web, browser: "Browser") -> None:
    page, wrong, seen = phone(web, browser, "olga"), {}, 0
    for where in pages():
        kind = page.request.head(web.url + where).headers.get("content-type", "")
        if "text/html" not in kind:  # a file, which the browser would save
            continue
        answer = page.goto(web.url + where)
        if answer is None or "text/html" not in answer.headers.get("content-type", ""):
            continue
        seen += 1
        if overflows := fits(page):
            wrong[where] = overflows
    page.context.close()
    assert wrong == {}
    assert seen > 40


@pytest.mark.parametrize("person", PEOPLE)
def test_every_entry_of_the_menu_opens_within_the_screen(web: Web, browser: "Browser", person: str) -> None:
    """Also with the menu open, where every entry can be pressed."""
    page = phone(web, browser, person)
    page.goto(web.url + "/")
    entries = page.evaluate("[...document.querySelectorAll('.menu a')].map(one => one.getAttribute('href'))")
    wrong = {}
    for where in {"/account/sessions", *entries}:
        page.goto(web.url + where)
        overflows = fits(page)
        toggle = page.get_by_label("Menu", exact=True)
        if toggle.count():
            toggle.check()
            overflows += fits(page)
            hidden = page.evaluate("[...document.querySelectorAll('.menu a')].filter(e => !e.offsetWidth).length")
            overflows += [f"{hidden} entries are hidden"] if hidden else []
        if overflows:
            wrong[where] = overflows
    page.context.close()
    assert wrong == {}


def test_the_way_out_lies_on_the_screen(web: Web, browser: "Browser") -> None:
    page = phone(web, browser, "paul")
    page.goto(web.url + "/")
    way_out = page.get_by_role("link", name="Sign out").bounding_box()
    assert way_out is not None
    assert 0 <= way_out["x"] <= WIDTH - way_out["width"]
    install = page.get_by_role("link", name="Install table").bounding_box()
    tables = page.locator("#live").bounding_box()
    assert install is not None
    assert tables is not None
    assert install["y"] > tables["y"] + tables["height"], "what is done once a year is not the first button"
    assert violations(page) == []
    page.get_by_label("Menu", exact=True).check()
    assert violations(page) == []
    page.context.close()


def test_a_gaming_day_is_at_most_four_screens_long(web: Web, browser: "Browser") -> None:
    page = phone(web, browser, "anna")
    page.goto(f"{web.url}/days/{DAY}")
    assert page.evaluate("document.documentElement.scrollHeight") <= 4 * HEIGHT
    page.context.close()
