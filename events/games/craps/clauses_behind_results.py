"""Clauses behind a throw's result for each craps bet: the bet's clause is in the ruleset, a casino's own included."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from events.error_codes import coded
from events.errors import PitledgerError
from events.games.clauses import Pages
from events.games.craps.craps_bet_struct_and_validity import CrapsBet, lie
from events.games.craps.lawful_bet_changes import BettingTable, no_roll, offer_dice, remove, switch
from events.games.craps.lawful_bet_changes import place as craps_place
from events.games.craps.lawful_bet_changes import throw as craps_throw
from events.games.craps.ruleset import BetRule, CrapsRules, CrapsSettings
from events.games.craps.ruleset import rules as craps_rules

Json = Mapping[str, Any]


def rolls(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """A line for each bet that a throw touched."""
    rules = _rules(ruleset_pages, inputs)
    bets = {str(bet["id"]): bet for bet in inputs["bets"]}
    return [
        line
        for number, roll in enumerate(result["rolls"], start=1)
        for line in _roll(ruleset_pages, rules, bets, number, roll)
    ]


def session(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """A line for each bet that a throw touched and for each wish that was not met."""
    rules = _rules(ruleset_pages, inputs)
    bets = {str(bet["id"]): bet for bet in inputs.get("bets", [])}
    refused = dict(_refusals(rules, inputs))
    lines: list[str] = []
    for number, (event, answer) in enumerate(zip(inputs["events"], result["events"], strict=True), start=1):
        if isinstance(place := event.get("place"), dict) and answer.get("accepted"):
            bets[str(place["id"])] = place
            lines.append(
                f"event {number}: {place['id']} {place['type']} accepted: {_clause(ruleset_pages, rules, place)}"
            )
        elif number in refused:
            lines.append(f"event {number}: {_refused(ruleset_pages, refused[number])}")
        elif "roll" in event:
            lines += _roll(ruleset_pages, rules, bets, number, answer)
    return lines


def odds_max(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """The limit of that side."""
    limit = craps_rules(ruleset_pages.ruleset).data.odds_limits[inputs["side"]]
    return [ruleset_pages.say(limit.clause, source=limit.source, reading=limit.reading)]


def throw(ruleset_pages: Pages, inputs: Json, result: Json) -> list[str]:
    """Return the faults that made the throw no roll."""
    return [f"no roll: {reason.replace('_', ' ')}" for reason in result["reasons"]]


def _rules(ruleset_pages: Pages, inputs: Json) -> CrapsRules:
    return craps_rules(ruleset_pages.ruleset, msgspec.convert(inputs.get("options") or {}, CrapsSettings))


def _roll(ruleset_pages: Pages, rules: CrapsRules, bets: Json, number: int, roll: Json) -> Iterator[str]:
    phase = "come-out" if roll["come_out"] else "seven out" if roll["seven_out"] else "point on"
    for done in roll["resolutions"]:
        bet = bets[done["bet"]]
        bet_text = f"roll {number} ({roll['total']}, {phase}): {done['bet']} {bet['type']} {done['outcome']}"
        money = "" if done["outcome"] == "stands" else f", profit {done['profit']}"
        yield f"{bet_text}{money}: {_clause(ruleset_pages, rules, bet)}"
        if done["outcome"] == "stands" and roll["come_out"] and _may_be_off(rules, bet):
            yield f"    off while no point is set: {_off(ruleset_pages, rules, bet)}"


def _may_be_off(rules: CrapsRules, bet: Json) -> bool:
    return rules.bet(bet["type"]).rule.off_on_come_out and bet.get("working") is not True


def _off(ruleset_pages: Pages, rules: CrapsRules, bet: Json) -> str:
    return ruleset_pages.say(ruleset_pages.book.off) if ruleset_pages.book.off else _clause(ruleset_pages, rules, bet)


def _clause(ruleset_pages: Pages, rules: CrapsRules, bet: Json) -> str:
    rule: BetRule = rules.bet(bet["type"]).rule
    return ruleset_pages.say(rule.clause, source=rule.source, reading=rule.reading)


def _refusals(rules: CrapsRules, inputs: Json) -> Iterator[tuple[int, PitledgerError]]:
    """Play the session again, and yield the reason of each refused wish, by the number of its event."""
    table = BettingTable(inputs.get("point"), lie(rules, inputs.get("point"), _bets(inputs)))
    for number, event in enumerate(inputs["events"], start=1):
        try:
            table = _step(rules, table, event)
        except (PitledgerError, msgspec.ValidationError) as error:
            yield (
                number,
                error if isinstance(error, PitledgerError) else PitledgerError(coded("case-invalid", why=str(error))),
            )


def _bets(inputs: Json) -> list[CrapsBet]:
    return msgspec.convert(inputs.get("bets", []), list[CrapsBet])


def _step(rules: CrapsRules, table: BettingTable, event: Json) -> BettingTable:
    if "place" in event:
        return craps_place(rules, table, msgspec.convert(event["place"], CrapsBet))
    if "remove" in event:
        return remove(rules, table, msgspec.convert(event["remove"], str))[0]
    if "working" in event:
        return switch(rules, table, str(event["working"].get("bet")), bool(event["working"].get("on")))
    if "roll" in event:
        return craps_throw(rules, table, msgspec.convert(event["roll"], tuple[int, int]))[0]
    if "no_roll" in event:
        return no_roll(table)
    return offer_dice(table) if event.get("offer_dice") else table


def _refused(ruleset_pages: Pages, error: PitledgerError) -> str:
    clause = getattr(error, "clause", "").partition(" ")[2]
    if not clause:
        return f"not accepted: {error}"
    clause_text = ruleset_pages.say(clause, source=getattr(error, "source", ""), reading=getattr(error, "reading", ""))
    return f"not accepted: {getattr(error, 'message', error)}: {clause_text}"


EXPLAIN = {"rolls": rolls, "session": session, "odds_max": odds_max, "throw": throw}
