"""Why a round of Trilux blackjack ended as it did."""

from collections.abc import Mapping
from typing import Any

from events.games.clauses import Pages, pages

Json = Mapping[str, Any]


def round_(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """A line for each hand and each side bet of each box."""
    dealer = "a blackjack" if result["dealer_blackjack"] else str(result["dealer_total"])
    lines = [f"the dealer has {dealer}: {ruleset_pages.say('P.7')}"]
    for box, entry in zip(result["boxes"], inputs["boxes"], strict=True):
        lines += _hands(ruleset_pages, box, entry)
        lines += _side_bets(ruleset_pages, box)
    return lines


def _hands(ruleset_pages: Pages, box: Json, entry: Json) -> list[str]:
    done = {action["do"] for action in entry.get("actions", [])}
    lines = []
    for number, hand in enumerate(box["hands"], start=1):
        explanation = ruleset_pages.say("B.1", reading="BJ-2" if hand["outcome"] == "push" else "")
        hand_text = f"{box['box']} hand {number} ({' '.join(hand['cards'])}, {hand['total']}) {hand['outcome']}"
        lines.append(f"{hand_text}, profit {hand['profit']}: {explanation}")
    lines += [f"    {box['box']} {do}: {ruleset_pages.of_bet(do)}" for do in ("double", "split") if do in done]
    return lines


def _side_bets(ruleset_pages: Pages, box: Json) -> list[str]:
    lines = []
    if "insurance" in box:
        settled = box["insurance"]
        explanation = ruleset_pages.of_bet("insurance")
        lines.append(f"{box['box']} insurance {settled['outcome']}, profit {settled['profit']}: {explanation}")
    if "trilux" in box:
        lines.append(_trilux(ruleset_pages, box["trilux"], f"{box['box']} "))
    if "blazing" in box:
        hand_class = box["blazing"]["class"]
        lines.append(f"{box['box']} Blazing 7's {hand_class}: {pages('blazing7s').of_bet(hand_class)}")
    return lines


_TRILUX = {"royal": "BJ-10", "straight": "BJ-9", "flush": "BJ-12", "three_of_a_kind": "BJ-11"}


def _trilux(ruleset_pages: Pages, settled: Json, prefix: str = "") -> str:
    explanation = ruleset_pages.of_bet("trilux", _TRILUX.get(settled["hand"], ""))
    return f"{prefix}Trilux {settled['hand'].replace('_', ' ')}, profit {settled['profit']}: {explanation}"


def trilux(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """The line of the table of pays."""
    return [_trilux(ruleset_pages, result)]


def insurance(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """Explain the band of the amount."""
    if not result["offered"]:
        return ["insurance is offered for the dealer's ace only"]
    return [f"from {result['from']} to {result['to']}: {ruleset_pages.say('B.4', reading='BJ-7')}"]


EXPLAIN = {"round": round_, "trilux": trilux, "insurance": insurance}
