"""Why a Blazing 7's hand, meter, envy bonus or timeline came to what it did."""

from collections.abc import Mapping
from typing import Any

from events.errors import Refused
from events.games.clauses.book import Pages
from events.progressives import timeline as cases

Json = Mapping[str, Any]


def classify(opened: Pages, given: Json, result: Json) -> list[str]:
    """The line of the table of pays."""
    found = result["class"]
    paid = "" if result["progressive"] else f", paid {result['paid']}"
    return [f"{found}{paid}: {opened.of_bet(found, 'BLZ-2' if result.get('paid') else '')}"]


def withhold(opened: Pages, given: Json, result: Json) -> list[str]:
    """The band of the rate."""
    return [] if result["valid"] else [f"not valid: {opened.say('L.1', reading='BLZ-1')}"]


def progressive(opened: Pages, given: Json, result: Json) -> list[str]:
    """A line for each award."""
    lines = []
    for number, event in enumerate(result["events"], start=1):
        for award in event.get("awards", [event] if "tier" in event else []):
            clause, reading = ("B order", "BLZ-12") if "awards" in event else ("B shares", "BLZ-9")
            what = f"event {number}: {award['tier']}, {award['each']} each, the meter is then {award['meter_after']}"
            lines.append(f"{what}: {opened.say(clause, reading=reading)}")
    return lines


def envy(opened: Pages, given: Json, result: Json) -> list[str]:
    """Who gets how much."""
    said = opened.say("B envy", reading="BLZ-7")
    own = opened.say("B envy", reading="BLZ-6")
    winners = {winner["id"] for winner in given["winners"]}
    return [f"{name}: {due}: {own if name in winners else said}" for name, due in sorted(result["envy"].items())]


def timeline(opened: Pages, given: Json, result: Json) -> list[str]:
    """A line for each fact that was refused, each lock, each hit without one, and the envy paid."""
    lines = [_refused(opened, at, why) for at, why in sorted(cases.refusals(given).items())]
    for level, locks in result["locks"].items():
        lines += [_lock(opened, given, level, lock) for lock in locks]
    lines += [
        f"{hit} is {found['status']}: {opened.say('P.4') if found['status'] == 'pending' else 'it takes no share'}"
        for hit, found in result["hits"].items()
        if found["status"] in ("pending", "void")
    ]
    if result["envy"]:
        lines.append(f"envy {result['envy']}: {opened.say('B envy', reading='BLZ-15')}")
    return lines


def _refused(opened: Pages, at: int, why: Refused) -> str:
    ruleset, _, clause = why.clause.partition(" ")
    if ruleset == "house":
        return f"at {at} refused: {why.message}: a rule of the house's procedure ({clause})"
    return f"at {at} refused: {why.message}: {opened.say(clause, source=why.source, reading=why.reading)}"


_POLICIES = {"split": ("B shares", "BLZ-9"), "full-each": ("B shares", "BLZ-8"), "sequential": ("B order", "BLZ-12")}


def _lock(opened: Pages, given: Json, level: str, lock: Json) -> str:
    clause, reading = _POLICIES.get(given["policy"], ("B shares", ""))
    house = f" and {lock['house']} from the house" if lock["house"] else ""
    hits = ", ".join(lock["hits"])
    return (
        f"{level} at {lock['at']}, {hits}: {lock['amount']} from the meter of {lock['meter']}{house}, "
        f"seed {lock['seed']} ({lock['seed_from_reserve']} of it from the reserve), policy {given['policy']}: "
        f"{opened.say(clause, reading=reading)}"
    )


EXPLAIN = {
    "classify": classify,
    "withhold": withhold,
    "progressive": progressive,
    "envy": envy,
    "timeline": timeline,
}
