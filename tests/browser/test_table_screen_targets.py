"""Targets of the table screen: every place and button is large enough for a finger, at every size and for each game."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.cases_at_tables.tables import TABLES, open_tables
from tests.support.tables.robot_dealer import RobotDealer
from tests.support.tables.table_screens import PHONE, SMALL_TABLET, STANDING, TABLET, Fingers, Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect, Page

SIZES = (TABLET, SMALL_TABLET, STANDING, (768, 1024), PHONE, (844, 390))
# Elements that are smaller than a finger, places of the cloth too: 48 pixels, 56 for chips and cards.
SMALL = """() => [...document.querySelectorAll("[data-do]")].filter((element) => {
  const at = element.getBoundingClientRect();
  const least = element.dataset.do === "chip" || element.dataset.card ? 56 : 48;
  return at.width && (at.width < least - 0.5 || at.height < least - 0.5);
}).map((element) => element.outerHTML.slice(0, 160))"""
# Names of places whose middle is nearer than 48 pixels to another, and of those that a tap on their middle misses.
CLOSE = """() => {
  const middles = [...document.querySelectorAll(".place")].map((place) => {
    const at = place.getBoundingClientRect();
    return [place.dataset.place, at.x + at.width / 2, at.y + at.height / 2, place.closest("svg")];
  });
  return middles.filter(([name, x, y, svg], number) => middles.some(([other, left, top, cloth], place) =>
    place > number && cloth === svg && Math.max(Math.abs(x - left), Math.abs(y - top)) < 48)).map(([name]) => name);
}"""
# Buttons that lie over one another, as far as their row shows them; sheets cover what is below them.
COVERED = """() => {
  const buttons = [...document.querySelectorAll(".bar button, .steps button, .dock button")];
  const seen = (button) => {
    const at = button.getBoundingClientRect(), row = button.closest(".small-steps")?.getBoundingClientRect() ?? at;
    const left = Math.max(at.left, row.left), right = Math.min(at.right, row.right);
    return { left, right, top: at.top, bottom: at.bottom, width: right - left };
  };
  const boxes = buttons.map(seen).filter((at) => at.width > 0);
  return boxes.filter((a, number) => boxes.some((b, place) => place > number &&
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)).length;
}"""

# Labels of the steps of the hand in turn that are cut.
CUT = """() => [...document.querySelectorAll(".large-steps .act, .turn-steps .act")].filter((step) =>
  step.scrollWidth > step.clientWidth || step.scrollHeight > step.clientHeight).map((step) => step.textContent)"""
# Height of the cloth, and where the small steps begin, which nobody has scrolled.
STRIPS = """() => {
  const strip = document.querySelector(".small-steps");
  return [document.querySelector(".felt").clientHeight, strip.getBoundingClientRect().y, strip.scrollLeft];
}"""


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as opened:
        open_tables(opened)
        yield opened


def resize(page: "Page", size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def measure(page: "Page", size: tuple[int, int]) -> list[str]:
    """The targets that are too small, too near or covered at a size, with the enlarged cloth where one is drawn."""
    resize(page, size)
    wrong = [f"{size}: covered"] if page.evaluate(COVERED) else []
    wrong += [f"{size}: {label} is cut" for label in page.evaluate(CUT)]
    enlarge = page.locator("[data-do=enlarge]")
    if enlarge.count():
        enlarge.tap()
        resize(page, size)
    wrong += [f"{size}: {element}" for element in page.evaluate(SMALL)]
    if enlarge.count():
        wrong += [f"{size}: {place} is too near" for place in page.evaluate(CLOSE)]
        enlarge.tap()
    wrong += (
        [f"{size}: wider than the screen"] if page.evaluate("document.documentElement.scrollWidth") > size[0] else []
    )
    return wrong


@pytest.mark.parametrize("ruleset", ["roulette-american", "baccarat", "blackjack-trilux", "craps-gr", "craps-by"])
def test_every_target_is_large_enough_for_a_finger(house: Screens, ruleset: str) -> None:
    page = house.at_work(TABLES[ruleset])
    robot = RobotDealer(page)
    robot.step("round.open")
    wrong = [text for size in SIZES for text in measure(page, size)]
    robot.tap(do="menu")
    Fingers(page).tap(do="hand")
    robot.tap(do="close")
    wrong += [text for size in (TABLET, PHONE) for text in measure(page, size)]
    assert wrong == []


@pytest.mark.parametrize("size", [SMALL_TABLET, PHONE])
def test_a_tap_on_an_enlarged_cloth_bets_on_the_place_below_the_finger(house: Screens, size: tuple[int, int]) -> None:
    page = house.at_work("FR2", size)
    robot = RobotDealer(page)
    if robot.phase_now != "open":
        robot.step("round.open")
    before = set(robot.bets())
    robot.tap(do="enlarge")
    places = ("split 0-1", "corner 13-14-16-17", "street 25-26-27", "line 31-32-33-34-35-36", "straight 20")
    for place in places:
        robot.stake(place, 500)
    events = [event.data for event in house.night.events("FR2") if event.type == "bet.placed.v1"]
    laid = [f"{bet.wager} {'-'.join(map(str, bet.numbers))}" for bet in events if bet.bet not in before]
    assert laid[-len(places) :] == list(places)


def test_a_phone_shows_all_steps_of_the_hand_in_turn(house: Screens) -> None:
    page = house.at_work("BJ1", PHONE)
    robot = RobotDealer(page)
    robot.step("round.open")
    robot.stake("main", 2_500, seat=1)
    robot.step("bets.close")
    for card in ("8C", "6H", "8D"):
        before = page.evaluate(STRIPS)
        robot.answer(f".dock-pad [data-card='{card}']")
    robot.step("deal.complete")
    page.locator(".turn-steps").wait_for()
    assert page.evaluate(STRIPS) == before
    sizes = (PHONE, (360, 740))
    assert [text for size in sizes for text in out_of_reach(page, size)] == []
    for language in ("el", "tr", "ru"):
        other = house.at_work("BJ1", PHONE, extra_http_headers={"Accept-Language": language})
        other.locator(".turn-steps", has_not_text="Double").wait_for()
        assert [text for size in sizes for text in out_of_reach(other, size)] == [], language
        other.close()
    robot.tap_at(".turn-steps [data-do='hand.split']")
    robot.settled()
    assert "hand.split.v1" in [event.type for event in house.night.events("BJ1")]


def out_of_reach(page: "Page", size: tuple[int, int]) -> list[str]:
    """The steps of the hand that are not wholly on the screen, too small or covered."""
    resize(page, size)
    large, turn = ".large-steps [data-do='hand.stand']", ".turn-steps [data-do='hand.{}']"
    steps = {step: page.locator(step).bounding_box() for step in (large, turn.format("double"), turn.format("split"))}
    wrong = [f"{size}: covered"] if page.evaluate(COVERED) else []
    return wrong + [f"{size}: {step}" for step, at in steps.items() if at is None or not is_whole(at, size)]


def is_whole(at: "FloatRect", size: tuple[int, int]) -> bool:
    is_inside = at["x"] >= 0 <= at["y"] and at["x"] + at["width"] <= size[0] and at["y"] + at["height"] <= size[1]
    return is_inside and min(at["width"], at["height"]) >= 48
