"""The palette in a real browser: by key and by button, by arrows and by finger, checked by axe."""

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.houses.small_house import DAY
from tests.support.pages.browser import opened, violations
from tests.support.processes.web_process import LiveProcess, Web, played

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect, Locator, Page, Route, ViewportSize

PHONE: "ViewportSize" = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def web(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Web]:
    """The web process over the evening."""
    with Web(played, django_db_blocker) as running, LiveProcess(running):
        yield running


def palette(page: "Page") -> "Locator":
    return page.get_by_role("dialog", name="Go to")


def called(page: "Page") -> str:
    """Opened with its places there; the name of the option that Enter would take."""
    page.get_by_role("option", name=re.compile("^Floor")).first.wait_for()
    return chosen(page)


def chosen(page: "Page") -> str:
    """Return the text of the active option, as a screen reader reads it."""
    option_text: str = page.evaluate(
        "document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).firstChild.textContent"
    )
    return option_text


def test_one_goes_anywhere_by_a_few_letters(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url) as page:
        page.keyboard.press("Control+k")
        called(page)
        page.keyboard.type("liab")
        assert chosen(page) == "Liability blazing"
        page.keyboard.press("Enter")
        page.wait_for_url(f"{web.url}/progressives/blazing/liability")
        page.keyboard.press("Meta+k")
        called(page)
        page.keyboard.type("bj1")
        assert chosen(page) == "Table BJ1"
        page.keyboard.press("ArrowDown")
        assert page.locator("[role=option][aria-selected=true]").inner_text().split("\n")[0] == "Table BJ1"
        page.keyboard.press("Enter")
        page.wait_for_url(f"{web.url}/pit/BJ1")


def test_arrows_go_round_and_escape_leaves_everything_as_it_was(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url + "/progressives/") as page:
        link = page.get_by_role("link", name="blazing").first
        link.focus()
        page.keyboard.press("Control+k")
        first = called(page)
        page.keyboard.press("ArrowUp")
        last = chosen(page)
        assert last != first
        page.keyboard.press("ArrowDown")
        assert chosen(page) == first
        field = palette(page).get_by_role("combobox", expanded=True)
        assert field.count() == 1
        page.keyboard.press("Escape")
        assert not palette(page).is_visible()
        page.locator("#palette [role=combobox][aria-expanded=false]").wait_for(state="attached")
        assert link.evaluate("e => e === document.activeElement")
        page.keyboard.press("Control+k")
        page.keyboard.press("Control+k")
        assert not palette(page).is_visible()
        page.keyboard.press("?")
        assert page.get_by_text("go to a page, table or day").is_visible()
        page.keyboard.press("Control+k")
        assert not palette(page).is_visible(), "one dialog at a time"


@pytest.mark.parametrize(
    ("typed", "name", "leads"),
    [
        ("30", "Event 30", "/events/30"),
        (f"theoretical {DAY}", f"Actual vs theoretical win {DAY}", f"/days/{DAY}/luck"),
        ("yesterday floor", None, None),
        ("slip 12", "Events of slip 12", "/events?q=slip:12"),
        ("access log", "Access log", "/integrity/looks"),
        ("sign out", "Sign out", "/sign-out"),
    ],
)
def test_what_is_typed_may_be_an_id_or_a_day(
    web: Web, browser: "Browser", typed: str, name: str | None, leads: str | None
) -> None:
    with opened(browser, web.url) as page:
        page.keyboard.press("Control+k")
        called(page)
        page.keyboard.type(typed)
        if name is None:  # no such day was played: the log alone is offered
            assert chosen(page) == f"Search events for {typed}"
            return
        assert chosen(page) == name
        page.keyboard.press("Enter")
        page.wait_for_url(web.url + (leads or ""))


def test_the_last_entry_searches_the_log(web: Web, browser: "Browser") -> None:
    with opened(browser, f"{web.url}/events?table=FR1&sum=event-win") as page:
        page.keyboard.press("Control+k")
        called(page)
        page.keyboard.type("g-7")
        page.keyboard.press("ArrowUp")
        assert chosen(page) == "Search events for g-7"
        page.keyboard.press("Enter")
        page.wait_for_url(f"{web.url}/events?q=g-7")


