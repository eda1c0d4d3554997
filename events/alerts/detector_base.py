"""A watch: the state of a rule, the events it takes, and the alerts it raises.

A state is a mutable Struct that JSON can hold, stored under a key (a session, a shoe's table, a device). It is read
before the first event that needs it and written after the last. A handler changes it and returns its alerts, or None
without a change.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, ClassVar, Protocol, TypeAlias

import msgspec

from events.envelope import AnyEnvelope, EventData
from events.house.alert_rules import AlertRule


class WatchedEvent(Protocol):
    """A decoded event."""

    @property
    def id(self) -> str: ...
    @property
    def position(self) -> int: ...
    @property
    def stream(self) -> str: ...
    @property
    def envelope(self) -> AnyEnvelope: ...
    @property
    def data(self) -> Any: ...


class RuleContext(Protocol):
    """Further input of a handler in addition to its own state."""

    @property
    def rules(self) -> Mapping[str, AlertRule]: ...

    def state(self, watch: str, key: str) -> Any:
        """Another watch's state, not to be changed; empty where nothing is known."""


class RaisedAlert(msgspec.Struct, frozen=True, kw_only=True):
    """An alert: its name, the ids of the events that identify it, the raising one last, and its data.

    `facts` prove it as well: the facts behind events that name only an error. `once` distinguishes it from another
    alert of the same events. Amounts in `data` are minor units.
    """

    name: str
    events: tuple[str, ...]
    facts: tuple[str, ...] = ()
    once: str = ""
    data: Mapping[str, Any] = {}
    table: str | None = None
    round: int | None = None
    gaming_day: str = ""

    @property
    def id(self) -> str:
        """Return the hash of name, identifying events and `once`: the same for the same events, with any facts."""
        return sha256("\n".join((self.name, *self.events, self.once)).encode()).hexdigest()

    @property
    def proofs(self) -> tuple[str, ...]:
        """The ids of all events that prove it, the raising one last."""
        facts = [fact for fact in dict.fromkeys(self.facts) if fact and fact not in self.events]
        return (*self.events[:-1], *facts, self.events[-1])


Handler: TypeAlias = Callable[[Any, WatchedEvent, RuleContext], Sequence[RaisedAlert] | None]


class NoState(msgspec.Struct):
    """The state of rules that judge each event alone."""


class Watch:
    """The state of one family of rules. The base: one state a stream."""

    name: ClassVar[str]
    state: ClassVar[type[msgspec.Struct]]

    def handlers(self) -> Mapping[type[EventData], Handler]:
        """Return the handlers by type of event: each changes the state, and returns its alerts."""
        return {}

    def of_actions(self) -> Handler | None:
        """Return a handler of actions of every type: actor, time, device. It gets the first event of an action, and
        maybe another."""
        return None

    def key(self, event: WatchedEvent) -> str | None:
        """Return the key of an event's state; "": no state is kept; None: the watch ignores the event."""
        return event.stream


def raised(name: str, event: WatchedEvent, *before: str, once: str = "", **data: Any) -> RaisedAlert:
    """The alert that this event raises, with the proofs `before` it; where it happened is the event's."""
    event_data = event.data
    return RaisedAlert(
        name=name,
        events=(*[event_id for event_id in dict.fromkeys(before) if event_id and event_id != event.id], event.id),
        once=once,
        data={key: value for key, value in data.items() if value is not None},
        table=getattr(event_data, "table", None),
        round=getattr(event_data, "round", None),
        gaming_day=getattr(event_data, "gaming_day", None) or "",
    )


def action_of(event: WatchedEvent) -> str:
    """Return the action that made the event: events of one action belong together. An event without an action is a
    group of its own."""
    return event.envelope.causation or event.id
