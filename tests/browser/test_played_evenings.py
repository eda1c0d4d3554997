"""Whole evenings with fingers only, repeated by the action interface: equal events but for devices and times."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.cases_at_tables.tables import TABLES, at_table, open_tables
from tests.support.tables.api_dealer import ApiDealer, comparable
from tests.support.tables.robot_played_rounds import PLAYED, RobotRounds
from tests.support.tables.table_screens import Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROUNDS = int(os.environ.get("TABLE_ROUNDS", "0"))  # of each ruleset; 0: two spins of French roulette
RULESETS = tuple(TABLES) if ROUNDS else ("roulette-french",)


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as open_screens:
        open_tables(open_screens)
        open_tables(open_screens, twice=True)
        yield open_screens


@pytest.mark.parametrize("ruleset", RULESETS)
def test_an_evening_with_fingers_and_the_same_by_the_interface_are_equal(house: Screens, ruleset: str) -> None:
    """`TABLE_ROUNDS=10` is the long form, with every ruleset."""
    robot, events = at_table(house, ruleset)
    begun = len(events())
    evening = RobotRounds(robot, seed=7)
    for _round in range(ROUNDS or 2):
        PLAYED[ruleset.split("-")[0]](evening)
    table = TABLES[ruleset]
    api = ApiDealer(house, f"{table}X")
    api.repeat(evening.deeds, table)
    by_fingers = comparable(events()[begun:], table)
    by_interface = comparable(house.night.events(f"{table}X")[begun:], f"{table}X")
    print(f"{ruleset}: {ROUNDS or 2} rounds, {robot.taps} taps, {len(by_fingers)} events")
    assert by_fingers == by_interface
    assert len(by_fingers) > len(evening.deeds)
