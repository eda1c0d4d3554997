"""The queue of a table's screen: the network is cut, the page is reloaded, the tab and the house are killed.

The store has each tap once, in the order of the taps, and the browser keeps no badge.
"""

import os
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.tables.table_screens import Fingers, Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CUTS = int(os.environ.get("TABLE_CUTS", "8"))  # of the network; 200 in the long form
READ = """
const opened = (name) => new Promise((done) => {
  const request = indexedDB.open(name);
  request.onsuccess = () => done(request.result);
});
const rows = (database, store) => new Promise((done) => {
  const request = database.transaction(store).objectStore(store).getAll();
  request.onsuccess = () => done(request.result);
});"""
DATABASE_CONTENT = (
    """async () => {"""
    + READ
    + """
  const kept = [{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.body.innerHTML];
  for (const { name } of await indexedDB.databases()) {
    const database = await opened(name);
    for (const store of database.objectStoreNames) kept.push(name, await rows(database, store));
    database.close();
  }
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) kept.push(request.url, await (await cache.match(request)).text());
  }
  return JSON.stringify(kept);
}"""
)
EXPORT = (
    """async () => {"""
    + READ
    + """
  const database = await opened("pitledger-table");
  const device = (await rows(database, "device")).find((record) => record.keys);
  database.close();
  return crypto.subtle.exportKey("jwk", device.keys.privateKey).then(() => "exported", (error) => error.name);
}"""
)


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as open_screens:
        yield open_screens


def stakes(house: Screens, table: str) -> list[tuple[int, ...]]:
    """The numbers of the stakes in the store, in their order."""
    return [event.data.numbers for event in house.night.events(table) if event.type == "bet.placed.v1"]


def straight(fingers: Fingers, *numbers: int) -> list[tuple[int, ...]]:
    for number in numbers:
        fingers.tap(place=f"straight {number}")
    return [(number,) for number in numbers]


def waiting(page: "Page", count: int) -> None:
    page.locator(f'.bar[data-queued="{count}"]').wait_for()


def begun(house: Screens, table: str) -> tuple["Page", Fingers]:
    page = house.at_work(table)
    fingers = Fingers(page)
    fingers.tap(do="round.open")
    fingers.phase("open")
    fingers.tap(chip=500)
    return page, fingers


def test_without_signal_the_game_goes_on_and_nothing_is_lost_or_doubled(house: Screens) -> None:
    page, fingers = begun(house, "FR1")
    tapped = straight(fingers, 1, 2)
    fingers.settled()
    page.context.set_offline(True)
    page.locator(".offline").wait_for()
    tapped += straight(fingers, 3, 4, 5)
    waiting(page, 3)
    assert "3" in page.locator(".offline").inner_text()
    assert stakes(house, "FR1") == tapped[:2]
    page.reload()  # by the service worker: the house does not answer
    page.locator('[data-table="FR1"]').wait_for()
    waiting(page, 3)
    tapped += straight(fingers, 6)
    waiting(page, 4)
    fingers.tap(do="ball.launch")
    fingers.tap(do="bets.close")
    fingers.tap(do="ball.land", number=4)
    waiting(page, 7)
    page.context.set_offline(False)
    page.locator('[data-phase="settled"]').wait_for()
    fingers.settled()
    assert stakes(house, "FR1") == tapped
    queued = [event.type for event in house.night.events("FR1") if event.queued is True]
    assert queued.count("bet.placed.v1") == 4
    assert "ball.landed.v1" in queued


def test_a_killed_tab_and_a_killed_house_lose_and_double_nothing(house: Screens) -> None:
    page, fingers = begun(house, "FR2")
    tapped = straight(fingers, 1, 2, 3)
    page.context.new_page()
    page.close(run_before_unload=False)  # in the middle of sending
    again = page.context.new_page()
    again.goto(f"{house.url}/table/FR2")
    fingers = Fingers(again)
    fingers.settled()
    again.locator("[data-do=chip]").first.wait_for()
    fingers.tap(chip=500)
    house.door.kill()
    tapped += straight(fingers, 7, 8)
    again.locator(".offline").wait_for()
    tapped += straight(fingers, 9)
    house.door.start()
    again.locator('.bar[data-state="live"]').wait_for()
    fingers.settled()
    assert stakes(house, "FR2") == tapped


def test_the_browser_keeps_no_badge_and_gives_no_key_away(house: Screens) -> None:
    page = house.paired("FR3")
    badge = house.night.badge("dora")
    page.locator("[name=badge]").press_sequentially(badge)
    page.keyboard.press("Enter")
    page.locator(".people [data-role=dealer]").wait_for()
    Fingers(page).tap(do="round.open")
    Fingers(page).phase("open")
    page.wait_for_function("navigator.serviceWorker.controller !== null")
    database = page.evaluate(DATABASE_CONTENT)
    assert "pitledger-table" in database
    assert badge not in database
    assert page.evaluate(EXPORT) == "InvalidAccessError"


def test_two_devices_follow_the_stream_and_two_tabs_share_one_pen(house: Screens) -> None:
    page, fingers = begun(house, "FR4")
    other = house.paired("FR4")
    house.come(other, "inspector", "ines")
    straight(fingers, 17)
    fingers.settled()
    other.locator(".chips .chip:not(.pending)").wait_for()
    tab = page.context.new_page()
    tab.goto(f"{house.url}/table/FR4")
    tab.locator("[data-do=take-pen]").wait_for()
    tab.locator("[data-do=take-pen]").tap()
    page.locator("[data-do=take-pen]").wait_for()
    Fingers(tab).tap(chip=500)
    straight(Fingers(tab), 18)
    Fingers(tab).settled()
    assert stakes(house, "FR4") == [(17,), (18,)]


def test_cuts_and_reloads_at_random_moments_lose_and_double_nothing(house: Screens) -> None:
    """`TABLE_CUTS=200` is the long form."""
    page, fingers = begun(house, "FR6")
    chance = random.Random(7)
    tapped: list[tuple[int, ...]] = []
    for cut in range(CUTS):
        page.context.set_offline(chance.random() < 0.5)
        tapped += straight(fingers, 1 + cut % 36)
        if chance.random() < 0.3:
            page.reload()
            page.locator(".rack").wait_for()
            page.locator("[data-do=take-pen]").wait_for(state="detached")
            fingers.tap(chip=500)
        page.wait_for_timeout(chance.randrange(200))
    page.context.set_offline(False)
    page.locator('.bar[data-state="live"]').wait_for()
    fingers.settled()
    assert stakes(house, "FR6") == tapped


def test_another_device_follows_by_the_stream_and_asks_once(house: Screens) -> None:
    _page, fingers = begun(house, "FR7")
    paths: list[str] = []
    other = house.paired("FR7")
    other.on("request", lambda request: paths.append(request.url.rpartition("/")[2]))
    house.come(other, "inspector", "ines")
    other.locator('[data-phase="open"]').wait_for()
    other.wait_for_timeout(1_000)  # for the first position of the stream
    paths.clear()
    tapped = straight(fingers, 7)
    other.locator(".chip[data-bet]").first.wait_for()
    assert stakes(house, "FR7") == tapped
    assert paths in (["state"], ["state"] * 2)  # the page also looks once every 30 s
