"""The wall display in a real browser: live, with a sound after one gesture, acknowledged by key, honest when cut."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from backoffice.people import display_keys
from events.alerts.overdue_and_luck_event_recorder import of_house, report
from events.alerts.system_recorded_event_types import IntegrityFailed
from tests.support.houses.small_house import PROPERTY, House
from tests.support.pages.browser import SIGNS, SIZES, opened, violations
from tests.support.processes.scratch_databases import as_default
from tests.support.processes.web_process import SESSIONS, DoorProcess, EveningThreads, LiveProcess, Web

if TYPE_CHECKING:
    from playwright.sync_api import Browser

REFUSED = "Failed to load resource|ERR_|status of 404|EventSource"
WIDTHS = {"lying": SIGNS["lying"], "desktop": SIZES["desktop"], "tablet": SIZES["tablet"], "phone": (390, 844)}


class AlertWallEvening:
    """The web process and the live process of an evening. A person of surveillance is signed in."""

    def __init__(self, evening: EveningThreads, door: DoorProcess, live: LiveProcess) -> None:
        self.evening, self.door, self.live = evening, door, live
        self.url = f"{door.url}/alerts/wall"

    def alert(self) -> None:
        """One more alert, of high severity."""
        self.evening.do(_alert)

    def catch_up(self) -> None:
        """Update the read models with the actions made on the page."""
        self.evening.do(lambda _house: None)


def _alert(house: House) -> None:
    watchman = of_house(house.store, PROPERTY)
    thing = f"store {house.store.position()}"
    report(house.store, watchman, IntegrityFailed(kind="verify", thing=thing, findings=("chain: edited",), count=1))


@pytest.fixture
def night(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[AlertWallEvening]:
    evening = EveningThreads(django_db_blocker)
    try:
        with Web(evening.fill, django_db_blocker) as web, LiveProcess(web) as live, DoorProcess(web) as door:
            SESSIONS[door.port] = web.let_in("sven")
            yield AlertWallEvening(evening, door, live)
    finally:
        evening.close()


def test_a_new_alert_appears_and_sounds_after_one_gesture(night: AlertWallEvening, browser: "Browser") -> None:
    with opened(browser, night.url, "lying", "dark") as page:
        page.locator("body[data-signal=live]").wait_for()
        assert page.get_by_text("Sound is off").is_visible()
        before = page.locator("[data-id]").count()
        night.alert()
        page.locator("[data-id]").nth(before).wait_for()
        assert page.locator("body[data-sounds]").count() == 0, "no sound before a gesture"
        page.keyboard.press("s")
        page.get_by_text("Sound is on").wait_for()
        assert page.get_by_role("button", name="Turn sound off").is_visible()
        page.locator("body[data-sounds='1']").wait_for()
        night.alert()
        page.locator("[data-id]").nth(before + 1).wait_for()
        page.locator("body[data-sounds='2']").wait_for()
        assert "New alert" in page.locator("#news").inner_text()


def test_an_alert_is_acknowledged_by_key_on_every_wall(night: AlertWallEvening, browser: "Browser") -> None:
    with opened(browser, night.url) as page, opened(browser, night.url) as other:
        for wall in (page, other):
            wall.locator("body[data-signal=live]").wait_for()
        new = page.locator("[data-new]").count()
        page.keyboard.press("j")
        alert = page.evaluate("document.activeElement.closest('[data-id]').dataset.id")
        page.keyboard.press("a")
        page.locator(".message").wait_for()
        night.catch_up()
        for wall in (page, other):
            wall.locator(f"[data-id='{alert}']:not([data-new])").wait_for()
            assert wall.locator("[data-new]").count() == new - 1
            assert "Acknowledged by" in wall.locator(f"[data-id='{alert}']").inner_text()


def test_alerts_that_could_not_be_loaded_are_requested_again(night: AlertWallEvening, browser: "Browser") -> None:
    """Until they are here, the wall says that it is offline, though its stream is alive."""
    with opened(browser, night.url, expect=REFUSED) as page:
        page.locator("body[data-signal=live]").wait_for()
        before = page.locator("[data-id]").count()
        page.route("**/alerts/wall/*seen=*", lambda route: route.fulfill(status=503))
        night.alert()
        page.locator("body[data-signal=lost]").wait_for()
        assert page.evaluate(SIGNALS_OF_BEATS) == ["lost"]
        page.unroute("**/alerts/wall/*seen=*")
        page.locator("[data-id]").nth(before).wait_for()
        page.locator("body[data-signal=live]").wait_for()


SIGNALS_OF_BEATS = """() => new Promise(resolve => {
  const signals = new Set(), stream = new EventSource(document.body.dataset.url);
  let beats = 0;
  stream.addEventListener("beat", () => {
    signals.add(document.body.dataset.signal);
    if (++beats < 3) return;
    stream.close();
    resolve([...signals]);
  });
})"""


def test_it_says_when_the_stream_is_lost_and_comes_back(night: AlertWallEvening, browser: "Browser") -> None:
    with opened(browser, night.url, expect=REFUSED) as page:
        page.locator("body[data-signal=live]").wait_for()
        assert not page.get_by_text("Offline. Last update").is_visible()
        before = page.locator("[data-id]").count()
        night.live.kill()
        page.locator("body[data-signal=lost]").wait_for()
        assert page.get_by_text("Offline. Last update").is_visible()
        assert page.locator("[data-id]").count() == before
        night.alert()
        night.live.start()
        page.locator("body[data-signal=live]").wait_for()
        page.locator("[data-id]").nth(before).wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_every_screen_and_is_accessible(night: AlertWallEvening, browser: "Browser", scheme: str) -> None:
    with opened(browser, night.url, scheme=scheme) as page:
        page.locator("body[data-signal=live]").wait_for()
        for width, height in WIDTHS.values():
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert violations(page) == []
        page.get_by_label("Severity").select_option("high")
        page.wait_for_url("**severity=high*")
        assert page.locator("[data-id]:not([data-severity=high])").count() == 0


CLOCK = """
import pathlib, time

