"""The facts that are refused, each with the reason why it cannot be true. Everything else that happened is recorded.

A fact that a rule forbids is recorded with an irregularity (docs/adr/0004, 0082). This list is short on purpose:
tests/property/test_every_fact.py tries every action in every state and holds it complete.
"""

from collections.abc import Mapping

from events.error_codes import ErrorText, coded
from events.errors import Refused
from events.people import authority

# The code of each reason. Its sentence ends the refusal; the detail, where there is one, begins it.
REASONS: Mapping[str, str] = {
    # decisions
    "decision": "fact-of-a-decision",
    "arming": "fact-of-arming",
    "house decision": "fact-of-a-house-decision",
    # the place
    "closed table": "fact-at-a-closed-table",
    "no session": "fact-without-a-session",
    "open session": "fact-in-an-open-session",
    "other day": "fact-of-another-day",
    "day order": "fact-out-of-day-order",
    "no terms": "fact-of-an-impossible-opening",
    "rolled": "fact-of-rolling-a-closed-table",
    "other game": "fact-of-another-game",
    "no such bet": "fact-of-an-unknown-bet",
    "counted only": "fact-at-a-counted-only-table",
    "count room": "fact-of-the-count-room",
    # the cage and the count room
    "first count": "fact-before-the-first-count",
    "clock": "fact-of-a-distant-day",
    "no request": "fact-without-a-request",
    "count procedure": "fact-out-of-count-procedure",
    # missing in the report
    "no reason": "reason-needed",
    "current round": "fact-of-the-current-round",
    "future round": "fact-of-a-future-round",
    # the bounds
    "full": "bound-reached",
}
CODES = frozenset(REASONS.values())


def fact_refusal(reason: str, clause: str, detail: str | ErrorText = "", *, field: str = "") -> Refused:
    """The refusal of a fact, for a reason of the list; `detail` comes before it."""
    return Refused(clause, coded(REASONS[reason], why=detail or None), field=field)


def with_reason(reason: str, refused: Refused) -> Refused:
    """The same refusal, with a reason of the list behind its text."""
    named = {"source": refused.source, "reading": refused.reading, "field": refused.field}
    return Refused(refused.clause, coded(REASONS[reason], why=refused.text), **named)


def is_listed(refused: Refused) -> bool:
    """Return whether a fact is refused for a reason of the list."""
    return refused.code in CODES


def is_decision(action: str) -> bool:
    """Return whether people decide it with others: nothing has happened before they agree."""
    rules = [rule for rule in authority.rules_of(action) if not rule.late]
    return any(rule.keys for rule in rules) and not authority.is_told(action)
