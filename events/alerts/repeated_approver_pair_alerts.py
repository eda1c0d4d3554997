"""Repeated approver pairs: people whose approvals are nearly all with one partner, though others were available.

An approval counts where enough other people of the partner's role acted in that shift. Otherwise the only person of a
role would be everyone's partner. Approvals without a table, as in the cage, belong to every shift of their day.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import msgspec

from events import catalogue
from events.alerts.detector_base import Handler, RaisedAlert, RuleContext, Watch, WatchedEvent, raised
from events.alerts.roles_and_settings_in_force import property_of
from events.envelope import EventData
from events.people.approval_request_lifecycle import ApprovalGiven, ApprovalRequested

NAME = "same hands"
DAYS_KEPT = 3  # a table plays on in its gaming day while the cage, or another table, has opened the next


class ShiftPeople(msgspec.Struct):
    """People who acted in each role, by gaming day and shift; "" is for events without a table."""

    days: dict[str, dict[str, dict[str, list[str]]]] = {}

    @property
    def today(self) -> str:
        """The last gaming day on which a person acted."""
        return max(self.days, default="")

    def others(self, day: str, shift: str, role: str) -> set[str]:
        """Return the people who acted in the role in the shift; without a shift: on the day."""
        acted = self.days.get(day, {})
        shifts = (shift, "") if shift else (*acted,)
        return {person for name in shifts for person in acted.get(name, {}).get(role, ())}


class Shifts(Watch):
    """One state a property, of every event that names its day: events of one action may name different shifts."""

    name = "shifts"
    state = ShiftPeople

    def handlers(self) -> Mapping[type[EventData], Handler]:
        kinds = catalogue.event_types().values()
        return {kind: self._acted for kind in kinds if "gaming_day" in kind.__struct_fields__}

    def key(self, event: WatchedEvent) -> str | None:
        return property_of(event) if getattr(event.data, "gaming_day", None) else None

    def _acted(self, state: ShiftPeople, event: WatchedEvent, _context: RuleContext) -> tuple[()] | None:
        data, envelope = event.data, event.envelope
        acted = state.days.setdefault(data.gaming_day, {})
        people = acted.setdefault(getattr(data, "shift", None) or "", {}).setdefault(envelope.actorrole, [])
        if envelope.actor in people:
            return None
        people.append(envelope.actor)
        state.days = {day: state.days[day] for day in sorted(state.days)[-DAYS_KEPT:]}
        return ()


class RequestAuthor(msgspec.Struct):
    """The person who asked, the role, and the event."""

    person: str = ""
    role: str = ""
    event: str = ""


class RequestWatch(Watch):
    """One state a request that is made, by its stream and key."""

    name = "requests"
    state = RequestAuthor

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {ApprovalRequested: self._note_request}

    def key(self, event: WatchedEvent) -> str:
        return _request(event)

    def _note_request(self, state: RequestAuthor, event: WatchedEvent, _context: RuleContext) -> tuple[()]:
        state.person, state.role, state.event = event.data.person, event.envelope.actorrole, event.id
        return ()


class CountedApproval(msgspec.Struct):
    """One approval: the gaming day, the partner, and its event."""

    day: str
    partner: str
    event: str


class Approvals(msgspec.Struct):
    """The approvals of a person that count, the oldest first, and when a pair was raised."""

    given: list[CountedApproval] = []
    raised: dict[str, str] = {}


class SameHands(Watch):
    """One state a person."""

    name = "hands"
    state = Approvals

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {ApprovalGiven: self._judge_approval}

    def key(self, event: WatchedEvent) -> str:
        return f"{property_of(event)}/{event.data.person}"

    def _judge_approval(
        self, state: Approvals, event: WatchedEvent, context: RuleContext
    ) -> Sequence[RaisedAlert] | None:
        request: RequestAuthor = context.state(RequestWatch.name, _request(event))
        shift: ShiftPeople = context.state(Shifts.name, property_of(event))
        parameters = context.rules[NAME].parameters
        day = event.data.gaming_day or shift.today
        others = shift.others(day, event.data.shift or "", request.role) - {request.person, event.data.person}
        if not request.person or len(others) < parameters["others"]:
            return None
        oldest = (date.fromisoformat(day) - timedelta(days=parameters["days"])).isoformat() if day else ""
        counted = [approval for approval in state.given if approval.day > oldest]
        state.given = [*counted, CountedApproval(day, request.person, event.id)]
        state.raised = {partner: when for partner, when in state.raised.items() if when > oldest}
        return self._judge(state, event, day, parameters)

    def _judge(
        self, state: Approvals, event: WatchedEvent, day: str, parameters: Mapping[str, int]
    ) -> Sequence[RaisedAlert]:
        if len(state.given) < parameters["approvals"]:
            return ()
        [(partner, times)] = Counter(approval.partner for approval in state.given).most_common(1)
        if times * 100 <= parameters["percent"] * len(state.given) or partner in state.raised:
            return ()
        state.raised[partner] = day
        proofs = [approval.event for approval in state.given if approval.partner == partner]
        person = event.data.person
        about: dict[str, Any] = {"partner": partner, "approvals": len(state.given), "together": times}
        return (raised(NAME, event, *proofs, once=f"{person}/{partner}", person=person, **about),)


def _request(event: WatchedEvent) -> str:
    return f"{event.stream}#{event.data.request}"
