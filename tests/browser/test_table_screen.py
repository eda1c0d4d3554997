"""The table screen by taps only: rounds within their limit of taps, at every size, accessible to all."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.pages.browser import violations
from tests.support.pages.howto_screenshots import NAMES, take
from tests.support.tables import table_rounds
from tests.support.tables.table_screens import PHONE, SMALL_TABLET, STANDING, TABLET, Fingers, Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser


# Buttons smaller than a finger: 48 pixels. (The places of a cloth are drawn, and the nearest one counts.)
SMALL = """() => [...document.querySelectorAll("button")].filter((button) => {
  const at = button.getBoundingClientRect();
  return at.width && (at.width < 47.5 || at.height < 47.5);
}).map((button) => button.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as open_screens:
        yield open_screens


def test_a_spin_of_thirty_stakes_takes_at_most_25_taps(house: Screens) -> None:
    fingers = Fingers(house.at_work("FR1"))
    table_rounds.twenty_stakes(fingers)
    fingers.taps = 0
    table_rounds.thirty_stakes(fingers)
    assert fingers.taps <= 25
    events = house.night.events("FR1")
    placed = [event.data for event in events if event.type == "bet.placed.v1"]
    assert [sum(bet.amount_minor for bet in placed if bet.round == number) for number in (1, 2)] == [10_000, 15_000]
    paid = [event.data for event in events if event.type == "payment.made.v1"]
    assert [payment.amount_minor for payment in paid] == [17_500, 17_500]


def test_a_round_of_seven_boxes_with_14_side_stakes_and_22_cards_takes_at_most_70_taps(house: Screens) -> None:
    fingers = Fingers(house.at_work("BJ1"))
    table_rounds.seven_boxes(fingers)
    events = [event.type for event in house.night.events("BJ1")]
    assert (events.count("bet.placed.v1"), events.count("card.dealt.v1")) == (21, 22)
    assert fingers.taps <= 70, fingers.taps


def test_a_coup_of_eight_stakes_takes_at_most_20_taps(house: Screens) -> None:
    fingers = Fingers(house.at_work("PB1"))
    table_rounds.eight_stakes(fingers)
    events = [event.type for event in house.night.events("PB1")]
    assert (events.count("bet.placed.v1"), events.count("payment.made.v1")) == (8, 4)
    assert fingers.taps <= 20, fingers.taps


def test_the_pictures_of_the_how_tos_can_be_taken(house: Screens, tmp_path: Path) -> None:
    """`TABLE_PICTURES=docs/pictures` keeps them."""
    folder = Path(os.environ.get("TABLE_PICTURES", tmp_path))
    take(house, "FR3", folder)
    assert {path.name for path in folder.glob("table-*.png")} == {f"table-{name}.png" for name in NAMES}


@pytest.mark.parametrize("size", [TABLET, SMALL_TABLET, STANDING, PHONE])
def test_it_is_accessible_at_every_size_dark_and_light(house: Screens, size: tuple[int, int]) -> None:
    page = house.at_work("FR2", size)
    wrong = []
    for _theme in ("dark", "light"):
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        wrong += violations(page)
        Fingers(page).tap(do="menu")
        wrong += violations(page)
        Fingers(page).tap(do="theme")
        Fingers(page).tap(do="close")
    assert wrong == []
    small = page.evaluate(SMALL)
    assert small == []
