"""Surveillance's work on an alert: it is acknowledged, assigned, noted, cleared, and opened again.

Each alert has a stream of its own, PROPERTY/alerts/ID, which begins with the first action on it.
"""

from typing import ClassVar, Literal

import msgspec

from events.envelope import Action, ActionData, EventData, Who
from events.error_codes import coded
from events.errors import Invalid, Refused, Unknown
from events.fields import Name, Text
from events.people import approval_request_lifecycle, authority
from events.people.approval_request_lifecycle import Moment
from events.roles import WATCH, AuthorityRule
from events.text.translation_marker import translatable as _

CLAUSE = "house alert"
RULES = {
    action: AuthorityRule(ask=WATCH, excluded=("named",), clause=CLAUSE)
    for action in ("alert.acknowledge", "alert.assign", "alert.note", "alert.clear", "alert.reopen")
}
Disposition = Literal["no fault", "mistake", "put right", "training", "reported", "misconduct"]
WORDS = {
    "alerts": _("alerts"),
    "alert.acknowledge": _("acknowledge alert"),
    "alert.assign": _("assign alert"),
    "alert.note": _("add note to alert"),
    "alert.clear": _("close alert"),
    "alert.reopen": _("reopen alert"),
    "alert.acknowledged": _("alert acknowledged"),
    "alert.assigned": _("alert assigned"),
    "alert.noted": _("note added to alert"),
    "alert.cleared": _("alert closed"),
    "alert.reopened": _("alert reopened"),
    "assigned": _("assigned"),
    "cleared": _("closed"),
    "no fault": _("no fault"),
    "mistake": _("error"),
    "put right": _("error – corrected"),
    "training": _("staff coached"),
    "reported": _("reported to the regulator"),
    "misconduct": _("misconduct"),
    # reasons of alerts
    "number used twice": _("slip number used twice"),
    "the receipt is another": _("received amount differs from the slip"),
    "open for too long": _("slip open too long"),
    "not when it was recorded": _("time differs from the time of its record"),
    "before the ask before": _("earlier than the request before it"),
    "counted down in order": _("counted in new-deck order"),
    "dealt in order": _("dealt in new-deck order"),
    "no post here": _("no post at this table"),
    "a post without its role": _("post without its role"),
    "dealer and inspector": _("dealer and inspector at once"),
    "chips with players below zero": _("negative chips in circulation"),
}


class AcknowledgeAlert(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Record that you have seen the alert. It stays open."""

    TYPE: ClassVar[str] = "alert.acknowledge"


class AssignAlert(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Assign the alert to a person in Surveillance."""

    TYPE: ClassVar[str] = "alert.assign"
    person: Name


class NoteAlert(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Add a note to the alert. Notes cannot be changed."""

    TYPE: ClassVar[str] = "alert.note"
    note: Text


class ClearAlert(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Close the alert."""

    TYPE: ClassVar[str] = "alert.clear"
    disposition: Disposition
    reason: Text


class ReopenAlert(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Reopen a closed alert."""

    TYPE: ClassVar[str] = "alert.reopen"
    reason: Text


class OfAlert(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The id of the alert that an event is about."""

    alert: str


class AlertAcknowledged(OfAlert, frozen=True, kw_only=True, omit_defaults=True):
    """A person has seen the alert: displays stop their sound. Its status stays the same."""

    TYPE: ClassVar[str] = "alert.acknowledged.v1"


class AlertAssigned(OfAlert, frozen=True, kw_only=True, omit_defaults=True):
    """The alert is assigned to the person."""

    TYPE: ClassVar[str] = "alert.assigned.v1"
    person: str


class AlertNoted(OfAlert, frozen=True, kw_only=True, omit_defaults=True):
    """A finding about an alert."""

    TYPE: ClassVar[str] = "alert.noted.v1"
    note: str


class AlertCleared(OfAlert, frozen=True, kw_only=True, omit_defaults=True):
    """No one has to look at it any more, and why."""

    TYPE: ClassVar[str] = "alert.cleared.v1"
    disposition: Disposition
    reason: str


class AlertReopened(OfAlert, frozen=True, kw_only=True, omit_defaults=True):
    """A person has to look at it again."""

    TYPE: ClassVar[str] = "alert.reopened.v1"
    reason: str


class AlertCase(msgspec.Struct, frozen=True):
    """The state of an alert's investigation."""

    alert: str
    person: str = ""
    is_cleared: bool = False
    acknowledged_by: str = ""


def decide(
    case: AlertCase, action: Action, data: ActionData, actor: Who, moment: Moment, people: frozenset[str] | None
) -> list[EventData]:
    """Decide an action by one person of surveillance alone.

    The people of the alert (`people`; None: not raised) cannot decide it. Raises Unknown, Refused, or Invalid for a
    person who is not of surveillance.
    """

    def judge(_action: Action, data: ActionData, _before: approval_request_lifecycle.Pairs) -> list[EventData]:
        authority.role_for("alerts", data.TYPE, actor.roles)
        if people is None:
            raise Unknown(coded("alert-not-raised", alert=case.alert))
        authority.require_apart(data.TYPE, actor.person, people)
        if isinstance(data, AssignAlert) and data.person in people:
            raise Refused(CLAUSE, coded("alert-about-assignee", person=data.person), field="data.person")
        return [_judged(case, data, moment)]

    return approval_request_lifecycle.decide("alerts", {}, action, data, actor, moment, judge)


def _judged(case: AlertCase, data: ActionData, moment: Moment) -> EventData:
    if isinstance(data, NoteAlert):
        return AlertNoted(alert=case.alert, note=data.note)
    if isinstance(data, ReopenAlert):
        if not case.is_cleared:
            raise Refused(CLAUSE, coded("alert-open"))
        return AlertReopened(alert=case.alert, reason=data.reason)
    if case.is_cleared:
        raise Refused(CLAUSE, coded("alert-cleared"))
    if isinstance(data, ClearAlert):
        return AlertCleared(alert=case.alert, disposition=data.disposition, reason=data.reason)
    if isinstance(data, AcknowledgeAlert):
        if case.acknowledged_by:
            raise Refused(CLAUSE, coded("alert-acknowledged-already", person=case.acknowledged_by))
        return AlertAcknowledged(alert=case.alert)
    if not isinstance(data, AssignAlert):
        raise Refused(CLAUSE, coded("not-an-action-of-alert", action=data.TYPE))
    if not {*WATCH} & moment.roles.get(data.person, frozenset()):
        raise Invalid("data.person", coded("person-not-of-surveillance", person=data.person))
    if data.person == case.person:
        raise Refused(CLAUSE, coded("alert-assigned-already", person=data.person), field="data.person")
    return AlertAssigned(alert=case.alert, person=data.person)


def evolve(case: AlertCase, event: EventData, actor: str = "") -> AlertCase:
    """The alert after the event. One that is opened again is new to all."""
    if isinstance(event, AlertAcknowledged):
        return msgspec.structs.replace(case, acknowledged_by=actor)
    if isinstance(event, AlertAssigned):
        return msgspec.structs.replace(case, person=event.person)
    if isinstance(event, AlertCleared | AlertReopened):
        return msgspec.structs.replace(case, is_cleared=isinstance(event, AlertCleared), acknowledged_by="")
    return case
