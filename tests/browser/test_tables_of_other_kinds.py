"""By taps: a game of the house's own without a script of its own, and a table whose bets are not recorded."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from events.rules import game_declaration_and_registry as games
from tests.support.houses.small_house import DAY, House
from tests.support.pages.browser import violations
from tests.support.tables.robot_dealer import RefusedTap, RobotDealer
from tests.support.tables.table_screens import Screens, screens
from tests.toys.bigsix.game_declaration import GAME

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Runs at the start of every process of the house, as the line in OURS would.
INSTALLS = """
from events.rules import game_declaration_and_registry
from tests.toys.bigsix.game_declaration import GAME
game_declaration_and_registry.register(GAME)
"""


@pytest.fixture(scope="module")
def house(
    browser: "Browser", django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Screens]:
    folder = tmp_path_factory.mktemp("packages")
    (folder / "sitecustomize.py").write_text(INSTALLS)
    games.register(GAME)
    try:
        with screens(django_db_blocker, browser, folder) as open_screens:
            open_screens.night.do(_open)
            yield open_screens
    finally:
        games.withdraw(GAME.name)


def _open(house: House) -> None:
    for table in ("BS1", "BS2"):
        house.install(table, "bigsix", "bigsix")
        house.open_table(table)
    data = {"pit": "A", "table": "CO1", "game": "roulette", "ruleset": "roulette-french", "recorded": False}
    house.agreed("floor", "", ("adam", "paul"), house.action("table.install", **data))
    act = house.action
    opening = act("session.open", gaming_day=DAY, opener={"100": 1_000, "500": 1_000})
    posts = [act("staff.assign", post=post, person=who) for post, who in (("dealer", "dora"), ("inspector", "ines"))]
    house.ok("tables", "CO1", "ines", opening, *posts)


def test_a_game_of_the_house_s_own_is_played_with_fingers(house: Screens) -> None:
    robot = RobotDealer(house.at_work("BS1"))
    robot.step("round.open")
    robot.stake("one", 500, player_seat=1)
    robot.stake("joker", 2_500, player_seat=2)
    robot.step("bets.close")
    with pytest.raises(RefusedTap):
        robot.step("wheel.stop", {"symbol": "one", "turns": 1})
    robot.step("wheel.stop", {"symbol": "joker", "turns": 4})
    robot.pay_all()
    robot.step("round.end")
    events = house.night.events("BS1")
    paid = [event.data.amount_minor for event in events if event.type == "payment.made.v1"]
    assert paid == [45 * 2_500]
    assert violations(robot.page) == []


def test_what_happened_against_a_rule_is_recorded_as_a_fact(house: Screens) -> None:
    robot = RobotDealer(house.at_work("BS2"))
    robot.records_facts = True
    robot.step("round.open")
    robot.stake("two", 500, player_seat=1)
    robot.step("bets.close")
    robot.step("wheel.stop", {"symbol": "five", "turns": 1})
    robot.step("round.end")
    kinds = [event.data.kind for event in house.night.events("BS2") if event.type == "irregularity.recorded.v1"]
    assert (kinds, robot.facts) == (["no spin"], 1)


def test_a_counted_only_table_records_its_business_with_fingers(house: Screens) -> None:
    robot = RobotDealer(house.at_work("CO1"))
    before = len(house.night.events("CO1"))
    robot.step("buyin.make", {"amount_minor": 25_000, "seat": 3, "player": "g-3"})
    robot.step("chips.exchange", {"chips_in": {"500": 20}, "chips_out": {"100": 100}})
    robot.step("fill.request", {"chips": {"500": 40}})
    robot.step("heads.count", {"heads": 6})
    robot.step("result.note", {"result": "0"})
    taps = robot.taps
    robot.tap(do="result.note", number="17")  # it stands ready from now on
    robot.settled()
    assert robot.taps == taps + 1
    robot.step("table.count", {"chips": {"100": 900, "500": 970}, "witness": "paul"})
    robot.step("staff.assign", {"post": "dealer", "person": "paul"})
    robot.step("shift.count", {"chips": {"100": 900, "500": 970}, "next_shift": "evening", "witness": "paul"})
    robot.step("session.close", {"closer": {"100": 900, "500": 970}, "witness": "paul"})
    types = [event.type for event in house.night.events("CO1")[before:]]
    expected = ["buyin.made.v1", "chips.exchanged.v1", "fill.requested.v1", "heads.counted.v1", "result.noted.v1",
              "result.noted.v1", "table.counted.v1", "staff.assigned.v1", "shift.counted.v1",
              "session.closed.v1"]  # fmt: skip
    assert [kind for kind in types if kind in expected] == expected
    assert violations(robot.page) == []
