"""Actions that a device recorded without signal: facts, except those that need the house's answer first."""

from events.envelope import Action
from events.error_codes import coded
from events.errors import Invalid, Refused
from events.people import authority

CLAUSE = "house queue"
# The progressive is armed by the house's answer; without signal it is closed for the round.
ARMING = frozenset({"progressive.arm"})


def needs_house(action: str) -> bool:
    """Return whether an action needs the house's answer: arming, and every action with a second factor."""
    return action in ARMING or authority.needs_factor(action)


def require_queueable(action: Action) -> None:
    """Raise Invalid for a queued action that is no fact, Refused for one that cannot wait for the signal."""
    if not action.queued:
        return
    if action.intent != "fact":
        raise Invalid("queued", coded("queued-needs-fact"))
    if needs_house(action.type):
        message = coded("action-needs-answer", action=action.type)
        raise Refused(CLAUSE, message, field="queued")
