"""The table screen by keys only: every place can be reached, seen and staked on."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.tables.robot_dealer import RobotDealer
from tests.support.tables.table_screens import PHONE, TABLET, Fingers, Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

# The places that no sequence of arrow keys reaches from the place that the Tab key comes to.
UNREACHED = """() => [...document.querySelectorAll(".places")].flatMap((cloth) => {
  const places = [...cloth.querySelectorAll(".place")];
  const reached = new Set(places.filter((place) => place.tabIndex === 0));
  for (const place of reached) for (const way of ["Left", "Right", "Up", "Down"]) {
    place.focus();
    place.dispatchEvent(new KeyboardEvent("keydown", { key: `Arrow${way}`, bubbles: true, cancelable: true }));
    if (places.includes(document.activeElement)) reached.add(document.activeElement);
  }
  return places.filter((place) => !reached.has(place)).map((place) => place.getAttribute("aria-label"));
})"""
# Whether the focused element has an outline of two pixels at least, inside the window.
SEEN = """() => {
  const style = getComputedStyle(document.activeElement), at = document.activeElement.getBoundingClientRect();
  const outline = style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth);
  const stroke = style.stroke === "none" ? 0 : parseFloat(style.strokeWidth);
  const isInside = at.left >= -1 && at.top >= -1 && at.right <= innerWidth + 1 && at.bottom <= innerHeight + 1;
  return isInside && Math.max(outline, stroke) >= 2;
}"""
FIRST = """() => {
  const { place, seat } = document.querySelector(".place[tabindex='0']").dataset;
  return [place, Number(seat ?? 0)];
}"""
FOCUSED = "() => { const { place, seat } = document.activeElement.dataset; return [place, Number(seat ?? 0)]; }"


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as opened:
        yield opened


def opened_round(house: Screens, table: str, size: tuple[int, int] = TABLET) -> RobotDealer:
    robot = RobotDealer(house.at_work(table, size))
    if robot.phase_now == "idle":
        robot.step("round.open")
    robot.choose_chip(2_500)
    return robot


def stakes(house: Screens, table: str) -> list[tuple[str, int]]:
    """Wager and seat or box of each stake in the store."""
    placed = [event.data for event in house.night.events(table) if event.type == "bet.placed.v1"]
    return [(bet.wager, bet.box or bet.seat or 0) for bet in placed]


def tab_to(page: "Page", place: str, seat: int = 0) -> None:
    """Press the Tab key until a place has the focus."""
    page.locator("body").press("Tab")
    for _ in range(200):
        if page.evaluate(FOCUSED) == [place, seat]:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not reach {place}")


@pytest.mark.parametrize("table", ["FR1", "CR1"])
@pytest.mark.parametrize("size", [TABLET, PHONE])
def test_arrow_keys_reach_every_place_of_a_cloth(house: Screens, table: str, size: tuple[int, int]) -> None:
    page = opened_round(house, table, size).page
    assert page.locator(".place").count() > 30
    assert page.evaluate(UNREACHED) == []


@pytest.mark.parametrize("size", [TABLET, PHONE])
def test_enter_stakes_at_the_focused_place_and_delete_takes_back(house: Screens, size: tuple[int, int]) -> None:
    robot = opened_round(house, "FR2", size)
    page = robot.page
    first, seat = page.evaluate(FIRST)
    tab_to(page, first, seat)
    assert page.evaluate(SEEN)
    page.keyboard.press("ArrowRight")
    place, _seat = page.evaluate(FOCUSED)
    assert place != first
    assert page.evaluate(SEEN)
    before = len(stakes(house, "FR2"))
    page.keyboard.press("Enter")
    robot.settled()
    assert page.evaluate(FOCUSED)[0] == place  # the answer does not move the focus
    page.keyboard.press("Space")
    robot.settled()
    assert len(robot.bets()) == 2
    page.keyboard.press("Delete")
    robot.settled()
    wager = place.partition(" ")[0]
    assert [name for name, _seat in stakes(house, "FR2")[before:]] == [wager, wager]
    assert len(robot.bets()) == 1
    page.keyboard.press("Delete")
    robot.settled()


def boxed(house: Screens) -> RobotDealer:
    """Return a dealer at a table whose boxes are drawn as rows of buttons, as those of a game without a cloth are."""

    def strip(route: "Route") -> None:
        response = route.fetch()
        lines = [json.loads(line) for line in response.text().splitlines()]
        for line in lines:
            for place in (line.get("layout") or {}).get("places", ()):
                place.pop("spots", None)
        route.fulfill(response=response, body="".join(f"{json.dumps(line)}\n" for line in lines))

    page = house.at_work("BJ1")
    page.route("**/BJ1/state", strip)
    page.route("**/BJ1/queue", strip)
    page.reload()
    page.locator("[data-do=take-pen]").wait_for(state="detached")
    robot = RobotDealer(page)
    if robot.phase_now == "idle":
        robot.step("round.open")
    robot.choose_chip(2_500)
    return robot


def test_boxes_take_stakes_by_keys_also_after_a_long_press(house: Screens) -> None:
    robot = boxed(house)
    page = robot.page
    tab_to(page, "main", 3)
    assert page.evaluate(SEEN)
    page.keyboard.press("Enter")
    robot.settled()
    assert page.evaluate(FOCUSED) == ["main", 3]
    page.keyboard.press("Delete")
    robot.settled()
    robot.stake("main", 2_500, seat=2)
    robot.take_back("main", seat=2)
    page.locator(".spot[data-place=main][data-seat='2']").press("Enter")
    robot.settled()
    assert stakes(house, "BJ1") == [("main", 3), ("main", 2), ("main", 2)]
    types = [event.type for event in house.night.events("BJ1")]
    assert types.count("bet.withdrawn.v1") == 2


@pytest.mark.parametrize("table", ["BJ1", "PB1"])
def test_arrow_keys_reach_the_places_of_every_box_and_seat(house: Screens, table: str) -> None:
    page = opened_round(house, table).page
    assert page.locator(".place[data-seat]").count() > 20
    assert page.evaluate(UNREACHED) == []


def test_a_round_is_played_by_keys_only(house: Screens) -> None:
    page = house.at_work("FR3")

    def press(selector: str) -> None:
        page.locator(f"{selector}:not([aria-disabled])").first.press("Enter")

    press("[data-do='round.open']")
    Fingers(page).phase("open")
    press("[data-chip='500']")
    press("[data-place='straight 17']")
    Fingers(page).settled()
    for step in ("ball.launch", "bets.close"):
        press(f"[data-do='{step}']")
        Fingers(page).settled()
    press("[data-number='17']")
    Fingers(page).phase("settled")
    press("[data-do=all-paid]")
    press("[data-do='round.end']")
    Fingers(page).phase("idle")
    paid = [event.data.amount_minor for event in house.night.events("FR3") if event.type == "payment.made.v1"]
    assert paid == [17_500]
