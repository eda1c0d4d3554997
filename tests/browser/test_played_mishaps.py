"""Mishaps at a table, by fingers and by the action interface: their events differ in devices and times only."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.cases_at_tables.tables import TABLES, at_table, open_tables
from tests.support.tables.api_dealer import ApiDealer, comparable
from tests.support.tables.played_mishaps import PLAYED, Mishaps
from tests.support.tables.table_screens import Screens, screens

if TYPE_CHECKING:
    from playwright.sync_api import Browser

RULESETS = tuple(TABLES) if os.environ.get("TABLE_ROUNDS") else ("roulette-french",)
# Irregularities and events that the mishaps of a game leave behind.
LEFT = {
    "roulette": {"late bet", "mispay", "spin.called_off.v1"},
    "baccarat": {"late bet", "mispay", "card out of order", "wrong customer"},
    "blackjack": {"late bet", "mispay", "wrong card", "card.misdealt.v1"},
    "craps": {"mispay", "foreign die", "roll.called_off.v1"},
}


@pytest.fixture(scope="module")
def house(browser: "Browser", django_db_blocker: DjangoDbBlocker) -> Iterator[Screens]:
    with screens(django_db_blocker, browser) as opened:
        open_tables(opened)
        open_tables(opened, twice=True)
        yield opened


@pytest.mark.parametrize("ruleset", RULESETS)
def test_what_goes_wrong_is_recorded_with_fingers_as_by_the_interface(house: Screens, ruleset: str) -> None:
    """`TABLE_ROUNDS=10` is the long form, with every ruleset."""
    robot, events = at_table(house, ruleset)
    begun, game = len(events()), ruleset.split("-")[0]
    mishaps = Mishaps(robot, house)
    PLAYED[game](mishaps)
    table = TABLES[ruleset]
    ApiDealer(house, f"{table}X").repeat(mishaps.deeds, table)
    by_fingers = comparable(events()[begun:], table)
    assert by_fingers == comparable(house.night.events(f"{table}X")[begun:], f"{table}X")
    left = {event["kind"] if event["type"] == "irregularity.recorded.v1" else event["type"] for event in by_fingers}
    assert left >= LEFT[game] | {"bet.corrected.v1", "round.voided.v1"}
    paid = [event["amount_minor"] for event in by_fingers if event["type"] == "payment.made.v1"]
    assert min(paid) < 0, "another payment was taken back"
