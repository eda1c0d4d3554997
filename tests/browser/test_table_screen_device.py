"""The table screen and its device: the badge by NFC, the lock, the left-handed layout and the calculator.

Also a new version of the page in the middle of a round, and a relief while the tablet is offline.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.houses.small_house import House
from tests.support.pages.browser import violations
from tests.support.tables.robot_dealer import RobotDealer
from tests.support.tables.table_screens import PHONE, TABLET, Fingers, Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

# A reader as Chrome for Android has it: `holdCard` is a card with a text record held to the tablet.
READER = """
globalThis.NDEFReader = class {
  async scan({ signal }) {
    globalThis.holdCard = (text) => signal.aborted || this.onreading({ message: { records: [
      { recordType: "url", data: new TextEncoder().encode("https://example.test") },
      { recordType: "text", encoding: "utf-8", data: new TextEncoder().encode(text) }] } });
  }
};"""
# A browser with a wake lock: `locks` are those that it has given; it refuses while `refuses` is true.
WAKE_LOCK = """
globalThis.locks = [];
globalThis.seen = "visible";
globalThis.refuses = true;
Object.defineProperty(document, "visibilityState", { get: () => seen });
Object.defineProperty(navigator, "wakeLock", { value: { request: async (kind) => {
  if (refuses || seen !== "visible") throw new DOMException("no", "NotAllowedError");
  const lock = Object.assign(new EventTarget(), { kind, released: false });
  locks.push(lock);
  return lock;
} } });
globalThis.look = (state) => {
  seen = state;
  if (state === "hidden") for (const lock of locks) {
    lock.released = true;
    lock.dispatchEvent(new Event("release"));
  }
  document.dispatchEvent(new Event("visibilitychange"));
};"""
# The page module of the house's processes, with a mark behind the version of the screen's files.
NEW_VERSION = """
import importlib.abc, importlib.util, pathlib, sys

MARK = pathlib.Path(__file__).with_name("mark")

class Marked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != "backoffice.table_screen.page":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            version = module.version
            module.version = lambda: version() + MARK.read_text()

        spec.loader.exec_module = exec_module
        return spec

