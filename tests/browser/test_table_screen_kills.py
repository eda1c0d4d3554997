"""Random failures of the table screen: tabs and the house are killed, and two devices lose their connection in turn.

The store has each tap once, in the order of the taps.
"""

import contextlib
import os
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.tables.table_screens import Fingers, Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

TAB_KILLS = int(os.environ.get("TABLE_TAB_KILLS", "3"))  # 50 in the long form
HOUSE_KILLS = int(os.environ.get("TABLE_HOUSE_KILLS", "1"))  # 20 in the long form
TURNS = int(os.environ.get("TABLE_TURNS", "2"))  # of two devices; 20 in the long form
CHIP = 500


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as open_screens:
        yield open_screens


class TappedStakes:
    """Stakes on single numbers that were tapped at a table, in their order."""

    def __init__(self, house: Screens, table: str, seed: int) -> None:
        self.house, self.table = house, table
        self.chance = random.Random(seed)
        self.numbers: list[int] = []

    def stakes(self, page: "Page", most: int = 3) -> list[int]:
        """Tap some stakes."""
        numbers = [self.chance.randint(1, 36) for _ in range(self.chance.randint(1, most))]
        for number in numbers:
            Fingers(page).tap(place=f"straight {number}")
        self.numbers += numbers
        return numbers

    def pause(self, page: "Page") -> None:
        page.wait_for_timeout(self.chance.randrange(250))

    def stored(self, round_number: int = 1) -> list[int]:
        events = self.house.night.events(self.table)
        placed = [event.data for event in events if event.type == "bet.placed.v1"]
        return [bet.numbers[0] for bet in placed if bet.round == round_number]


def opened(context: "BrowserContext", house: Screens, table: str) -> "Page":
    """The page of a device that works at the table, with the pen and a chip."""
    page = context.new_page()
    page.goto(f"{house.url}/table/{table}")
    page.locator(".rack").wait_for()
    page.locator("[data-do=take-pen]").wait_for(state="detached")
    Fingers(page).tap(chip=CHIP)
    return page


def begun(house: Screens, table: str) -> "Page":
    page = house.at_work(table)
    Fingers(page).tap(do="round.open")
    Fingers(page).phase("open")
    Fingers(page).tap(chip=CHIP)
    return page


def settled(page: "Page") -> None:
    page.locator('.bar[data-state="live"]').wait_for()
    Fingers(page).settled()


def kill(page: "Page", *, is_crash: bool) -> None:
    """Close a tab at once; or kill its process before, as a crash or an empty battery does."""
    from playwright.sync_api import Error

    if is_crash:
        with contextlib.suppress(Error):
            page.goto("chrome://crash", timeout=2_000)
    page.close(run_before_unload=False)


def test_killed_tabs_lose_and_double_nothing(house: Screens) -> None:
    """`TABLE_TAB_KILLS=50` is the long form."""
    tapped = TappedStakes(house, "FR1", seed=11)
    page = begun(house, "FR1")
    context = page.context
    for kills in range(TAB_KILLS):
        context.set_offline(tapped.chance.random() < 0.3)
        tapped.stakes(page)
        tapped.pause(page)
        kill(page, is_crash=bool(kills % 2))
        context.set_offline(False)
        page = opened(context, house, "FR1")
        print(f"killed {kills + 1} tabs, {len(tapped.numbers)} stakes")
    settled(page)
    assert tapped.stored() == tapped.numbers


def test_a_killed_house_loses_and_doubles_nothing(house: Screens) -> None:
    """`TABLE_HOUSE_KILLS=20` is the long form."""
    tapped = TappedStakes(house, "FR2", seed=12)
    page = begun(house, "FR2")
    for kill in range(HOUSE_KILLS):
        tapped.stakes(page)
        tapped.pause(page)
        house.door.kill()
        tapped.stakes(page)
        page.locator(".offline").wait_for()
        tapped.stakes(page)
        house.door.start()
        settled(page)
        tapped.stakes(page)
        print(f"killed the house {kill + 1} times, {len(tapped.numbers)} stakes")
    settled(page)
    assert tapped.stored() == tapped.numbers


def test_two_devices_that_lose_their_connection_in_turn_lose_and_double_nothing(house: Screens) -> None:
    """`TABLE_TURNS=20` is the long form."""
    tapped = TappedStakes(house, "FR3", seed=13)
    pages = [begun(house, "FR3"), house.at_work("FR3")]
    Fingers(pages[1]).tap(chip=CHIP)
    own: list[list[int]] = [[], []]
    for turn in range(TURNS):
        away, here = turn % 2, 1 - turn % 2
        pages[away].context.set_offline(True)
        pages[away].locator(".offline").wait_for()
        own[away] += tapped.stakes(pages[away])
        own[here] += with_pen(tapped, pages[here])
        pages[away].context.set_offline(False)
        take_pen(pages[away])
        settled(pages[away])
        print(f"{turn + 1} turns, {len(tapped.numbers)} stakes")
    for page in pages:
        take_pen(page)
        settled(page)
    stored = tapped.stored()
    assert sorted(stored) == sorted(tapped.numbers)
    assert all(_is_within(numbers, stored) for numbers in own)


def with_pen(tapped: TappedStakes, page: "Page") -> list[int]:
    """Stakes by the device that has a connection; it takes the pen where the other one had it."""
    numbers = tapped.stakes(page, most=2)
    take_pen(page)
    settled(page)
    return numbers


def take_pen(page: "Page") -> None:
    """Take the pen where the screen asks for it."""
    page.locator('[data-do=take-pen], .bar[data-state="live"][data-pending="0"]').first.wait_for()
    if page.locator("[data-do=take-pen]").count():
        page.locator("[data-do=take-pen]").tap()


def _is_within(numbers: list[int], stored: list[int]) -> bool:
    """Return whether a device's stakes are in the store in the order of its taps."""
    rest = iter(stored)
    return all(number in rest for number in numbers)
