"""Clauses behind the result of a Blazing 7's hand, meter, envy bonus or timeline."""

from collections.abc import Mapping
from typing import Any

from events.errors import Refused
from events.games.clauses import Pages
from events.progressives import json_facts_to_settled_meters as cases

Json = Mapping[str, Any]


def classify(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """The line of the table of pays."""
    hand_class = result["class"]
    paid = "" if result["progressive"] else f", paid {result['paid']}"
    return [f"{hand_class}{paid}: {ruleset_pages.of_bet(hand_class, 'BLZ-2' if result.get('paid') else '')}"]


def withhold(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """The band of the rate."""
    return [] if result["valid"] else [f"not valid: {ruleset_pages.say('L.1', reading='BLZ-1')}"]


def progressive(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """A line for each award."""
    lines = []
    for number, event in enumerate(result["events"], start=1):
        for award in event.get("awards", [event] if "tier" in event else []):
            clause, reading = ("B order", "BLZ-12") if "awards" in event else ("B shares", "BLZ-9")
            award_text = (
                f"event {number}: {award['tier']}, {award['each']} each, the meter is then {award['meter_after']}"
            )
            lines.append(f"{award_text}: {ruleset_pages.say(clause, reading=reading)}")
    return lines


def envy(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """Return each player's envy bonus with its clause."""
    envy_clause = ruleset_pages.say("B envy", reading="BLZ-7")
    own = ruleset_pages.say("B envy", reading="BLZ-6")
    winners = {winner["id"] for winner in inputs["winners"]}
    return [f"{name}: {due}: {own if name in winners else envy_clause}" for name, due in sorted(result["envy"].items())]


def timeline(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """A line for each fact that was refused, each lock, each hit without one, and the envy paid."""
    lines = [_refused(ruleset_pages, at, refusal) for at, refusal in sorted(cases.refusals(inputs).items())]
    for level, locks in result["locks"].items():
        lines += [_lock(ruleset_pages, inputs, level, lock) for lock in locks]
    why = {"pending": ruleset_pages.say("P.4"), "void": "it takes no share"}
    lines += [
        f"{hit} is {outcome['status']}: {why[outcome['status']]}"
        for hit, outcome in result["hits"].items()
        if outcome["status"] in ("pending", "void")
    ]
    if result["envy"]:
        lines.append(f"envy {result['envy']}: {ruleset_pages.say('B envy', reading='BLZ-15')}")
    return lines


def _refused(ruleset_pages: Pages, at: int, refusal: Refused) -> str:
    ruleset, _, clause = refusal.clause.partition(" ")
    message = refusal.message.rstrip(".")
    if ruleset == "house":
        return f"at {at} refused: {message}: a rule of the house's procedure ({clause})"
    return f"at {at} refused: {message}: {ruleset_pages.say(clause, source=refusal.source, reading=refusal.reading)}"


_POLICIES = {"split": ("B shares", "BLZ-9"), "full-each": ("B shares", "BLZ-8"), "sequential": ("B order", "BLZ-12")}


def _lock(ruleset_pages: Pages, inputs: Json, level: str, lock: Json) -> str:
    clause, reading = _POLICIES.get(inputs["policy"], ("B shares", ""))
    house = f" and {lock['house']} from the house" if lock["house"] else ""
    hits = ", ".join(lock["hits"])
    return (
        f"{level} at {lock['at']}, {hits}: {lock['amount']} from the meter of {lock['meter']}{house}, "
        f"seed {lock['seed']} ({lock['seed_from_reserve']} of it from the reserve), policy {inputs['policy']}: "
        f"{ruleset_pages.say(clause, reading=reading)}"
    )


EXPLAIN = {
    "classify": classify,
    "withhold": withhold,
    "progressive": progressive,
    "envy": envy,
    "timeline": timeline,
}
