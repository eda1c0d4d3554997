"""A disk of a table's screen that refuses writes, or only deletions.

A refused tap is taken back and can be tapped again. A stored tap is never lost or doubled.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.tables.table_screens import Fingers, Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# The disk refuses these calls of a store until `release` is called.
REFUSE = """([method, stores, isMark]) => {
  const { [method]: write } = IDBObjectStore.prototype;
  const full = () => { throw new DOMException("full", "QuotaExceededError"); };
  IDBObjectStore.prototype[method] = function (...what) {
    return stores.includes(this.name) && (!isMark || what[0].isAnswered) ? full() : write.apply(this, what);
  };
  const { release = () => {} } = globalThis;
  globalThis.release = () => { IDBObjectStore.prototype[method] = write; release(); };
}"""
RELEASE = "() => globalThis.release()"
# The browser closes the store, as after a fault of the disk.
CLOSE = """() => {
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (...what) {
    IDBDatabase.prototype.transaction = transaction;
    this.close();
    return this.transaction(...what);
  };
}"""
ROWS = """(store) => new Promise((done) => {
  const request = indexedDB.open("pitledger-table");
  request.onsuccess = () => {
    const rows = request.result.transaction(store).objectStore(store).getAllKeys();
    rows.onsuccess = () => { request.result.close(); done(rows.result); };
  };
})"""
ALERT, LINE = ".offline[role=alert]", ".offline[role=status]"


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as opened:
        yield opened


def stakes(house: Screens, table: str) -> list[int]:
    """The number of each stake in the store, in their order."""
    return [event.data.numbers[0] for event in house.night.events(table) if event.type == "bet.placed.v1"]


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


def gone(page: "Page", selector: str) -> None:
    page.locator(selector).wait_for(state="detached")


def empty(page: "Page") -> None:
    """Wait until no entry and no tap is on the disk."""
    for store in ("entries", "taps"):
        page.wait_for_function(f"async (store) => !(await ({ROWS})(store)).length", arg=store)


def reload(page: "Page", fingers: Fingers) -> list[str]:
    """Load the page again; the requests with entries that it sends."""
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/queue") else None)
    page.reload()
    page.locator(".rack").wait_for()
    gone(page, "[data-do=take-pen]")
    fingers.settled()
    fingers.tap(chip=500)
    return sent


def test_a_tap_that_the_disk_refused_is_taken_back_and_can_be_tapped_again(house: Screens) -> None:
    page, fingers = begun(house, "FR1")
    page.evaluate(REFUSE, ["add", ["taps"], False])
    lay(fingers, 17)
    page.locator(ALERT).wait_for()
    assert page.locator(".chips .chip").count() == 0
    assert page.evaluate(ROWS, "taps") == []
    page.evaluate(RELEASE)
    lay(fingers, 18)
    gone(page, ALERT)
    fingers.settled()
    reload(page, fingers)
    assert stakes(house, "FR1") == [18]


def test_a_store_that_the_browser_has_closed_is_opened_again(house: Screens) -> None:
    page, fingers = begun(house, "FR2")
    page.evaluate(CLOSE)
    lay(fingers, 17)
    page.locator(ALERT).wait_for()
    assert page.locator(".chips .chip").count() == 0
    lay(fingers, 18)
    gone(page, ALERT)
    fingers.settled()
    assert stakes(house, "FR2") == [18]


def test_a_stored_tap_waits_until_the_disk_takes_its_entry(house: Screens) -> None:
    page, fingers = begun(house, "FR3")
    page.evaluate(REFUSE, ["add", ["entries"], False])
    lay(fingers, 1, 2)
    page.locator(ALERT).wait_for()
    page.locator('.bar[data-pending="2"]').wait_for()
    assert len(page.evaluate(ROWS, "taps")) == 2
    assert stakes(house, "FR3") == []
    page.evaluate(RELEASE)
    gone(page, ALERT)
    fingers.settled()
    assert reload(page, fingers) == []
    assert stakes(house, "FR3") == [1, 2]


def test_a_disk_that_deletes_nothing_takes_taps_and_sends_no_answered_entry_again(house: Screens) -> None:
    page, fingers = begun(house, "FR4")
    page.evaluate(REFUSE, ["delete", ["entries", "taps"], False])
    lay(fingers, 1)
    page.locator(LINE).wait_for()
    lay(fingers, 2)
    fingers.settled()
    assert page.locator(ALERT).count() == 0
    assert len(page.evaluate(ROWS, "entries")) == len(page.evaluate(ROWS, "taps")) == 2
    page.context.set_offline(True)
    page.locator(".bar[data-state=offline]").wait_for()
    page.reload()
    page.locator(".bar[data-state=offline]").wait_for()
    gone(page, "[data-do=take-pen]")
    page.locator('.bar[data-pending="0"][data-queued="0"]').wait_for()
    page.context.set_offline(False)
    page.locator(".bar[data-state=live]").wait_for()
    assert reload(page, fingers) == []
    empty(page)
    lay(fingers, 3)
    fingers.settled()
    assert stakes(house, "FR4") == [1, 2, 3]


def test_answered_entries_are_deleted_once_the_disk_deletes_again(house: Screens) -> None:
    page, fingers = begun(house, "FR5")
    page.evaluate(REFUSE, ["delete", ["entries", "taps"], False])
    lay(fingers, 1)
    page.locator(LINE).wait_for()
    fingers.settled()
    page.evaluate(RELEASE)
    gone(page, LINE)
    empty(page)
    lay(fingers, 2)
    fingers.settled()
    assert stakes(house, "FR5") == [1, 2]


def test_an_answered_entry_that_the_disk_neither_deletes_nor_marks_is_sent_again_and_not_doubled(
    house: Screens,
) -> None:
    page, fingers = begun(house, "FR6")
    page.evaluate(REFUSE, ["delete", ["entries"], False])
    page.evaluate(REFUSE, ["put", ["entries"], True])
    lay(fingers, 1)
    page.locator(LINE).wait_for()
    fingers.settled()
    assert len(reload(page, fingers)) == 1
    empty(page)
    lay(fingers, 2)
    fingers.settled()
    assert stakes(house, "FR6") == [1, 2]