real, later = time.time, pathlib.Path(__file__).with_name("later_s")
time.time = lambda: real() + float(later.read_text() or 0)
"""


def code_of_a_screen(evening: EveningThreads) -> str:
    """The code of a new wall display of sven."""
    codes: list[str] = []

    def invite(_house: House) -> None:
        with as_default(evening._alias):
            codes.append(display_keys.invite_wall("sven")[1])

    evening.do(invite)
    return codes[0]


def test_a_screen_with_a_key_goes_on_past_the_idle_limit(
    chromium_path: str, django_db_blocker: DjangoDbBlocker, browser: "Browser", tmp_path: Path
) -> None:
    """A display with its own key stays open when a session on the same wall reaches the idle limit and is signed out.

    The test moves the clock of the processes forward by an hour.
    """
    (tmp_path / "sitecustomize.py").write_text(CLOCK, encoding="utf-8")
    (tmp_path / "later_s").write_text("0", encoding="utf-8")
    evening = EveningThreads(django_db_blocker)
    try:
        with Web(evening.fill, django_db_blocker, tmp_path) as web, LiveProcess(web) as live, DoorProcess(web) as door:
            SESSIONS[door.port] = web.let_in("sven")
            night, link = AlertWallEvening(evening, door, live), f"{door.url}/display#{code_of_a_screen(evening)}"
            with opened(browser, night.url, expect=REFUSED) as session, opened(browser, link, nobody=True) as screen:
                screen.get_by_role("button", name="Set up display").click()
                screen.wait_for_url("**/alerts/wall")
                for wall in (session, screen):
                    wall.locator("body[data-signal=live]").wait_for()
                before = screen.locator("[data-id]").count()
                (tmp_path / "later_s").write_text("3600", encoding="utf-8")
                session.wait_for_url("**/sign-in**")
                night.alert()
                screen.locator("[data-id]").nth(before).wait_for()
                screen.reload()
                screen.locator("body[data-signal=live]").wait_for()
                assert screen.locator("[data-id]").count() == before + 1
                assert not any(cookie["name"] == "sessionid" for cookie in screen.context.cookies())
    finally:
        evening.close()
