"""Alerts about steered draws: a second or late commitment, and a draw that was not revealed."""

from collections.abc import Mapping, Sequence

import msgspec

from events.alerts.detector_base import Handler, RaisedAlert, RuleContext, Watch, WatchedEvent, raised
from events.alerts.system_recorded_event_types import TimePassed
from events.envelope import EventData
from events.inspection_draws.event_types import DrawCommitted

NAME = "draw"
SECOND, LATE, NOT_REVEALED = "second commitment", "late commitment", "not revealed"


class NoDrawState(msgspec.Struct):
    """An empty state."""


class DrawWatch(Watch):
    """No state: the events hold everything."""

    name = "draws"
    state = NoDrawState

    def handlers(self) -> Mapping[type[EventData], Handler]:
        return {DrawCommitted: self._committed, TimePassed: self._not_revealed}

    def key(self, event: WatchedEvent) -> str:
        return ""

    def _committed(self, _state: NoDrawState, event: WatchedEvent, _context: RuleContext) -> Sequence[RaisedAlert]:
        data: DrawCommitted = event.data
        reasons = (*((SECOND,) if data.second_of else ()), *((LATE,) if data.is_late else ()))
        person = event.envelope.actor
        return [
            raised(NAME, event, once=reason, person=person, reason=reason, draw=data.draw, other=data.second_of or None)
            for reason in reasons
        ]

    def _not_revealed(self, _state: NoDrawState, event: WatchedEvent, _context: RuleContext) -> Sequence[RaisedAlert]:
        data: TimePassed = event.data
        if data.kind != "draw":
            return ()
        return (raised(NAME, event, data.since, once=NOT_REVEALED, reason=NOT_REVEALED, draw=data.name),)
