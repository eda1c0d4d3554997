"""The drawing of a round in a real browser: keys, autoplay, every screen size, screen readers and paper."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.houses.small_house import DAY
from tests.support.pages.browser import SIZES, opened, violations
from tests.support.processes.web_process import Web, played

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROUND = f"/tables/FR1/{DAY}/rounds/3"
LANDED = 7


@pytest.fixture(scope="module")
def web(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Web]:
    """The web process over the evening."""
    with Web(played, django_db_blocker) as running:
        yield running


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("tablet", "dark")])
@pytest.mark.parametrize(
    "path",
    [
        f"{ROUND}?step={LANDED}",
        f"{ROUND}/print",
        f"/tables/FR2/{DAY}/rounds/3",
        f"/tables/BJ1/{DAY}/rounds/1?step=12",
        "/timelines/player/g-1",
    ],
)
def test_it_fits_and_is_accessible(web: Web, browser: "Browser", path: str, size: str, scheme: str) -> None:
    with opened(browser, web.url + path, size, scheme) as page:
        assert page.locator("h1").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
        assert violations(page) == []


def test_on_a_phone_the_cloth_goes_on_beside_the_screen_and_the_page_does_not(web: Web, browser: "Browser") -> None:
    with opened(browser, f"{web.url}{ROUND}?step={LANDED}") as page:
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        cloth = page.locator(".pane-layout")
        assert cloth.evaluate("e => e.scrollWidth > e.clientWidth")
        box = page.locator("#step-next").bounding_box()
        play = page.locator("#play").bounding_box()
        assert box is not None
        assert play is not None
        assert max(box["y"] + box["height"], play["y"] + play["height"]) <= 844, "at the thumb, however far one scrolls"
        page.mouse.wheel(0, 2_000)
        assert page.locator("#step-next").bounding_box() == box
        assert (box["width"] >= 44, box["height"] >= 44) == (True, True)


@pytest.mark.parametrize("path", [f"{ROUND}/print", "/timelines/player/g-1", "/timelines/dealer/dora?player=g-1"])
def test_on_a_phone_what_goes_on_beside_the_screen_is_reached_by_keys(web: Web, browser: "Browser", path: str) -> None:
    with opened(browser, web.url + path) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert violations(page) == []


def test_one_goes_from_step_to_step_by_keys_and_the_address_names_each(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url + ROUND) as page:
        last = str(page.locator(".steps li a").count())
        felt, steps = (page.locator(selector).bounding_box() for selector in (".felt", ".steps"))
        assert felt is not None
        assert steps is not None
        assert felt["x"] + felt["width"] <= steps["x"], "the steps stand beside the felt"
        keys = (
            ("Home", "1"),
            ("ArrowRight", "2"),
            ("ArrowRight", "3"),
            ("ArrowLeft", "2"),
            ("End", last),
            ("Home", "1"),
        )
        for key, step in keys:
            page.keyboard.press(key)
            page.wait_for_url(f"{web.url}{ROUND}?step={step}")
            page.locator(f".steps li.here a[href$='step={step}']").wait_for()
        page.reload()
        assert page.locator(".steps .here .word").first.inner_text().startswith("1 ")


def test_it_plays_by_itself_until_its_end(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url + ROUND) as page:
        page.locator("#speed").select_option("16")
        page.get_by_role("button", name="Play steps").click()
        assert page.get_by_role("button", name="Stop").get_attribute("aria-pressed") == "true"
        page.locator(".steps li:last-child.here").wait_for()
        page.get_by_role("button", name="Play steps").wait_for()
        assert page.locator("#step-next").count() == 0


def test_it_plays_on_after_a_step_that_could_not_be_loaded(web: Web, browser: "Browser") -> None:
    with opened(browser, f"{web.url}{ROUND}?step=1", expect="status of 502|Response Status") as page:
        page.route("**/live?step=*", lambda route: route.fulfill(status=502))
        page.get_by_role("button", name="Play steps").click()
        page.locator("#cut-off").wait_for()
        page.unroute("**/live?step=*")
        page.locator(".steps li:nth-child(3).here").wait_for()


def test_whoever_cannot_see_it_hears_the_step(web: Web, browser: "Browser") -> None:
    with opened(browser, f"{web.url}{ROUND}?step={LANDED}") as page:
        description: Any = page.locator(".pane-layout svg desc").text_content()
        assert description == "The ball lands on 12, red"
        assert page.locator("p.now[role=status]").inner_text().endswith(description)


def test_without_scripts_every_step_is_a_link(web: Web, browser: "Browser") -> None:
    with opened(browser, f"{web.url}{ROUND}?step=1", java_script_enabled=False) as page:
        assert not page.locator("#player").is_visible()
        page.locator("#step-next").click()
        page.wait_for_url(re.compile(r"\?step=2$"))
        assert "red" in page.locator("p.now").inner_text()


@pytest.mark.parametrize("path", ["/events?q=type:bet.settled", "/timelines/player/g-1"])
def test_what_an_event_is_stands_out_from_what_it_says_beside_that(web: Web, browser: "Browser", path: str) -> None:
    with opened(browser, web.url + path) as page:
        cell = page.locator("td.what:has(.said)").first
        own, rest = (locator.evaluate("e => getComputedStyle(e).color") for locator in (cell, cell.locator(".said")))
        assert own == page.locator("main").evaluate("e => getComputedStyle(e).color") != rest
