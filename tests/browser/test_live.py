"""The live meters and the sign in a real browser, while the house plays on."""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import DAY, House
from tests.support.pages import browser as support_browser
from tests.support.processes.web_process import DoorProcess, EveningThreads, LiveProcess, Web

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

REFUSED = "status of 503|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET"


def opened(
    browser: "Browser", address: str, size: str = "desktop", *, expect: str = "^$", **settings: Any
) -> AbstractContextManager["Page"]:
    """Open a page whose console must be empty, except for messages that `expect` matches."""
    return support_browser.opened(browser, address, size, expect=expect, **settings)


class PlayingHouse:
    """Door and live process of one evening, and what happens in it."""

    def __init__(self, night: EveningThreads, web: DoorProcess, live: LiveProcess) -> None:
        self.night, self.web, self.live = night, web, live

    def feed(self) -> None:
        """The first round of BJ2 feeds the Mega with 1.00."""
        self.night.do(self._feed)

    def _feed(self, house: House) -> None:
        act = house.action
        house.open_table("BJ2")
        bets = [
            act("bet.place", bet=wager, wager=wager, amount_minor=1_000, player="g-9", box=1)
            for wager in ("main", "blazing7s")
        ]
        house.ok("tables", "BJ2", "dora", act("round.open"), *bets, act("bets.close"), act("progressive.arm"))


@contextmanager
def _played(blocker: DjangoDbBlocker) -> Iterator[PlayingHouse]:
    night = EveningThreads(blocker)
    try:
        with Web(night.fill, blocker) as web, LiveProcess(web) as live, DoorProcess(web) as door:
            yield PlayingHouse(night, door, live)
            night.close()
    except BaseException:
        night.close()
        raise


