"""Pages in the longest language: no page scrolls sideways, and no button, label or heading is cut.

`EVERY_LANGUAGE=1` opens them in every language and at three sizes.
"""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from babel.messages.pofile import read_po
from pytest_django.plugin import DjangoDbBlocker

from tests.browser.test_pages import PAGES
from tests.support.processes.web_process import LiveProcess, Web, played
from tools.translations import LANGUAGES, LOCALE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SIZES = {"phone": (390, 844), "tablet": (820, 1180), "desktop": (1440, 900)}
IS_WHOLE = bool(os.environ.get("EVERY_LANGUAGE"))
# Words that are cut at the edge of their box. Boxes of one pixel are for screen readers.
CUT = """[...document.querySelectorAll(
  "button, a.button, label, legend, th, h1, h2, h3, summary, .state, .tag, .menu a, .caption"
)].filter(element => {
  const style = getComputedStyle(element);
  const hides = ["hidden", "clip"].includes(style.overflowX) || ["hidden", "clip"].includes(style.overflowY);
  return hides && element.clientWidth > 2 && style.visibility === "visible"
    && (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 2);
}).map(element => element.textContent.trim().slice(0, 60))"""
WIDE = """[...document.querySelectorAll("main *, header *")].filter(element => {
  const at = element.getBoundingClientRect();
  return at.right > innerWidth + 1 && at.width > 2 && element.offsetParent !== null;
}).slice(0, 3).map(element => `${element.tagName}.${element.className}: ${element.textContent.trim().slice(0, 40)}`)"""


def length(language: str) -> int:
    """Return the length of all sentences of a language."""
    with (LOCALE / language / "LC_MESSAGES/django.po").open("rb") as catalogue:
        return sum(len(str(message.string)) for message in read_po(catalogue))


def cases() -> list[tuple[str, str]]:
    """Return the languages and sizes to look at."""
    if IS_WHOLE:
        return [(language, size) for language in LANGUAGES for size in SIZES]
    longest = max(LANGUAGES, key=length)
    return [(longest, "phone"), (longest, "desktop")]


@pytest.fixture(scope="module")
def web(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Web]:
    with Web(played, django_db_blocker) as running, LiveProcess(running):
        yield running


def reader(web: Web, browser: "Browser", language: str, size: str) -> "Page":
    viewport: Any = dict(zip(("width", "height"), SIZES[size], strict=True))
    context = browser.new_context(viewport=viewport, locale=language)
    cookie: Any = {"name": "sessionid", "value": web.let_in("olga"), "domain": urlsplit(web.url).hostname, "path": "/"}
    context.add_cookies([cookie])
    return context.new_page()


def faults(page: "Page", width: int) -> list[str]:
    """Return what does not fit."""
    is_wide = page.evaluate("document.documentElement.scrollWidth") > width
    return [*(page.evaluate(WIDE) if is_wide else []), *(f"cut: {words}" for words in page.evaluate(CUT))]


@pytest.mark.parametrize(("language", "size"), cases())
def test_no_word_of_a_page_is_cut(web: Web, browser: "Browser", language: str, size: str) -> None:
    page, wrong = reader(web, browser, language, size), {}
    for name, address in PAGES.items():
        page.goto(web.url + address)
        assert page.locator("html").get_attribute("lang") == language, name
        if cut_words := faults(page, SIZES[size][0]):
            wrong[name] = cut_words
        if folder := os.environ.get("PICTURES"):
            page.screenshot(path=f"{folder}/{language}-{size}-{name.replace(' ', '-')}.png")
    page.context.close()
    assert wrong == {}
