"""Clocks: an ask whose time is not the time at which the store recorded it, or that runs backwards at its terminal.

Facts may be recorded late: a terminal keeps them while it has no connection.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from events.alerts.detector_base import Handler, RaisedAlert, RuleContext, Watch, WatchedEvent, action_of, raised
from events.alerts.roles_and_settings_in_force import property_of

NAME = "clock"


class LastTerminalAsk(msgspec.Struct):
    """The last ask of a terminal: its time, its action, and its first event."""

    time: str = ""
    action: str = ""
    event: str = ""


class Clocks(Watch):
    """One state a terminal; people without a terminal are judged by the store's clock alone."""

    name = "clocks"
    state = LastTerminalAsk

    def of_actions(self) -> Handler:
        return self._check_clock

    def key(self, event: WatchedEvent) -> str | None:
        envelope = event.envelope
        return f"{property_of(event)}/{envelope.actordevice or ''}" if envelope.intent == "ask" else None

    def _check_clock(
        self, state: LastTerminalAsk, event: WatchedEvent, context: RuleContext
    ) -> Sequence[RaisedAlert] | None:
        envelope = event.envelope
        if (action := action_of(event)) == state.action:
            return None
        before = LastTerminalAsk(state.time, state.action, state.event)
        state.time, state.action, state.event = envelope.time, action, event.id
        parameters = context.rules[NAME].parameters
        if (seconds_apart := _seconds_between(envelope.time, envelope.recordedat)) > parameters["apart_seconds"]:
            return (_raise(event, "not when it was recorded", seconds_apart),)
        if envelope.time < before.time and envelope.actordevice:
            back = _seconds_between(envelope.time, before.time)
            if back > parameters["back_seconds"]:
                return (_raise(event, "before the ask before", back, before.event),)
        return ()


def _seconds_between(first_time: str, other: str) -> float:
    """Seconds between two times; within a minute by the clock they are not read."""
    if first_time == other:
        return 0
    return abs((datetime.fromisoformat(first_time) - datetime.fromisoformat(other)).total_seconds())


def _raise(event: WatchedEvent, reason: str, seconds_apart: float, *proofs: str) -> RaisedAlert:
    envelope = event.envelope
    device = envelope.actordevice or None
    about: dict[str, Any] = {"seconds": round(seconds_apart, 3), "device": device, "reason": reason}
    return raised(NAME, event, *proofs, person=envelope.actor, **about)
