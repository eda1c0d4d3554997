"""A table of each ruleset whose least stake is one unit, with a robot dealer at its screen."""

from collections.abc import Callable, Sequence
from typing import Any

from tests.support.houses.small_house import House
from tests.support.tables.robot_dealer import RobotDealer
from tests.support.tables.table_screens import Screens

TABLES = {
    "roulette-american": "CA1",
    "roulette-french": "CF1",
    "baccarat": "CP1",
    "baccarat-no-commission": "CP2",
    "blackjack-trilux": "CJ1",
    "craps-gr": "CG1",
    "craps-by": "CB1",
}
LEAST = 100  # minor units
DICE = [{"serial": "K17", "colour": "red"}] * 5


def open_tables(house: Screens, *, twice: bool = False) -> None:
    """Install and open them; `twice`: another table of each ruleset, whose name ends with X."""
    house.night.do(lambda house: _open_all(house, "X" if twice else ""))


def _open_all(house: House, suffix: str) -> None:
    for ruleset, table in TABLES.items():
        _open(house, ruleset, table + suffix)


def _open(house: House, ruleset: str, table: str) -> None:
    act, game = house.action, ruleset.split("-")[0]
    progressive = "blazing" if game == "blackjack" else None
    house.install(table, game, ruleset, progressive)
    opener = {"100": 100_000, "500": 100_000, "2500": 100_000}
    house.ok(
        "tables",
        table,
        "ines",
        act("session.open", gaming_day="2026-11-20", opener=opener),
        act("limits.post", minimum_minor=LEAST, maxima_minor={}),
        act("staff.assign", post="dealer", person="dora"),
        act("staff.assign", post="inspector", person="ines"),
    )
    if game == "baccarat":
        house.ok("tables", table, "dora", act("shoe.load", shoe="s1", packs=8, seal="A-1"), act("shoe.burn", card="2C"))
    if game == "blackjack":
        house.ok("tables", table, "dora", act("shoe.load", shoe="s1", packs=6))
    if game == "craps":
        posts = (("second dealer", "dan"), ("stickman", "stan"), ("manager", "mia"))
        house.ok("tables", table, "ines", *(act("staff.assign", post=post, person=person) for post, person in posts))
        house.ok("tables", table, "ines", act("dice.put", dice=DICE))


def at_table(house: Screens, ruleset: str) -> tuple[RobotDealer, Callable[[], Sequence[Any]]]:
    """A robot dealer at the table of a ruleset, and the table's events as they are stored at a call."""
    table = TABLES[ruleset]
    return RobotDealer(house.at_work(table)), lambda: house.night.events(table)
