"""Blazing 7's cases at a blackjack table: the bet and who may make it, its fixed pays, what the house may withhold."""

from fractions import Fraction
from typing import Any

from events.streams.problem_details import Problem
from tests.live import blackjack
from tests.live import blackjack_round_at_table as cards
from tests.live.answer_comparison import UNSAID
from tests.live.live_table import Given, LiveFloor, LiveTable, Player
from tests.support.houses.small_house import progressive

MILLION = 1_000_000


def classify(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """A round whose box has the bet; a hit is declared, the rest is settled after the deal."""
    stake = inputs["stake"]
    played = blackjack.a_round(table, inputs["player"], inputs["dealer"], stake, blazing=True)
    hand = played["blazing"]["class"]
    if hand in cards.LEVELS:
        return {"class": hand, "progressive": True}
    data = played["blazing"]["said"]
    return {"class": hand, "progressive": False, "profit": data["profit_minor"], "paid": _paid(data)}


def _paid(bet: Given) -> int:
    """Return the amount handed out: winnings, with the stake if it is returned."""
    paid: int = max(0, bet["profit_minor"]) + bet.get("returned_minor", 0)
    return paid


def right(table: LiveTable, inputs: Given, expected: Given) -> Given:
    """The players of a box, in their order: who does not want the bet declines, the others try to make it."""
    cards.start(table)
    players = [player["id"] for player in inputs["box"]]
    for player in players:
        cards.lay(table, "main", 1, table.setting.unit, player)
    cards.lay(table, "main", 2, table.setting.unit, "somebody else")
    if inputs.get("dealing_started"):
        table.do("bets.close")
        cards.card(table, 1 if players else 2, "2C")
    holders = []
    for player in inputs["box"]:
        if not player["wants"]:
            table.may("right.decline", box=1, player=player["id"])
        elif _may_lay(table, player["id"]):
            holders.append(player["id"])
    return {"holder": holders[0] if len(holders) == 1 else holders or None}


def _may_lay(table: LiveTable, player: str) -> bool:
    about = {"wager": "blazing7s", "amount_minor": cards.STAKE, "player": player, "box": 1}
    return table.may("bet.place", bet=table.new_name("blazing"), **about)


def withhold(floor: LiveFloor, inputs: Given, expected: Given) -> Given:
    """A progressive is filed with this share for the house."""
    rate = Fraction(inputs["rate"]) * MILLION
    return {"valid": file(floor, withhold_millionths=int(rate)) is not None, "withheld": UNSAID, "rest": UNSAID}


def file(floor: LiveFloor, **changes: Any) -> str | None:
    """Two people open a progressive: its name, or None where it is refused."""
    floor.progressives += 1
    name = f"blazing-{floor.progressives}"
    house = floor.house
    ask = house.action("progressive.open", **{**progressive(), "progressive": name, **changes})
    requested = floor.door("progressives", name, "mark", [ask])
    if isinstance(requested, Problem):
        return None
    request = requested[0]["data"]
    give = house.action("approval.give", request=request["request"], content=request["content"])
    return None if isinstance(floor.door("progressives", name, "anna", [give]), Problem) else name


PLAYERS: dict[str, Player] = {"classify": classify, "right": right}
