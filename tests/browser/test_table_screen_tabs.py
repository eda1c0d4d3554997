"""Three tabs of one device, of which one may record: none loses or doubles a tap, whichever takes the pen when."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.tables.table_screens import Fingers, Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

# A tab that loses the pen learns it only when `tell` is called. The end of its next transaction on all stores, which
# `hold` names, reaches it only when `release` is called.
LATE = """
const { request } = LockManager.prototype;
const lossReported = new Promise((done) => { globalThis.tell = done; });
LockManager.prototype.request = function (...what) {
  return request.apply(this, what).catch(async (error) => { await lossReported; throw error; });
};
let held = null;
globalThis.hold = (end) => { held = end; };
for (const end of ["oncomplete", "onabort"]) {
  const { set } = Object.getOwnPropertyDescriptor(IDBTransaction.prototype, end);
  Object.defineProperty(IDBTransaction.prototype, end, { set(listener) {
    set.call(this, (event) => {
      if (held !== end || this.objectStoreNames.length < 3) return listener.call(this, event);
      held = null;
      globalThis.release = () => listener.call(this, event);
    });
  } });
}"""
IS_HELD = "() => Boolean(globalThis.release)"
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
# The disk refuses to change the device's record until `release` is called.
REFUSE = """() => {
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (...what) {
    if (this.name === "device" && what[0].pen) throw new DOMException("full", "QuotaExceededError");
    return put.apply(this, what);
  };
  globalThis.release = () => { IDBObjectStore.prototype.put = put; };
}"""
# Numbers of the entries and taps on the device.
LEFT = """() => new Promise((done) => {
  const request = indexedDB.open("pitledger-table");
  request.onsuccess = () => {
    const stores = ["entries", "taps"];
    const transaction = request.result.transaction(stores);
    const rows = stores.map((store) => transaction.objectStore(store).getAllKeys());
    transaction.oncomplete = () => { request.result.close(); done(rows.flatMap(({ result }) => result)); };
  };
})"""


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as opened:
        yield opened


def stakes(house: Screens, table: str) -> list[int]:
    """Number of each stake in the store, in their order."""
    return [event.data.numbers[0] for event in house.night.events(table) if event.type == "bet.placed.v1"]


def lay(page: "Page", number: int) -> None:
    """Stake on a number, and wait until the screen shows it with all those before, recorded."""
    Fingers(page).tap(place=f"straight {number}")
    wait_for_stakes(page, number)


def wait_for_stakes(page: "Page", count: int) -> None:
    """Wait until the screen shows this many stakes, all of them recorded, and nothing is pending."""
    page.wait_for_function("n => document.querySelectorAll('.chips .chip:not(.pending)').length === n", arg=count)
    Fingers(page).settled()
    assert page.locator(".chips .chip").count() == count


def another(page: "Page", script: str = "") -> "Page":
    """Return a tab of the same device, without the pen."""
    tab = page.context.new_page()
    tab.add_init_script(script)
    tab.goto(page.url)
    tab.locator("[data-do=take-pen]").wait_for()
    return tab


def take_pen(tab: "Page") -> None:
    tab.locator("[data-do=take-pen]").tap()
    tab.locator("[data-do=take-pen]").wait_for(state="detached")
    Fingers(tab).tap(chip=500)


@pytest.mark.parametrize(
    ("table", "end", "is_loss_reported_first"),
    [
        ("FR1", "onabort", False),
        ("FR2", "oncomplete", False),
        ("FR3", "onabort", True),
        ("FR4", "oncomplete", True),
    ],
)
def test_a_third_tab_takes_the_pen_while_the_second_claims_it_again(
    house: Screens, table: str, end: str, is_loss_reported_first: bool
) -> None:
    """`onabort`: before the second tab's claim; `oncomplete`: between its claim and what follows."""
    first = house.at_work(table)
    fingers = Fingers(first)
    fingers.tap(do="round.open")
    fingers.phase("open")
    fingers.tap(chip=500)
    lay(first, 1)
    second, third = another(first, LATE), another(first)
    take_pen(second)
    lay(second, 2)
    first.evaluate(CLAIM)
    second.evaluate("end => hold(end)", end)
    Fingers(second).tap(place="straight 3")
    second.wait_for_function(IS_HELD)
    assert second.locator(".bar").get_attribute("data-pending") == "1"
    take_pen(third)
    lay(third, 4)
    if is_loss_reported_first:
        second.evaluate("() => tell()")
        second.locator("[data-do=take-pen]").wait_for()
        second.evaluate("() => release()")
        lay(third, 5)
    else:
        second.evaluate("() => release()")
        lay(second, 5)
        lay(third, 6)
        lay(second, 7)
        second.evaluate("() => tell()")
        second.locator("[data-do=take-pen]").wait_for()
        lay(third, 8)
    tabs, last = (first, second, third), 5 if is_loss_reported_first else 8
    for tab in tabs:
        wait_for_stakes(tab, last)
    assert [tab.locator("[data-do=take-pen]").count() for tab in tabs] == [1, 1, 0]
    take_pen(first)
    lay(first, last + 1)
    assert stakes(house, table) == list(range(1, last + 2))
    first.wait_for_function(f"async () => !(await ({LEFT})()).length")


def test_a_tab_without_the_pen_waits_for_no_entry_of_another_tab(house: Screens) -> None:
    first = house.at_work("FR5")
    fingers = Fingers(first)
    fingers.tap(do="round.open")
    fingers.phase("open")
    fingers.tap(chip=500)
    held: list[Route] = []
    first.route("**/queue", lambda route: held.append(route))  # noqa: PLW0108 - a method of a list has no signature
    fingers.tap(place="straight 1")  # it is on its way, and no answer comes
    fingers.tap(place="straight 2")
    first.locator('.bar[data-pending="2"]').wait_for()
    second = another(first)
    wait_for_stakes(second, 0)
    take_pen(second)
    first.locator("[data-do=take-pen]").wait_for()
    for tab in (first, second):
        wait_for_stakes(tab, 2)
    for route in held:
        route.abort()
    first.unroute("**/queue")
    first.context.set_offline(True)
    for tab in (first, second):
        tab.locator('.bar[data-state="offline"]').wait_for()
    Fingers(second).tap(place="straight 3")
    second.locator('.bar[data-queued="1"]').wait_for()
    wait_for_stakes(first, 2)
    first.context.set_offline(False)
    for tab in (first, second):
        tab.locator('.bar[data-state="live"]').wait_for()
        wait_for_stakes(tab, 3)
    assert stakes(house, "FR5") == [1, 2, 3]


def test_a_pen_that_the_disk_did_not_count_is_counted_before_the_next_entry(house: Screens) -> None:
    first = house.at_work("FR6")
    first.add_init_script(LATE)
    first.reload()
    first.locator("[data-do=take-pen]").wait_for(state="detached")
    fingers = Fingers(first)
    fingers.tap(do="round.open")
    fingers.phase("open")
    fingers.tap(chip=500)
    lay(first, 1)
    second = another(first)
    second.evaluate(REFUSE)
    take_pen(second)
    Fingers(second).tap(place="straight 2")
    second.locator(".offline[role=alert]").wait_for()
    second.evaluate("() => release()")
    wait_for_stakes(second, 2)
    lay(first, 3)
    lay(second, 4)
    first.evaluate("() => tell()")
    first.locator("[data-do=take-pen]").wait_for()
    wait_for_stakes(first, 4)
    assert stakes(house, "FR6") == [1, 2, 3, 4]
