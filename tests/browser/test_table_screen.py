"""The table screen with fingers only: rounds within their taps, at every size, for everybody."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.table_screens import Fingers, Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser


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
