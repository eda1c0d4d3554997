"""The fact behind an irregularity: the first event of the action that recorded it, as the stake, the roll, the leaving.

An alert names it among its proofs. Its id does not depend on it.
"""

import msgspec

from events.alerts.detector_base import Handler, RaisedAlert, RuleContext, Watch, WatchedEvent, action_of

_KINDS = ("tables", "cage", "days")


class Start(msgspec.Struct):
    """The last action of a stream, and its first event."""

    action: str = ""
    event: str = ""


class ActionStarts(Watch):
    """One state a stream in which something irregular can be recorded."""

    name = "starts"
    state = Start

    def of_actions(self) -> Handler:
        return self._acted

    def key(self, event: WatchedEvent) -> str | None:
        return event.stream if event.stream.split("/", 2)[1] in _KINDS else None

    def _acted(self, state: Start, event: WatchedEvent, _context: RuleContext) -> tuple[()] | None:
        action = action_of(event)
        if action == state.action:
            return None
        state.action, state.event = action, event.id
        return ()


def fact_of(event: WatchedEvent, context: RuleContext) -> str:
    """Return the id of the first event of this event's action; "" where it is the event itself."""
    start: Start = context.state(ActionStarts.name, event.stream)
    return start.event if start.action == action_of(event) and start.event != event.id else ""


def with_fact(alert: RaisedAlert, event: WatchedEvent, context: RuleContext) -> RaisedAlert:
    """Return the alert with the fact of the action of its event among its proofs."""
    return msgspec.structs.replace(alert, facts=(*alert.facts, fact_of(event, context)))
