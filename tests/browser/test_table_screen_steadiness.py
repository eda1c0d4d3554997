"""Nothing jumps while a finger is on its way: places, chips, players and steps stay where they are.

They are measured before a tap, while its answer is held back, and after the answer. Chips, players and small steps also
stay when other steps are next, when a pad appears and when payments are due.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.cases_at_tables.tables import TABLES, open_tables
from tests.support.tables.robot_dealer import RobotDealer
from tests.support.tables.table_screens import PHONE, STANDING, TABLET, Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

# Left, top, width and height of all that a finger may be on its way to, by its attributes.
BOXES = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const targets = document.querySelectorAll(
    ".place, .large-steps button, .small-steps button, .rack button, .dock-pad button, .bar [data-do]");
  done(Object.fromEntries([...targets].map((target) => {
    const { left, top, width, height } = target.getBoundingClientRect();
    const kind = target.closest(".large-steps") ? "large" : target.closest(".small-steps, .rack") ? "kept" : "";
    return [kind + JSON.stringify({ ...target.dataset }), [left, top, width, height]];
  })));
})))"""
# A message begins without taking taps; `arrive` lets it take them.
HOLD_MESSAGE = """() => new MutationObserver(() => {
  const [animation] = document.querySelector(".toast")?.getAnimations() ?? [];
  if (!animation || globalThis.arrive) return;
  animation.pause();
  globalThis.arrive = () => animation.finish();
}).observe(document.body, { childList: true, subtree: true })"""
TAKES_TAPS = """() => {
  const message = document.querySelector(".toast"), at = message.getBoundingClientRect();
  return message.contains(document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2));
}"""
TAKES_KEYS = "() => !document.querySelector('.dock-pad')?.getAnimations().length"  # a pad begins without taking taps
COVERS = """(line) => {
  const { x, y } = line.getBoundingClientRect();
  return line.contains(document.elementFromPoint(x + 20, y + 5));
}"""
STAKE = 2_500
SIZES = {TABLET: "", PHONE: "X", STANDING: ""}  # of the second table of each ruleset for a phone
Boxes = dict[str, list[float]]


class RoundStakes(NamedTuple):
    """Stakes of a round, and the steps that follow. A stake is a place, and its seat or a player's."""

    stakes: tuple[tuple[str, int], ...]
    steps: tuple[str, ...]


PLAYS = {
    "roulette-french": RoundStakes(
        (("straight 17", 1), ("straight 17", 1), ("red", 2)),
        ("[data-do='ball.launch']", "[data-do='bets.close']", "[data-number='17']", "[data-do=all-paid]"),
    ),
    "blackjack-trilux": RoundStakes(
        (("main", 1), ("main", 1), ("main", 2), ("trilux", 2)),
        ("[data-do='bets.close']", *(f".dock-pad [data-card='{card}']" for card in ("9C", "8C", "6H", "TC", "9D"))),
    ),
    "baccarat": RoundStakes(
        (("player", 1), ("banker", 2)),
        ("[data-do='bets.close']", *(f".dock-pad [data-card='{card}']" for card in ("9D", "2C", "KH", "5S"))),
    ),
    "craps-gr": RoundStakes((("pass", 1), ("pass", 1), ("field", 2)), ()),
}


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as opened:
        open_tables(opened)
        open_tables(opened, twice=True)
        yield opened


def begun(house: Screens, ruleset: str, size: tuple[int, int]) -> RobotDealer:
    robot = RobotDealer(house.at_work(TABLES[ruleset] + SIZES[size], size))
    robot.step("round.open")
    robot.choose_chip(STAKE)
    return robot


def moved_attributes(before: Boxes, now: Boxes) -> list[str]:
    """Return the attributes of all that moved, or changed its size, by more than a pixel.

    Large steps count as long as the same steps are next.
    """
    is_next_same = large(before) == large(now)

    def is_moved(name: str) -> bool:
        return any(abs(a - b) > 1 for a, b in zip(before[name], now[name], strict=True))

    names = before.keys() & now.keys()
    return sorted(name for name in names if is_moved(name) and (is_next_same or name not in large(now)))


def large(boxes: Boxes) -> set[str]:
    return {name for name in boxes if name.startswith("large")}


def kept_names(names: list[str]) -> list[str]:
    """Those of chips, players and small steps."""
    return [name for name in names if name.startswith("kept")]


