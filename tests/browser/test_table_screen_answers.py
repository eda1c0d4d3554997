"""Answers of the house as the dealer sees them: a chip looks accepted before the new state of the table comes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.tables.table_screens import Fingers, Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as opened:
        yield opened


def begun(house: Screens, table: str) -> tuple["Page", Fingers]:
    page = house.at_work(table)
    fingers = Fingers(page)
    fingers.tap(do="round.open")
    fingers.phase("open")
    fingers.tap(chip=500)
    return page, fingers


def first_line(route: "Route") -> None:
    """Answer with the answers to the entries, without the state that comes after them."""
    response = route.fetch()
    route.fulfill(response=response, body=response.text().partition("\n")[0] + "\n")


def test_a_chip_looks_accepted_at_the_answer_and_stays_until_the_new_state(house: Screens) -> None:
    page, fingers = begun(house, "FR1")
    held: list[Route] = []
    page.route("**/queue", first_line)
    page.route("**/state", lambda route: held.append(route))  # noqa: PLW0108 - a method of a list has no signature
    fingers.tap(place="straight 17")
    page.locator('.bar[data-unanswered="0"][data-pending="1"][data-state="live"]').wait_for()
    assert page.locator(".chip[data-bet]").count() == 1
    assert page.locator(".chip.pending").count() == 0
    for route in held:
        route.continue_()
    page.unroute("**/state")
    fingers.settled()
    assert page.locator(".chip[data-bet]").count() == 1
    page.unroute("**/queue")


def test_a_chip_without_an_answer_looks_pending(house: Screens) -> None:
    page, fingers = begun(house, "FR2")
    held: list[Route] = []
    page.route("**/queue", lambda route: held.append(route))  # noqa: PLW0108 - a method of a list has no signature
    fingers.tap(place="straight 20")
    page.locator('.bar[data-unanswered="1"][data-state="pending"]').wait_for()
    assert page.locator(".chip.pending").count() == 1
    for route in held:
        route.continue_()
    page.unroute("**/queue")
    fingers.settled()
    assert page.locator(".chip.pending").count() == 0
