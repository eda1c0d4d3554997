"""Clauses behind a spin's result for each roulette bet."""

from collections.abc import Mapping
from typing import Any

from events.games.clauses import Pages
from events.games.roulette.layout import EVEN_CHANCES
from events.rules.exact_amount_parsing import parse

Json = Mapping[str, Any]


def spin(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """A line for each bet; one more where its excess over the maximum went back."""
    bets = {str(bet["id"]): bet for bet in inputs["bets"]}
    lines = []
    for done in result["results"]:
        bet = bets[done["bet"]]
        bet_text = (
            f"{done['bet']} {bet['type']} {done['outcome']}, profit {done['profit']}, returned {done['returned']}"
        )
        lines.append(f"{bet_text}: {_bet(ruleset_pages, inputs, bet)}")
        if bet.get("max") is not None and parse(bet["stake"]) > parse(bet["max"]):
            lines.append(f"    over the maximum: {ruleset_pages.say('I.2', reading=_if_zero(inputs, bet, 'ROU-12'))}")
    return lines


def _bet(ruleset_pages: Pages, inputs: Json, bet: Json) -> str:
    if inputs["number"] != 0 or bet["type"] not in EVEN_CHANCES:
        return ruleset_pages.of_bet(bet["type"])
    return ruleset_pages.say("B choice" if "french" in ruleset_pages.ruleset else "B zero")


def _if_zero(inputs: Json, bet: Json, reading: str) -> str:
    return reading if inputs["number"] == 0 and bet["type"] in EVEN_CHANCES else ""


_PRISON = {"prison": "ROU-2", "half": "ROU-2", "released": "ROU-1", "lose": "ROU-1"}


def en_prison(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """A line for each spin of the stake."""
    lines, is_released = [], False
    for number, event in zip(inputs["numbers"], result["events"], strict=False):
        if not is_released and number != 0:
            explanation = ruleset_pages.of_bet(inputs["type"])
        elif event == "half" and inputs.get("last_coup"):
            explanation = ruleset_pages.say("B last coup", reading="ROU-4")
        else:
            explanation = ruleset_pages.say(
                "B choice", reading="ROU-3" if event == "lose" and number == 0 else _PRISON.get(event, "")
            )
        lines.append(f"{number}: {event}: {explanation}")
        is_released = is_released or number == 0
    return lines


def spin_check(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """Return the faults that made it no spin."""
    return [f"no spin: {reason.replace('_', ' ')}" for reason in result["reasons"]]


EXPLAIN = {"spin": spin, "en_prison": en_prison, "spin_check": spin_check}
