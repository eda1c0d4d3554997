"""Clauses behind the result of each baccarat bet of a coup."""

from collections.abc import Mapping
from typing import Any

from events.games.clauses import Pages

Json = Mapping[str, Any]


def round_(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """Return the end of the coup, then a line for each bet."""
    lines = [f"{result['winner']}: {result['player_total']} to {result['banker_total']}, {result['used']} cards"]
    if result["natural"]:
        lines.append(f"a natural ends the dealing: {ruleset_pages.say('P.11', reading='BAC-1')}")
    bets = {str(bet["id"]): bet["type"] for bet in inputs["bets"]}
    for done in result["results"]:
        kind = bets[done["bet"]]
        explanation = ruleset_pages.of_bet(kind, _reading(inputs, kind, done, result))
        lines.append(f"{done['bet']} {kind} {done['outcome']}, profit {done['profit']}: {explanation}")
    return lines


def _reading(inputs: Json, kind: str, done: Json, result: Json) -> str:
    if done["outcome"] == "push":
        return "BAC-3"
    if kind.endswith("_pair"):
        return "BAC-2"
    half = inputs.get("variant") == "no_commission" and kind == "banker" and result["banker_total"] == 6
    return "BAC-6" if half and done["outcome"] == "win" else ""


def deal_check(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """Return the place of the error in the deal, and its consequence."""
    if result["valid"]:
        return []
    return [f"the card at {result['error_at']} is out of order: {ruleset_pages.say('I.2', reading='BAC-4')}"]


def max_difference(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """Return the reduction of the heavier side."""
    if not result["exceeded"]:
        return []
    return [
        f"{result['heavier']} is lowered by the factor {result['factor']}: {ruleset_pages.say('L.1', reading='BAC-7')}"
    ]


EXPLAIN = {"round": round_, "deal_check": deal_check, "max_difference": max_difference}
