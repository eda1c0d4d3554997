"""Alerts that an irregularity is, by its kind: what a decider found is found."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from events.accounting.types.cage import IrregularityFound
from events.alerts.action_starts import with_fact
from events.alerts.cards import WRONG_KINDS
from events.alerts.late import LATE_BET, LATE_CHANGE, Closed, Late
from events.alerts.watching import Around, Event, Handler, Raised, Watch, action_of, raised
from events.envelope import EventData
from events.tables.armed import UNDECLARED
from events.tables.types.common import IrregularityRecorded

NAME = "irregularity"
OVER = "over maximum"
UNPAID = "unpaid"
OF_STAFF = ("staff", "two posts")
OF_SLIPS = ("slip twice", "unknown_slip")
# What other watches raise, each in its own way.
ELSEWHERE = frozenset(
    (*WRONG_KINDS, LATE_BET, LATE_CHANGE, "mispay", UNPAID, "card not in the shoe", *OF_STAFF, *OF_SLIPS)
)
# What is wrong with whoever does it, and not with the dealer.
OF_WHO_DOES_IT = frozenset(
    (
        *(*OF_STAFF, "without the role", "posted limits", "alone", "no witness", "no security"),
        *(*OF_SLIPS, "slip_alone", "no box", "another box", "unequal exchange"),
    )
)
NAMES = {
    OVER: OVER,
    "foreign die": "foreign dice",
    "second progressive bet": "second progressive bet",
    UNDECLARED: "undeclared hit",
}
# Kinds that say of a stake that it is outside of its limits: over the maximum, where that is what they name.
OF_LIMITS = ("limits", "late or bad bet", "bet changed")
# What else was wrong with a stake that came, grew or went too late is not looked at: the late bet, or change, says it.
NONE_IF_LATE = frozenset((*OF_LIMITS, OVER, "contract bet taken down"))

_BOUNDS = re.compile(r"from (?P<least>\d+) to (?P<most>\d+)(?:, not (?P<stake>\d+))?")


class Nothing(msgspec.Struct):
    """Nothing is kept."""


class Irregularities(Watch):
    """No state: each irregularity is judged alone."""

    name = "irregularities"
    state = Nothing

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return dict.fromkeys((IrregularityRecorded, IrregularityFound), self._recorded)

    def key(self, event: Event) -> str:
        return ""

    def _recorded(self, _state: Nothing, event: Event, around: Around) -> Sequence[Raised] | None:
        said: Any = event.data
        if said.kind in ELSEWHERE:
            return None
        if said.kind in NONE_IF_LATE and _is_late(event, around):
            return None
        is_over = said.kind in OF_LIMITS and _is_over(said)
        return (recorded(event, around, OVER if is_over else NAMES.get(said.kind, NAME)),)


def recorded(event: Event, around: Around, name: str = NAME) -> Raised:
    """The alert that an irregularity is, with the fact that it is about."""
    said: Any = event.data
    about: dict[str, Any] = {
        "kind": said.kind,
        "clause": said.clause,
        "detail": said.detail,
        "sum": said.amount_minor or None,
    }
    where: dict[str, Any] = {name: getattr(said, name, None) for name in ("dealer", "box", "seat", "bet")}
    dealer = None if said.kind in OF_WHO_DOES_IT else where["dealer"]
    alert = raised(name, event, person=said.player or dealer or event.envelope.actor, **about, **where)
    return with_fact(alert, event, around)


def _is_late(event: Event, around: Around) -> bool:
    late: Closed = around.state(Late.name, event.stream)
    return late.action == action_of(event)


def _is_over(said: IrregularityRecorded) -> bool:
    """A rule names the maximum, or both bounds and the whole stake: of all that the player has there.

    What was recorded earlier does not say the whole; there a stake that is not under the lower one is over the other.
    """
    bounds = _BOUNDS.search(said.detail)
    if bounds is None:
        return "maximum" in said.detail
    if bounds["stake"]:
        return int(bounds["stake"]) > int(bounds["most"])
    return said.amount_minor >= int(bounds["least"])