def tap(robot: RobotDealer, selector: str) -> tuple[list[str], list[str]]:
    """Tap an element; return what moved before its answer, and what moved since the tap when it came."""
    page = robot.page
    target = page.locator(f"{selector}:not([aria-disabled])").first
    target.scroll_into_view_if_needed()
    page.wait_for_function(TAKES_KEYS)
    held: list[Route] = []
    before = page.evaluate(BOXES)
    page.route("**/queue", lambda route: held.append(route))  # noqa: PLW0108 - a method of a list has no signature
    target.tap()
    page.locator('.bar:not([data-pending="0"])').wait_for()
    pending = page.evaluate(BOXES)
    for route in held:
        route.continue_()
    page.unroute("**/queue")
    robot.settled()
    robot.raise_refusal()
    return moved_attributes(before, pending), moved_attributes(before, page.evaluate(BOXES))


@pytest.mark.parametrize("size", [TABLET, PHONE])
@pytest.mark.parametrize("ruleset", PLAYS)
def test_nothing_moves_while_an_answer_is_on_its_way(house: Screens, ruleset: str, size: tuple[int, int]) -> None:
    robot = begun(house, ruleset, size)
    page = robot.page
    stakes, steps = PLAYS[ruleset]
    for place, seat in stakes:
        selector = f"[data-place='{place}']"
        if page.locator("[data-do=player]").count():
            robot.tap(do="player", seat=seat)
            robot.choose_chip(STAKE)
        else:
            selector += f"[data-seat='{seat}']"
        assert tap(robot, selector) == ([], []), (place, seat)
    before = page.evaluate(BOXES)
    page.context.set_offline(True)
    page.locator(".offline").wait_for()
    offline = page.evaluate(BOXES)
    assert (moved_attributes(before, offline), large(offline)) == ([], large(before))
    page.context.set_offline(False)
    page.locator('.bar[data-state="live"]').wait_for()
    robot.settled()
    assert moved_attributes(before, page.evaluate(BOXES)) == []
    for step in steps:
        pending, after = tap(robot, step)  # the next step stands somewhere else
        assert (pending, kept_names(after)) == ([], []), step


@pytest.mark.parametrize("size", [TABLET, PHONE, STANDING])
def test_the_stakes_of_the_last_round_push_nothing_away(house: Screens, size: tuple[int, int]) -> None:
    robot = RobotDealer(house.at_work("FR1", size))
    page = robot.page
    robot.step("round.open")
    robot.stake("straight 17", STAKE)
    for step in ("ball.launch", "bets.close"):
        robot.tap(do=step)
    robot.tap(do="ball.land", number=4)
    robot.tap(do="round.end")
    robot.phase("idle")
    pending, after = tap(robot, "[data-do='round.open']")
    assert (pending, after) == ([], [])
    assert tap(robot, "[data-do=same-again]") == ([], [])
    assert page.locator(".chips .chip").count() == 1
    for step in ("ball.launch", "bets.close"):
        robot.tap(do=step)
    robot.tap(do="ball.land", number=4)
    robot.tap(do="round.end")
    robot.phase("idle")


@pytest.mark.parametrize(
    ("table", "size", "place", "steps"),
    [
        ("BJ1", STANDING, "main", ("bets.close",)),
        ("PB1", PHONE, "player", ("bets.close",)),
        ("FR4", STANDING, "straight 17", ("ball.launch", "bets.close")),
        ("FR5", PHONE, "straight 17", ("ball.launch", "bets.close")),
    ],
)
def test_places_of_a_standing_screen_stay_when_a_pad_appears(
    house: Screens, table: str, size: tuple[int, int], place: str, steps: tuple[str, ...]
) -> None:
    robot = RobotDealer(house.at_work(table, size))
    robot.step("round.open")
    robot.stake(place, STAKE, seat=None if table.startswith("FR") else 1)
    before = robot.page.evaluate(BOXES)
    for step in steps:
        robot.step(step)
    robot.page.locator(".dock-pad").wait_for()
    robot.settled()
    places = {name for name in before if '"place"' in name}
    assert places
    assert places.isdisjoint(moved_attributes(before, robot.page.evaluate(BOXES)))


def test_the_line_about_the_lost_signal_lets_taps_through(house: Screens) -> None:
    robot = RobotDealer(house.at_work("FR2", PHONE))
    robot.step("round.open")
    robot.page.context.set_offline(True)
    line = robot.page.locator(".offline")
    line.wait_for()
    assert not line.evaluate(COVERS)


def test_a_message_takes_no_tap_that_was_meant_for_what_it_covers(house: Screens) -> None:
    robot = RobotDealer(house.at_work("FR3", PHONE))
    page: Page = robot.page
    page.evaluate(HOLD_MESSAGE)
    page.locator(".place").first.press("Delete")  # there is no bet to take back
    page.locator(".toast").wait_for()
    assert not page.evaluate(TAKES_TAPS)
    page.evaluate("() => arrive()")
    assert page.evaluate(TAKES_TAPS)