@pytest.fixture
def playing(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[PlayingHouse]:
    """An evening of the test's own."""
    with _played(django_db_blocker) as night:
        yield night


@pytest.fixture(scope="module")
def resting(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[PlayingHouse]:
    """An evening where nothing more happens, for who only looks: the Mega has been won a moment ago."""
    with _played(django_db_blocker) as night:
        yield night


@pytest.fixture(scope="module")
def shared(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[PlayingHouse]:
    """An evening where nothing more happens, for who only looks: two have shared the Minor a moment ago."""
    with _played(django_db_blocker) as night:
        night.night.do(evening_with_everything.finish_blackjack)
        night.night.do(evening_with_everything.two_winners)
        yield night


def test_the_page_s_meters_count_up_and_pending_ends_with_the_lock(playing: PlayingHouse, browser: "Browser") -> None:
    with opened(browser, f"{playing.web.url}/progressives/blazing") as page:
        page.locator("#stream[data-state=live]").wait_for()
        mega, minor = page.locator("[data-level=mega] .shown"), page.locator("[data-level=minor]")
        assert mega.inner_text() == "25,001.50 EUR"
        assert minor.locator(".wait").is_visible()
        assert not minor.locator(".shown data").is_visible()
        seen, at_once = _watched(playing, browser, page)
        assert seen == sorted(seen)
        assert len(seen) > 3, "it jumped"
        assert at_once == [2_500_150, 2_500_250], "who wants no motion gets the new figure at once"
        playing.night.do(evening_with_everything.finish_blackjack)
        page.locator("[data-level=minor][data-status=locked]").wait_for()
        assert minor.locator(".shown").inner_text() == "500.25 EUR"
        page.locator("tbody td", has_text="1,200.75").first.wait_for()


def _watched(playing: PlayingHouse, browser: "Browser", page: "Page") -> tuple[list[int], list[int]]:
    """Return the successive values of the Mega's meter during a contribution, with motion and with reduced motion."""
    with opened(browser, page.url, reduced_motion="reduce") as still:
        still.locator("#stream[data-state=live]").wait_for()
        for watched_page in (page, still):
            watched_page.evaluate(WATCH, "[data-level=mega] .shown data")
        playing.feed()
        for watched_page in (page, still):
            watched_page.locator("[data-level=mega] data[value='2500250']").wait_for()
        return page.evaluate("window.seen"), still.evaluate("window.seen")


WATCH = """selector => {
  window.seen = [];
  const note = () => {
    const value = Number(document.querySelector(selector).value);
    if (window.seen.at(-1) !== value) window.seen.push(value);
    requestAnimationFrame(note);
  };
  note();
}"""


def test_without_a_stream_the_page_follows_as_it_did(playing: PlayingHouse, browser: "Browser") -> None:
    with opened(browser, f"{playing.web.url}/progressives/blazing", expect=REFUSED) as page:
        page.locator("#stream[data-state=live]").wait_for()
        playing.live.stop()
        page.locator("#stream[data-state=polled]").wait_for()
        assert page.locator("#stream").inner_text() == "every 3 s"
        playing.feed()
        page.locator("[data-level=mega] data[value='2500250']").wait_for()
        playing.live.start()
        page.locator("#stream[data-state=live]").wait_for()


def test_a_search_that_is_followed_shows_what_happens(playing: PlayingHouse, browser: "Browser") -> None:
    with opened(browser, f"{playing.web.url}/events?q=table:BJ2") as page:
        page.get_by_role("link", name="Follow").click()
        page.get_by_text("New events appear by themselves").wait_for()
        rows = page.locator("table.log tbody tr")
        before = rows.count()
        playing.feed()
        rows.nth(before + 6).wait_for()
        assert rows.filter(has_text="progressive").first.is_visible()
        page.get_by_role("link", name="Stop following").click()
        page.get_by_text("All events, newest first").wait_for()


def test_the_sign_shows_the_winning_value_and_fits(playing: PlayingHouse, browser: "Browser") -> None:
    address = f"{playing.web.url}/progressives/blazing/sign"
    with opened(browser, address, "lying") as lying, opened(browser, address, "standing") as standing:
        for page in (lying, standing):
            page.locator("body[data-signal=live]").wait_for()
            page.locator("[data-level=mega][data-state=won]").wait_for()  # a moment ago
            assert page.locator("[data-level=mega] data").inner_text() == "50,001.50"
            assert page.locator("[data-level=mega] .where").inner_text() == "won · table BJ1"
            assert page.locator("[data-level=minor] data").inner_text() == "PENDING"
            assert page.locator("[data-level=minor] .where").inner_text() == "table BJ1"
        playing.night.do(evening_with_everything.finish_blackjack)
        for page in (lying, standing):
            page.locator("[data-level=minor][data-state=won]").wait_for()
            assert page.locator("[data-level=minor] data").inner_text() == "1,200.75"
            assert _spills(page) == []
            assert page.locator("[data-level=mega] data").evaluate(SIZE) > 150, "it cannot be read from afar"


def test_the_sign_shows_two_winners_of_one_lock_once(shared: PlayingHouse, browser: "Browser") -> None:
    """Their value is what each gets; with an earlier win of the same level it takes turns."""
    address = f"{shared.web.url}/progressives/blazing/sign"
    with opened(browser, address, "lying") as lying, opened(browser, address, "standing") as standing:
        for page in (lying, standing):
            page.locator("body[data-signal=live]").wait_for()
            _won(page, r"won · table BJ2\s*2 winners, each", "250.18")
            assert _spills(page) == []
            _won(page, "won · table BJ1", "1,200.75")
            assert _spills(page) == []


def _won(page: "Page", where: str, value: str) -> None:
    """Waits until both are shown together (`where` is a pattern): a moment later it may be another win's turn."""
    minor = page.locator("[data-level=minor][data-state=won]")
    minor = minor.filter(has=page.locator(".where", has_text=re.compile(f"^{where}$")))
    minor.filter(has=page.locator("data", has_text=re.compile(f"^{re.escape(value)}$"))).wait_for()


SIZE = "e => parseFloat(getComputedStyle(e).fontSize)"


def _spills(page: "Page") -> list[str]:
    """Figures that do not lie wholly within their level."""
    spills: list[str] = page.evaluate(
        """[...document.querySelectorAll('.level')].flatMap(level => {
          const box = level.getBoundingClientRect();
          return [...level.children].filter(part => {
            const words = document.createRange();
            words.selectNodeContents(part);
            const own = words.getBoundingClientRect();
            if (!own.width) return false;
            const inside = own.left >= box.left - 1 && own.right <= box.right + 1;
            return !inside || own.top < box.top - 1 || own.bottom > box.bottom + 1;
          }).map(part => part.textContent);
        })"""
    )
    return spills


def test_the_sign_goes_back_to_its_meters_after_a_while(resting: PlayingHouse, browser: "Browser") -> None:
    address = f"{resting.web.url}/progressives/blazing/sign"
    with opened(browser, address) as page:
        page.locator("[data-level=mega][data-state=won]").wait_for()
        page.evaluate("const later = performance.now.bind(performance); performance.now = () => later() + 120_000")
        page.locator("[data-level=mega][data-state=open]").wait_for()
        assert page.locator("[data-level=mega] data").inner_text() == "25,001.50"
        assert page.locator("[data-level=minor][data-state=pending]").is_visible()


def test_the_sign_survives_its_server_and_looks_old_meanwhile(playing: PlayingHouse, browser: "Browser") -> None:
    with opened(browser, f"{playing.web.url}/progressives/blazing/sign", expect=REFUSED) as page:
        page.locator("body[data-signal=live]").wait_for()
        playing.live.kill()
        page.locator("body[data-signal=lost]").wait_for()
        assert page.get_by_text("Offline. Last update").is_visible()
        assert page.locator("[data-level=major] data").inner_text() == "8,001.20"
        playing.feed()
        playing.live.start()
        page.locator("body[data-signal=live]").wait_for()
        page.locator("[data-level=major] data[value='800160']").wait_for()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_a_hit_with_two_winners(shared: PlayingHouse, browser: "Browser", scheme: Any, width: int) -> None:
    address = f"{shared.web.url}/progressives/blazing/hits/BJ2-{DAY}-1-2"
    with opened(browser, address, scheme=scheme) as page:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.locator("h1").inner_text() == "Minor at BJ2: 250.18 EUR each of 2 winners"
        page.get_by_text("lines add up").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "it scrolls sideways"
        page.locator(f"#of-BJ2-{DAY}-laid").click()
        page.locator("#total", has_text="15.00").wait_for()


def test_a_hit_s_sum_opens_and_comes_on_paper(resting: PlayingHouse, browser: "Browser") -> None:
    with opened(browser, f"{resting.web.url}/progressives/blazing") as page:
        page.locator(f"#hit-BJ1-{DAY}-1-1").click()
        page.get_by_text("lines add up").wait_for()
        assert page.locator("h1").inner_text() == "Mega at BJ1: 50,001.50 EUR"
        with page.expect_download() as file:
            page.get_by_role("link", name="PDF").click()
        assert file.value.suggested_filename == f"BJ1-{DAY}-1-1.pdf"
