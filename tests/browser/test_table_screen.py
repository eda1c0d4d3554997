"""The table screen with fingers only: rounds within their taps, at every size, for everybody."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.browser import violations
from tests.support.table_pictures import NAMES, take
from tests.support.table_screens import PHONE, SMALL_TABLET, STANDING, TABLET, Fingers, Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser


# Buttons smaller than a finger: 48 pixels. (The places of a cloth are drawn, and the nearest one counts.)
SMALL = """() => [...document.querySelectorAll("button")].filter((button) => {
  const at = button.getBoundingClientRect();
  return at.width && (at.width < 47.5 || at.height < 47.5);
}).map((button) => button.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as found:
        yield found


def spin(fingers: Fingers, number: int) -> None:
    """From the launch to the end of the round."""
    fingers.tap(do="ball.launch")
    fingers.tap(do="bets.close")
    fingers.tap(do="ball.land", number=number)
    fingers.phase("settled")
    if fingers.page.locator("[data-do=all-paid]").count():
        fingers.tap(do="all-paid")
    fingers.tap(do="round.end")
    fingers.phase("idle")


def test_a_spin_of_thirty_stakes_takes_at_most_25_taps(house: Screens) -> None:
    page = house.at_work("FR1")
    fingers = Fingers(page)
    fingers.tap(do="round.open")
    fingers.phase("open")
    fingers.tap(chip=500)
    for number in range(1, 21):
        fingers.tap(place=f"straight {number}")
    spin(fingers, 17)
    fingers.taps = 0
    fingers.tap(do="round.open")
    fingers.phase("open")
    fingers.tap(do="same-again")
    for seat, number in ((1, 21), (1, 22), (1, 23), (2, 24), (2, 25), (2, 26), (2, 27), (2, 28), (2, 29), (2, 30)):
        if seat == 2 and number == 24:
            fingers.tap(do="player", seat=2)
            fingers.tap(chip=500)
        fingers.tap(place=f"straight {number}")
    spin(fingers, 17)
    assert fingers.taps <= 25
    events = house.night.events("FR1")
    placed = [event.data for event in events if event.type == "bet.placed.v1"]
    assert [sum(bet.amount_minor for bet in placed if bet.round == number) for number in (1, 2)] == [10_000, 15_000]
    paid = [event.data for event in events if event.type == "payment.made.v1"]
    assert [payment.amount_minor for payment in paid] == [17_500, 17_500]


BOXES = range(1, 8)
DEAL = ("9C", "8C", "6H", "TC", "9D", "7S", "8D", "5S", "TH", "9H", "JC", "KD", "TD", "QS", "TS")


DRAWN = {2: ("2S",), 3: ("2D", "2C"), 6: ("3S",)}
DEALER = ("2H", "4D", "6D")


def play(fingers: Fingers, box: int) -> None:
    """Draw the cards of a box, then let it stand."""
    for card in DRAWN.get(box, ()):
        fingers.tap(card=card)
        fingers.settled()
    stand = fingers.page.locator('[data-do="hand.stand"]:not([aria-disabled])')
    if stand.count():
        fingers.tap(do="hand.stand")
        fingers.settled()


def test_a_round_of_seven_boxes_with_14_side_stakes_and_22_cards_takes_at_most_70_taps(house: Screens) -> None:
    page = house.at_work("BJ1")
    fingers = Fingers(page)
    fingers.tap(do="round.open")
    fingers.phase("open")
    fingers.tap(chip=2_500)
    for box in BOXES:
        fingers.tap(place="main", seat=box)
    fingers.tap(chip=500)
    for wager in ("trilux", "blazing7s"):
        for box in BOXES:
            fingers.tap(place=wager, seat=box)
    fingers.settled()
    fingers.tap(do="bets.close")
    fingers.phase("no_more_bets")
    fingers.tap(do="progressive.arm")
    fingers.settled()
    for card in DEAL:
        fingers.tap(card=card)
        fingers.settled()
    fingers.tap(do="deal.complete")
    fingers.settled()
    for box in BOXES:
        play(fingers, box)
    for card in DEALER:
        fingers.tap(card=card)
        fingers.settled()
    fingers.phase("settled")
    if page.locator("[data-do=all-paid]").count():
        fingers.tap(do="all-paid")
    fingers.tap(do="round.end")
    fingers.phase("idle")
    events = [event.type for event in house.night.events("BJ1")]
    assert (events.count("bet.placed.v1"), events.count("card.dealt.v1")) == (21, 22)
    assert fingers.taps <= 70, fingers.taps


def test_a_coup_of_eight_stakes_takes_at_most_20_taps(house: Screens) -> None:
    fingers = Fingers(house.at_work("PB1"))
    fingers.tap(do="round.open")
    fingers.phase("open")
    fingers.tap(chip=2_500)
    for seat in range(1, 9):
        fingers.tap(place="player" if seat % 2 else "banker", seat=seat)
    fingers.tap(do="bets.close")
    fingers.settled()
    for card in ("9D", "2C", "KH", "5S"):
        fingers.tap(card=card)
        fingers.settled()
    fingers.tap(do="all-paid")
    fingers.tap(do="round.end")
    fingers.phase("idle")
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