def test_the_button_opens_it_and_a_finger_goes(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url + "/events", has_touch=True) as page:
        page.set_viewport_size({"width": 820, "height": 1180})
        button = page.get_by_role("button", name="Go to")
        box = button.bounding_box()
        assert box is not None
        assert 0 <= box["x"] <= 820 - box["width"]
        button.tap()
        called(page)
        rows = page.get_by_role("option")
        heights = rows.evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
        assert min(heights) >= 48
        palette(page).get_by_role("button", name="Close").tap()
        assert not palette(page).is_visible()
        button.tap()
        called(page)
        page.get_by_role("option", name=re.compile("^Integrity")).first.tap()
        page.wait_for_url(f"{web.url}/integrity")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible_on_a_desk_and_on_a_phone(web: Web, browser: "Browser", scheme: str) -> None:
    with opened(browser, web.url, scheme=scheme) as page:
        for size in (page.viewport_size, PHONE):
            assert size is not None
            page.set_viewport_size({"width": size["width"], "height": size["height"]})
            page.reload()
            page.keyboard.press("Control+k")
            called(page)
            assert violations(page) == []
            page.keyboard.type("fr1")
            assert violations(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def overlap(left: "FloatRect", other: "FloatRect") -> bool:
    """Return whether two boxes overlap on the screen."""
    is_apart = left["x"] + left["width"] <= other["x"] or other["x"] + other["width"] <= left["x"]
    below = left["y"] + left["height"] <= other["y"] or other["y"] + other["height"] <= left["y"]
    return not (is_apart or below)


def test_on_a_phone_its_button_stays_in_sight_and_nothing_lies_below_it(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url + "/integrity") as page:
        page.set_viewport_size(PHONE)
        page.reload()
        page.locator(".menu a:has(.count)").nth(1).wait_for()
        button = page.get_by_role("button", name="Go to").bounding_box()
        waiting = page.locator(".menu li:has(.count)").last.bounding_box()
        here = page.locator(".menu [aria-current]").bounding_box()
        boxes = [box for box in (button, waiting, here) if box is not None]
        assert len(boxes) == 3
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"] for box in boxes)
        assert not [pair for pair in combinations(boxes, 2) if overlap(*pair)]


FAILURES: dict[str, Callable[["Route"], object]] = {
    "an error": lambda route: route.fulfill(status=503),
    "no connection": lambda route: route.abort(),
    "no answer": lambda route: None,
}
SHORT_LIMIT = "const limit = AbortSignal.timeout; AbortSignal.timeout = ms => limit.call(AbortSignal, ms / 20)"


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failed_request_for_the_places_is_repeated_while_it_is_open(
    web: Web, browser: "Browser", failure: str
) -> None:
    with opened(browser, web.url, expect="status of 503|ERR_FAILED") as page:
        page.route("**/places", FAILURES[failure])
        page.evaluate(SHORT_LIMIT)  # ten seconds are long for a test
        page.keyboard.press("Control+k")
        page.get_by_text("The list could not be loaded").wait_for()
        page.keyboard.type("liab")
        assert page.get_by_text("The list could not be loaded").is_visible()
        page.unroute("**/places")
        page.get_by_role("option", name="Liability blazing").wait_for()
        assert chosen(page) == "Liability blazing"
        assert page.get_by_text("The list could not be loaded").count() == 0


def test_a_closed_palette_sends_no_requests_and_an_opened_one_asks_at_once(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url, expect="status of 503") as page:
        page.clock.install()
        page.route("**/places", lambda route: route.fulfill(status=503))
        page.keyboard.press("Control+k")
        page.get_by_text("The list could not be loaded").wait_for()
        page.keyboard.press("Escape")
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.url))
        page.clock.run_for(20_000)
        assert f"{web.url}/places" not in sent
        page.unroute("**/places")
        page.keyboard.press("Control+k")
        called(page)


def test_a_key_that_is_held_down_opens_it_once(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url) as page:
        page.keyboard.down("Control")
        for _ in range(4):  # the browser repeats the key
            page.keyboard.down("k")
        called(page)