sys.meta_path.insert(0, Marked())
"""
QUICK = "const every = setInterval; globalThis.setInterval = (work, wait) => every(work, wait / 15);"
LATER = "() => { const now = Date.now; Date.now = () => now() + 12 * 60_000; }"
WAITING = """async () => {
  const registration = await navigator.serviceWorker.getRegistration("/table/");
  const { installing } = registration;
  if (installing) await new Promise((done) => installing.addEventListener("statechange", done));
  return Boolean(registration.waiting);
}"""
UPDATE = "async () => { await (await navigator.serviceWorker.getRegistration('/table/')).update(); }"
VERSIONS = "async () => (await caches.keys()).filter((name) => name.endsWith('-new'))"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    (folder / "sitecustomize.py").write_text(NEW_VERSION)
    (folder / "mark").write_text("")
    return folder


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker, packages: Path) -> Iterator[Screens]:
    with screens(django_db_blocker, browser, packages) as open_screens:
        open_screens.night.do(_second_dealer)
        yield open_screens


def _second_dealer(house: House) -> None:
    house.grant("dina", "dealer")


def stakes(house: Screens, table: str) -> list[tuple[str, int]]:
    """Actor and number of each stake in the store."""
    events = house.night.events(table)
    return [(event.actor, event.data.numbers[0]) for event in events if event.type == "bet.placed.v1"]


def test_a_badge_held_to_the_tablet_lets_a_person_come(house: Screens) -> None:
    page = house.device().new_page()
    page.add_init_script(READER)
    secret = house.night.code("FR1")
    page.goto(f"{house.url}/table/FR1#{secret}")
    page.locator("[data-digits]").wait_for()
    house.night.confirm(secret)
    page.locator("[data-field=badge]").wait_for()
    page.wait_for_function("() => globalThis.holdCard")
    page.evaluate("(badge) => holdCard(badge)", "no such badge")
    page.locator("[role=alert]").wait_for()
    page.evaluate("(badge) => holdCard(badge)", house.night.badge("dora"))
    page.locator(".people [data-role=dealer]").wait_for()
    Fingers(page).tap(do="round.open")
    Fingers(page).phase("open")
    assert page.locator("[data-field=badge]").count() == 0


def test_the_screen_locks_by_itself_but_not_in_a_round(house: Screens) -> None:
    page = house.paired("FR2")
    page.add_init_script(QUICK)
    page.reload()
    page.locator("[data-field=badge]").wait_for()
    for role, person in (("dealer", "dora"), ("inspector", "ines")):
        house.come(page, role, person)
    fingers = Fingers(page)
    fingers.tap(do="round.open")
    fingers.phase("open")
    page.evaluate(LATER)
    page.wait_for_timeout(2_500)
    assert page.locator(".people [data-role=dealer]").count() == 1
    fingers.tap(do="ball.launch")
    fingers.tap(do="bets.close")
    fingers.tap(do="ball.land", number=4)
    fingers.tap(do="round.end")
    fingers.phase("idle")
    page.evaluate(LATER)
    page.locator("[data-field=badge]").wait_for()
    page.reload()
    page.locator("[data-field=badge]").wait_for()
    assert page.locator(".people [data-role]").count() == 0


@pytest.mark.parametrize("size", [TABLET, PHONE])
def test_the_left_hand_has_its_mirrored_layout(house: Screens, size: tuple[int, int]) -> None:
    page = house.at_work("FR3", size)
    robot = RobotDealer(page)

    def left_of(selector: str) -> float:
        box = page.locator(selector).bounding_box()
        assert box is not None
        return box["x"]

    is_wide = left_of(".side") != left_of(".felt")
    robot.tap(do="menu")
    robot.tap(do="hand")
    robot.tap(do="close")
    for _again in range(2):
        assert page.evaluate("document.documentElement.dataset.hand") == "left"
        assert not is_wide or left_of(".side") < left_of(".felt")
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert violations(page) == []
        page.reload()
        page.locator(".people [data-role=dealer]").wait_for()


def test_the_calculator_says_what_a_stake_wins_by_chips(house: Screens) -> None:
    robot = RobotDealer(house.at_work("FR4"))
    robot.tap(do="menu")
    robot.tap(do="calculator")
    robot.keys(12_500)
    robot.page.locator("[data-field=to]").fill("7")
    robot.page.locator("[data-field=for]").fill("5")
    result = robot.page.locator(".result")
    assert "175" in result.inner_text()
    assert "7 × 25" in result.inner_text()
    robot.tap(do="close")


def test_a_new_version_waits_for_the_end_of_the_round_and_keeps_the_queue(house: Screens, packages: Path) -> None:
    page = house.at_work("FR5")
    page.wait_for_function("navigator.serviceWorker.controller !== null")
    fingers = Fingers(page)
    fingers.tap(do="round.open")
    fingers.phase("open")
    fingers.tap(chip=500)
    (packages / "mark").write_text("-new")
    page.evaluate(UPDATE)
    assert page.evaluate(WAITING)
    page.evaluate("globalThis.isSamePage = true")
    page.context.set_offline(True)
    page.locator(".offline").wait_for()
    for number in (1, 2, 3):
        fingers.tap(place=f"straight {number}")
    page.locator('.bar[data-queued="3"]').wait_for()
    page.context.set_offline(False)
    page.locator('.bar[data-state="live"]').wait_for()
    fingers.settled()
    assert page.evaluate("globalThis.isSamePage")  # in the middle of a round the page stays
    fingers.tap(do="ball.launch")
    fingers.tap(do="bets.close")
    fingers.tap(do="ball.land", number=36)
    fingers.tap(do="round.end")
    page.wait_for_function("() => !globalThis.isSamePage && document.querySelector('.people [data-role=dealer]')")
    assert page.evaluate(VERSIONS)
    fingers.tap(do="round.open")
    fingers.phase("open")
    fingers.tap(chip=500)
    fingers.tap(place="straight 4")
    fingers.settled()
    assert [number for _actor, number in stakes(house, "FR5")] == [1, 2, 3, 4]


def test_a_relief_without_signal_waits_for_its_badge(house: Screens) -> None:
    page = house.at_work("FR6")
    fingers = Fingers(page)
    fingers.tap(do="round.open")
    fingers.phase("open")
    fingers.tap(chip=500)
    fingers.tap(place="straight 1")
    fingers.settled()
    page.context.set_offline(True)
    page.locator(".offline").wait_for()
    fingers.tap(do="badge")
    page.locator(".badge [data-role=dealer]").tap()
    fingers.tap(do="relief-offline")
    fingers.tap(place="straight 2")
    page.locator('.bar[data-queued="1"]').wait_for()
    page.reload()
    page.locator('.bar[data-queued="1"]').wait_for()
    page.locator("[data-do=take-pen]").wait_for(state="detached")
    fingers.tap(chip=500)
    fingers.tap(place="straight 3")
    page.locator('.bar[data-queued="2"]').wait_for()
    page.context.set_offline(False)
    page.locator('.bar[data-state="live"]').wait_for()
    fingers.settled()
    assert stakes(house, "FR6") == [("dora", 1)]
    fingers.tap(do="badge")
    page.locator(".badge [data-role=dealer]").tap()
    page.locator("[data-field=badge]").press_sequentially(house.night.badge("dina"))
    page.keyboard.press("Enter")
    page.locator("[data-field=badge]").wait_for(state="detached")
    fingers.tap(place="straight 4")
    fingers.settled()
    assert stakes(house, "FR6") == [("dora", 1), ("dina", 2), ("dina", 3), ("dina", 4)]


def test_an_inspector_decides_at_the_tablet_on_what_waits(house: Screens) -> None:
    page = house.at_work("FR7")
    fingers = Fingers(page)
    fingers.tap(do="round.open")
    fingers.phase("open")
    page.context.set_offline(True)
    page.locator(".offline").wait_for()
    fingers.tap(do="badge")
    page.locator(".badge [data-role=dealer]").tap()
    fingers.tap(do="relief-offline")
    fingers.tap(chip=500)
    for number in (1, 2):
        fingers.tap(place=f"straight {number}")
    page.locator('.bar[data-queued="2"]').wait_for()
    page.context.set_offline(False)
    page.locator('.bar[data-state="live"]').wait_for()
    fingers.settled()
    fingers.tap(do="notices")
    page.locator("[data-do='device.accept_entry']").first.wait_for()
    assert violations(page) == []
    entry = page.locator("[data-do='device.accept_entry']").first.get_attribute("data-entry")
    fingers.tap(do="device.reject_entry", entry=entry)
    page.locator(".toast").wait_for()  # without a reason nothing is rejected
    fingers.tap(do="device.accept_entry", entry=entry)
    page.locator(f"[data-do='device.accept_entry'][data-entry='{entry}']").wait_for(state="detached")
    page.locator("[data-field=reason]").fill("never happened")
    fingers.tap(do="device.reject_entry")
    page.locator("[data-do='device.reject_entry']").wait_for(state="detached")
    assert stakes(house, "FR7") == [("ines", 1)]


def test_a_player_s_colour_has_a_value_and_is_staked_at_it(house: Screens) -> None:
    robot = RobotDealer(house.at_work("FR4"))
    if robot.phase_now == "idle":
        robot.step("round.open")
    robot.step("colour.set", {"colour": 5, "value_minor": 1_500, "seat": 4, "player": "g-4"})
    robot.tap(do="player", seat=4)
    assert robot.page.locator(".rack [data-chip='1500'][aria-pressed=true]").count() == 1
    before = len(house.night.events("FR4"))
    robot.tap(place="straight 20")
    robot.settled()
    placed = next(event.data for event in house.night.events("FR4")[before:] if event.type == "bet.placed.v1")
    assert (placed.player, placed.amount_minor) == ("g-4", 1_500)
    assert violations(robot.page) == []


def test_a_pairing_whose_answers_are_lost_shows_its_digits_all_the_same(house: Screens) -> None:
    """The house takes the requests; the answers to the first of each kind do not come, or say that it is busy."""
    page = house.device().new_page()
    lost: list[str] = []

    def answer(route: "Route") -> None:
        path = route.request.url.rpartition("/table/")[2].partition("/")[0]
        if route.request.method == "POST" and lost.count(path) < 2:
            lost.append(path)
            if lost.count(path) == 1:
                route.fetch()
                return route.abort()
            return route.fulfill(status=503, json={"status": 503, "title": "Busy"})
        return route.continue_()

    page.route("**/table/pair", answer)
    page.route("**/table/pairings/*", answer)
    secret = house.night.code("FR1")
    page.goto(f"{house.url}/table/FR1#{secret}")
    page.locator("[data-digits]").wait_for()
    assert lost == ["pair", "pair", "pairings", "pairings"]
    house.night.confirm(secret)
    page.locator("[name=badge]").wait_for()


def test_a_lost_signal_while_the_tablet_waits_for_its_pairing_stops_no_tap(house: Screens) -> None:
    page = house.device().new_page()
    secret = house.night.code("FR2")
    page.goto(f"{house.url}/table/FR2#{secret}")
    page.locator("[data-digits]").wait_for()
    page.context.set_offline(True)
    page.wait_for_function("() => !navigator.onLine")
    page.context.set_offline(False)
    page.wait_for_timeout(1_200)  # the screen asks the house again after half a second without signal
    assert page.locator("[data-digits]").count()
    house.night.confirm(secret)
    page.locator("[name=badge]").wait_for()
    house.come(page, "dealer", "dora")
    assert page.locator("[role=alert].offline").count() == 0
    fingers = Fingers(page)
    fingers.tap(do="round.open")
    fingers.phase("open")
    assert [event.type for event in house.night.events("FR2")][-1] == "round.opened.v1"


def test_a_browser_that_refuses_persistent_storage_is_named(house: Screens) -> None:
    page = house.at_work("FR5")
    page.add_init_script("navigator.storage.persisted = navigator.storage.persist = async () => false;")
    page.reload()
    page.locator(".toast").wait_for()
    assert "refused persistent storage" in page.locator(".toast").inner_text()
    Fingers(page).tap(do="dismiss")
    Fingers(page).tap(do="menu")
    assert "refused by the browser" in page.locator(".facts").inner_text()


def test_a_long_press_takes_the_last_chip_back(house: Screens) -> None:
    robot = RobotDealer(house.at_work("FR7"))
    if robot.phase_now == "idle":
        robot.step("round.open")
    for number in (11, 12):
        robot.stake(f"straight {number}", 500, player_seat=1)
    robot.take_back("straight 12")
    types = [event.type for event in house.night.events("FR7")]
    assert types.count("bet.withdrawn.v1") == 1


def test_the_screen_stays_on_while_it_is_seen(house: Screens) -> None:
    page = house.at_work("FR1")
    page.add_init_script(WAKE_LOCK)
    page.reload()
    fingers = Fingers(page)
    held = "locks.filter((lock) => lock.kind === 'screen' && !lock.released).length"

    def awake() -> str:
        """The fact of the menu."""
        fingers.tap(do="menu")
        fact = page.locator(".facts div", has=page.get_by_text("Screen stays on")).locator("dd").inner_text()
        fingers.tap(do="close")
        return str(fact)

    assert (awake(), page.evaluate(held)) == ("no", 0)
    page.evaluate("() => { refuses = false; }")
    page.locator(".bar .name").tap()  # a browser may want a tap first
    page.wait_for_function(f"() => {held} === 1")
    assert awake() == "yes"
    page.evaluate("look('hidden')")
    assert (awake(), page.evaluate(held)) == ("no", 0)
    page.evaluate("look('visible')")
    page.wait_for_function(f"() => {held} === 1")
    assert (awake(), page.evaluate("locks.length")) == ("yes", 2)
