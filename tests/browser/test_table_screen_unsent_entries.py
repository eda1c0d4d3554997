"""Entries that are not sent when the signal is lost.

Signed entries that were never sent become queued facts. Sent entries stay as they are, because the house may have them.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.tables.robot_dealer import RobotDealer
from tests.support.tables.table_screens import Fingers, Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

# The device's key signs nothing until `release` is called.
HOLD_SIGNATURES = """() => {
  const sign = crypto.subtle.sign.bind(crypto.subtle);
  const held = new Promise((done) => { globalThis.release = done; });
  crypto.subtle.sign = async (...what) => { await held; return sign(...what); };
}"""
RELEASE = "() => globalThis.release()"
# A tab that loses the pen learns it only when `tell` is called.
LOSS_REPORTED_LATE = """
const { request } = LockManager.prototype;
const lossReported = new Promise((done) => { globalThis.tell = done; });
LockManager.prototype.request = function (...what) {
  return request.apply(this, what).catch(async (error) => { await lossReported; throw error; });
};"""
ENTRIES = """() => new Promise((done) => {
  const request = indexedDB.open("pitledger-table");
  request.onsuccess = () => {
    const rows = request.result.transaction("entries").objectStore("entries").getAllKeys();
    rows.onsuccess = () => { request.result.close(); done(rows.result); };
  };
})"""

# Another tab counts itself as the holder of the pen, although this one has it.
CLAIM = """() => new Promise((done) => {
  const request = indexedDB.open("pitledger-table");
  request.onsuccess = () => {
    const devices = request.result.transaction("device", "readwrite").objectStore("device");
    const device = devices.get("device");
    device.onsuccess = () => devices.put({ ...device.result, pen: (device.result.pen ?? 0) + 1 });
    devices.transaction.oncomplete = () => { request.result.close(); done(); };
  };
})"""
WATCH_PENDING = """() => {
  const bar = document.querySelector(".bar");
  globalThis.pending = [];
  new MutationObserver(() => globalThis.pending.push(bar.dataset.pending)).observe(bar, { attributes: true });
}"""


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as opened:
        yield opened


def stakes(house: Screens, table: str) -> list[tuple[int, bool]]:
    """Number of each stake in the store, and whether it was queued, in their order."""
    placed = [event for event in house.night.events(table) if event.type == "bet.placed.v1"]
    return [(event.data.numbers[0], event.queued is True) for event in placed]


def begun(house: Screens, table: str) -> tuple["Page", Fingers]:
    page = house.at_work(table)
    fingers = Fingers(page)
    fingers.tap(do="round.open")
    fingers.phase("open")
    fingers.tap(chip=500)
    return page, fingers


def lay(fingers: Fingers, *numbers: int) -> None:
    for number in numbers:
        fingers.tap(place=f"straight {number}")


def recorded(page: "Page", count: int) -> None:
    """Wait until the screen shows this many chips, and the house has answered all of them."""
    page.wait_for_function("count => document.querySelectorAll('.chips .chip[data-bet]').length >= count", arg=count)
    Fingers(page).settled()


def queued(page: "Page", count: int) -> None:
    page.locator(f'.bar[data-queued="{count}"]').wait_for()


def reconnect(page: "Page", fingers: Fingers) -> None:
    page.context.set_offline(False)
    page.locator('.bar[data-state="live"]').wait_for()
    fingers.settled()


def test_what_was_never_sent_is_queued_when_the_signal_is_lost(house: Screens) -> None:
    page, fingers = begun(house, "FR1")
    held: list[Route] = []
    page.route("**/queue", lambda route: held.append(route))  # noqa: PLW0108 - a method of a list has no signature
    lay(fingers, 1, 2, 3)  # the first one is on its way, and no answer comes
    page.locator('.bar[data-pending="3"]').wait_for()
    queued(page, 0)
    page.context.set_offline(True)
    queued(page, 2)
    lay(fingers, 4)
    queued(page, 3)
    for route in held:
        route.abort()
    page.unroute("**/queue")
    page.reload()
    queued(page, 3)
    page.locator("[data-do=take-pen]").wait_for(state="detached")
    reconnect(page, fingers)
    assert stakes(house, "FR1") == [(1, False), (2, True), (3, True), (4, True)]


def test_a_tap_whose_signature_comes_after_the_loss_is_queued(house: Screens) -> None:
    page, fingers = begun(house, "FR2")
    page.evaluate(HOLD_SIGNATURES)
    lay(fingers, 1, 2)
    page.locator('.bar[data-pending="2"]').wait_for()
    page.context.set_offline(True)
    page.locator(".offline").wait_for()
    page.evaluate(RELEASE)
    queued(page, 2)
    reconnect(page, fingers)
    lay(fingers, 3)
    recorded(page, 3)
    assert stakes(house, "FR2") == [(1, True), (2, True), (3, False)]


def test_a_progressive_that_was_not_armed_before_the_loss_is_closed(house: Screens) -> None:
    robot = RobotDealer(house.at_work("BJ1"))
    robot.step("round.open")
    robot.stake("main", 2_500, seat=1)
    robot.stake("blazing7s", 500, seat=1)
    robot.step("bets.close")
    robot.page.evaluate(HOLD_SIGNATURES)
    robot.tap(do="progressive.arm")
    robot.page.context.set_offline(True)
    robot.page.locator(".offline").wait_for()
    robot.page.evaluate(RELEASE)
    queued(robot.page, 1)
    robot.page.locator("[data-closed=progressive]").wait_for()
    reconnect(robot.page, robot)
    robot.page.locator(".toast").wait_for()  # the house says that it did not arm
    assert "progressive.armed.v1" not in [event.type for event in house.night.events("BJ1")]


def with_two_tabs(house: Screens, table: str) -> tuple["Page", "Page", Fingers]:
    """Return a tab with the pen that does not learn of its loss until `tell`, and a tab without it."""
    page = house.at_work(table)
    page.add_init_script(LOSS_REPORTED_LATE)
    page.reload()
    page.locator("[data-do=take-pen]").wait_for(state="detached")
    fingers = Fingers(page)
    fingers.tap(do="round.open")
    fingers.phase("open")
    fingers.tap(chip=500)
    tab = page.context.new_page()
    tab.goto(f"{house.url}/table/{table}")
    tab.locator("[data-do=take-pen]").wait_for()
    return page, tab, fingers


def take_pen(tab: "Page") -> None:
    tab.locator("[data-do=take-pen]").tap()
    tab.locator("[data-do=take-pen]").wait_for(state="detached")
    Fingers(tab).settled()


def test_a_tab_that_has_lost_the_pen_signs_no_unsent_entry_again(house: Screens) -> None:
    page, tab, fingers = with_two_tabs(house, "FR3")
    held: list[Route] = []
    page.route("**/queue", lambda route: held.append(route))  # noqa: PLW0108 - a method of a list has no signature
    lay(fingers, 1, 2)  # the first one is on its way
    page.locator('.bar[data-pending="2"]').wait_for()
    page.evaluate(HOLD_SIGNATURES)
    page.evaluate("() => dispatchEvent(new Event('offline'))")
    page.locator(".offline").wait_for()
    take_pen(tab)
    page.evaluate(RELEASE)
    fingers.settled()  # its stakes were recorded by the other tab
    page.evaluate("() => tell()")
    page.locator("[data-do=take-pen]").wait_for()
    Fingers(tab).tap(chip=500)
    lay(Fingers(tab), 3)
    recorded(tab, 3)
    tab.wait_for_function(f"async () => !(await ({ENTRIES})()).length")
    assert stakes(house, "FR3") == [(1, False), (2, False), (3, False)]


def test_a_tap_of_a_tab_that_has_lost_the_pen_is_sent_by_the_other_one(house: Screens) -> None:
    page, tab, fingers = with_two_tabs(house, "FR4")
    take_pen(tab)
    page.evaluate(HOLD_SIGNATURES)
    lay(fingers, 1)
    page.locator('.bar[data-pending="1"]').wait_for()
    page.evaluate("() => tell()")
    page.locator("[data-do=take-pen]").wait_for()
    page.evaluate(RELEASE)
    recorded(tab, 1)
    assert stakes(house, "FR4") == [(1, False)]


def test_a_tap_stays_on_the_screen_while_the_pen_is_claimed_again(house: Screens) -> None:
    page, fingers = begun(house, "FR5")
    page.evaluate(WATCH_PENDING)
    page.evaluate(CLAIM)
    lay(fingers, 1)
    page.wait_for_function("() => globalThis.pending.at(-1) === '0'")
    assert stakes(house, "FR5") == [(1, False)]
    assert "0" not in page.evaluate("() => globalThis.pending.slice(0, -1)")
