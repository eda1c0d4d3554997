"""Craps of each ruleset, by fingers: stakes that a place takes, a press after a win, the faults of a throw."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.cases_at_tables.craps import CrapsTable
from tests.support.cases_at_tables.tables import at_table, open_tables
from tests.support.tables.table_screens import Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHOICES = "(keys) => keys.map((key) => key.dataset.choice)"
STAKES = "(keys) => keys.map((key) => Number(key.dataset.chip))"


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as opened:
        open_tables(opened)
        yield opened


def test_a_place_bet_is_staked_in_multiples_and_pressed_after_its_win(house: Screens) -> None:
    """A chip of 5 on 6 is refused with its clause; the screen offers 6 and 12."""
    robot, events = at_table(house, "craps-by")
    table, sheet = CrapsTable(robot, events), robot.page.locator(".sheet-refusal")
    table.open()
    robot.stake("pass", 1_000, player_seat=1)
    table.roll(3, 5)
    robot.choose_chip(500)
    robot.tap_at('[data-place="place 6"][data-do]')
    assert "6 chips" in sheet.locator(".why").inner_text()
    assert "craps-by B.6" in sheet.locator(".clause").inner_text()
    assert sheet.locator("[data-chip]").evaluate_all(STAKES) == [600, 1_200]
    robot.tap_at('.sheet-refusal [data-chip="1200"]')
    robot.settled()
    placed = [event.data for event in events() if event.type == "bet.placed.v1"]
    assert [(bet.wager, bet.number, bet.amount_minor) for bet in placed[1:]] == [("place", 6, 1_200)]
    name = placed[1].bet
    robot.step("bet.instruct", {"bet": name, "after_win": "stay"})
    table.ready()
    robot.roll(2, 4)
    robot.step("bet.press", bet=name)
    robot.pay_all()
    pressed = [event.data for event in events() if event.type == "bet.restaked.v1"]
    assert [(bet.bet, bet.stake_minor, bet.reason) for bet in pressed] == [(name, 2_400, "pressed")]
    paid = [event.data.amount_minor for event in events() if event.type == "payment.made.v1" and event.data.bet == name]
    assert sum(paid) == 1_400, "the win, of which the press took the stake"


@pytest.mark.parametrize(("ruleset", "faults"), [("craps-by", 3), ("craps-gr", 10)])
def test_the_faults_of_a_throw_are_those_of_the_ruleset(house: Screens, ruleset: str, faults: int) -> None:
    robot, events = at_table(house, ruleset)
    table = CrapsTable(robot, events)
    table.ready()
    robot.find_step("roll.call_off", {}, {"fault": None}).tap()
    choices = robot.page.locator('[data-pad="fault"] [data-choice]')
    choices.last.wait_for()
    assert len(choices.evaluate_all(CHOICES)) == faults
    choices.last.tap()
    robot.settled()
    robot.raise_refusal()
    assert [event.data.reasons for event in events() if event.type == "roll.called_off.v1"] == [("end_not_hit",)]
