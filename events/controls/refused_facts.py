"""The facts that are refused, each with the reason why it cannot be true. Everything else that happened is recorded.

A fact that a rule forbids is recorded with an irregularity (docs/adr/0004, 0082). This list is short on purpose:
tests/property/test_every_fact.py tries every action in every state and holds it complete.
"""

from collections.abc import Mapping

from events.errors import Refused
from events.people import authority

# By name: the sentence that ends the refusal.
REASONS: Mapping[str, str] = {
    # decisions
    "decision": "this is asked and agreed to by two people, never reported",
    "arming": "arming is asked and answered before the deal, never reported",
    "house decision": "this is decided in the system itself; there is nothing that happened outside of it",
    # the place
    "closed table": "a closed table plays no round; report a payment with payment.report, a correction with "
    "settlement.correct",
    "no session": "nothing happens at a table before its session opens; report the opening first (session.open)",
    "open session": "a table has one gaming day at a time; report its close first (session.close)",
    "other day": "an event belongs to the day that is open; leave the day out, or name that one",
    "day order": "a gaming day begins once, and none begins before an earlier one",
    "no terms": "no gaming day begins so; put that right, then report the opening again",
    "rolled": "a closed table is opened, not rolled; report the opening (session.open)",
    "other game": "this table does not play that game",
    "no such bet": "nobody can have laid it; report the bet that was laid",
    "counted only": "no bet is recorded at a table that is counted only",
    "count room": "a house with a cage or named boxes counts them blind, in the count room; report it with count.enter",
    # the cage and the count room
    "first count": "the first count of a cage is its opening; report that (cage.open)",
    "clock": "no other day is near by the house's clock",
    "no request": "its chips stand in the table's request; report that first (fill.request, credit.request)",
    "count procedure": "a count is entered once, verified by another person, and then only counted again "
    "(count.enter, count.verify, count.settle)",
    # what is missing in the report
    "no reason": "a reason is needed",
    "current round": "record it with payment.make",
    "future round": "that round has not been played",
    # the bounds
    "full": "a bound of the system is reached",
}


# Streams in which people decide, and nothing happens that the system does not do itself.
DECIDED = ("people", "floor", "house", "progressives", "alerts", "surveillance")


def refused(reason: str, clause: str, detail: str = "", *, field: str = "") -> Refused:
    """The refusal of a fact, for a reason of the list; `detail` comes before it."""
    text = REASONS[reason]
    return Refused(clause, f"{detail}: {text}" if detail else text, field=field)


def with_reason(reason: str, refused: Refused) -> Refused:
    """The same refusal, with a reason of the list behind its message."""
    message = f"{refused.message}: {REASONS[reason]}"
    named = {"source": refused.source, "reading": refused.reading, "field": refused.field}
    return Refused(refused.clause, message, **named)


def is_decision(action: str) -> bool:
    """Whether people decide it with others: nothing has happened before they agree."""
    rules = [rule for rule in authority.rules_of(action) if not rule.late]
    return any(rule.keys for rule in rules) and not authority.is_told(action)
