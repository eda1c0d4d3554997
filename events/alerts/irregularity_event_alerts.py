"""Alerts of irregularities, by their kind: the decider has found them already."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from events.accounting.event_types.cage import IrregularityFound
from events.alerts.detector_base import (
    Handler,
    NoState,
    RaisedAlert,
    RuleContext,
    Watch,
    WatchedEvent,
    action_of,
    raised,
)
from events.alerts.fact_behind_irregularity import with_fact
from events.alerts.impossible_card_detector import WRONG_KINDS
from events.alerts.late_bets import LATE_BET, LATE_CHANGE, ClosedBets, LateWatch
from events.envelope import EventData
from events.tables.armed_round_rebuilt_from_events import UNDECLARED
from events.tables.event_types.session import IrregularityRecorded

NAME = "irregularity"
OVER = "over maximum"
UNPAID = "unpaid"
OF_STAFF = ("staff", "two posts")
OF_SLIPS = ("slip twice", "unknown_slip")
# Raised by other watches, each in its own way.
ELSEWHERE = frozenset(
    (*WRONG_KINDS, LATE_BET, LATE_CHANGE, "mispay", UNPAID, "card not in the shoe", *OF_STAFF, *OF_SLIPS)
)
# Faults of the person who acts, not of the dealer.
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
# Kinds of stakes outside their limits: over the maximum, where the kind names it.
OF_LIMITS = ("limits", "late or bad bet", "bet changed")
# Other faults of a late stake are not examined: the late bet, or late change, is the alert.
NONE_IF_LATE = frozenset((*OF_LIMITS, OVER, "contract bet taken down"))

_BOUNDS = re.compile(r"from (?P<least>\d+) to (?P<most>\d+)(?:, not (?P<stake>\d+))?")


class IrregularityWatch(Watch):
    """No state: each irregularity is judged alone."""

    name = "irregularities"
    state = NoState

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return dict.fromkeys((IrregularityRecorded, IrregularityFound), self._recorded)

    def key(self, event: WatchedEvent) -> str:
        return ""

    def _recorded(self, _state: NoState, event: WatchedEvent, context: RuleContext) -> Sequence[RaisedAlert] | None:
        data: Any = event.data
        if data.kind in ELSEWHERE:
            return None
        if data.kind in NONE_IF_LATE and _is_late(event, context):
            return None
        is_over = data.kind in OF_LIMITS and _is_over(data)
        return (irregularity_alert(event, context, OVER if is_over else NAMES.get(data.kind, NAME)),)


def irregularity_alert(event: WatchedEvent, context: RuleContext, name: str = NAME) -> RaisedAlert:
    """The alert that an irregularity is, with the fact that it is about."""
    data: Any = event.data
    details: dict[str, Any] = {
        "kind": data.kind,
        "clause": data.clause,
        "detail": data.detail,
        "code": data.code,
        "params": data.params,
        "sum": data.amount_minor or None,
    }
    place: dict[str, Any] = {name: getattr(data, name, None) for name in ("dealer", "box", "seat", "bet")}
    dealer = None if data.kind in OF_WHO_DOES_IT else place["dealer"]
    alert = raised(name, event, person=data.player or dealer or event.envelope.actor, **details, **place)
    return with_fact(alert, event, context)


def _is_late(event: WatchedEvent, context: RuleContext) -> bool:
    late: ClosedBets = context.state(LateWatch.name, event.stream)
    return late.action == action_of(event)


def _is_over(data: IrregularityRecorded) -> bool:
    """A rule names the maximum, or both bounds and the whole stake: of all that the player has there.

    Earlier records have no code. The first of them do not give the whole stake; there a stake that is not under the
    lower bound is over the other.
    """
    if data.params is not None:
        maximum, stake = (data.params.get(name, {}).get("amount_minor") for name in ("maximum", "stake"))
        return maximum is not None and (stake is None or stake > maximum)
    bounds = _BOUNDS.search(data.detail)
    if bounds is None:
        return "maximum" in data.detail
    if bounds["stake"]:
        return int(bounds["stake"]) > int(bounds["most"])
    return data.amount_minor >= int(bounds["least"])
