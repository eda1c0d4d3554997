"""Decisions at their own position: catch up, take the store's lock, catch up, decide, append - for every kind, only
here.

With the lock held no other person writes: the decision has seen every fact before its own position. Most events are
read before the lock, so that it is short.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from events import catalogue
from events.desk import event_metadata
from events.envelope import Action, ActionData, EventData, Meta, Who, digest
from events.error_codes import coded
from events.errors import Conflict, KeyReused
from events.people import authority
from events.people.approval_request_lifecycle import Moment
from events.store import Append, EventReader, EventStore, Key, NewEvent, Stored
from events.store.replaced_history_check import is_as_read
from events.streams import action_time_and_day_bounds, stream_kind_declaration
from events.streams.stream_kind_declaration import FollowingState, ForeignEvent, Kind, StreamState, Target

T = TypeVar("T")
Happens = Callable[[EventReader], Sequence[EventData | ForeignEvent]]


def decide_and_append(
    store: EventStore,
    property_: str,
    target: Target,
    action: Action,
    data: ActionData,
    actor: Who,
    moment: Moment,
    content: bytes,
    *unchanged: Append,
    claiming: "Callable[[str, Sequence[EventData]], Sequence[str]]" = lambda _stream, _events: (),
) -> list[Stored]:
    """Decide an action at its own position, append it, and return the stored events.

    Raises Refused, Forbidden, Unknown, KeyReused, Retry. Raises Stale where a stream has changed since `unchanged`
    (without events), from which the actor's roles and those of `moment` come. `claiming` gives the keys of new ids in a
    stream's events.
    """
    at, kind, meta = _following_state(store, property_, target, action, data, actor, moment)
    with at.guard:
        at.catch_up(store)
        at.save(store)
        with store.locked() as locked_store:
            if locked_store.keys([action.key]):
                raise KeyReused(coded("key-used", key=action.key))
            at.catch_up(locked_store)
            events = at.decide(locked_store, action, data, actor, moment)
            appends = _appends_by_stream(locked_store, kind, at.stream, action.type, events, meta)
            places = [(append.stream, append.head.version + 1, len(append.events)) for append in appends]
            content = kind.disclosure.kept_content(at.stream, data, content)
            own = [event for event in events if not isinstance(event, ForeignEvent)]
            claims = [*kind.claimed_by(at.stream, events), *claiming(at.stream, own)]
            if locked_store.keys(claims):
                raise Conflict(coded("changed-meanwhile"))
            keys = (*keys_of(action.key, content, places), *(Key(claim, content, *places[0]) for claim in claims))
            written = locked_store.append([*appends, *unchanged], keys)
        at.catch_up(store)
        return written.stored


def append_due(store: EventStore, at: FollowingState, happens: Happens) -> Sequence[EventData | ForeignEvent]:
    """Append the events that are due by the stored ones, if any, and return them. Safe to repeat at any moment."""
    kind = stream_kind_declaration.of_stream(at.stream)
    with at.guard:
        at.catch_up(store)
        at.save(store)
        if not happens(store):
            return ()
        with store.locked() as locked_store:
            at.catch_up(locked_store)
            if due := happens(locked_store):
                locked_store.append(
                    _appends_by_stream(
                        locked_store, kind, at.stream, "", due, event_metadata.of_the_house(store.clock())
                    )
                )
        at.catch_up(store)
        return due


def _following_state(
    store: EventStore, property_: str, target: Target, action: Action, data: ActionData, actor: Who, moment: Moment
) -> tuple[FollowingState, Kind, Meta]:
    """Return the following state, its kind and the stamps, for a person with the authority. Raises Forbidden, Refused,
    Unknown, Invalid."""
    kind = stream_kind_declaration.kind_by_name(target.kind)
    assert kind.decisions.follow is not None, f"{kind.name} are judged on what is known of them"
    authority.role_for(target.kind, data.TYPE, actor.roles)
    action_time_and_day_bounds.check(action, data, moment.time)
    at = kind.decisions.follow(store, property_, target, action, data)
    return at, kind, event_metadata.of_action(target.kind, action, actor, moment.time)


def events_by_stream(
    kind: Kind, stream: str, action: str, events: Sequence[EventData | ForeignEvent]
) -> Mapping[str, list[EventData]]:
    """Return the events of a decision about an action of this type ("": about none) by stream, its own first."""
    by_stream_: dict[str, list[EventData]] = {stream: []}
    others = kind.routing.appends_to.get(action, ())
    for event in events:
        if isinstance(event, ForeignEvent):
            name = stream_kind_declaration.of_stream(event.stream).name
            assert name in others, f"{action} of {kind.name} does not append to {name}"
            by_stream_.setdefault(event.stream, []).append(event.event)
        else:
            by_stream_[stream].append(event)
    return by_stream_


def continued_streams(events: Sequence[EventData | ForeignEvent]) -> frozenset[str]:
    """Return the other streams that continue the chain of the decision's own, if they are new."""
    return frozenset(event.stream for event in events if isinstance(event, ForeignEvent) and event.carries_on)


def keys_of(key: str, content: bytes, places: Sequence[tuple[str, int, int]]) -> tuple[Key, ...]:
    """The action's key for the events of its own stream, and one with a number for those of each other."""
    if len(places) == 1:
        return (Key(key, content, *places[0]),)
    return tuple(
        Key(key if number == 1 else part_of(key, number), content, *place) for number, place in enumerate(places, 1)
    )


def part_of(key: str, number: int) -> str:
    """The key of an action's events in another stream (from 2): no action's has a # in it."""
    return f"{key}#{number}"


def _appends_by_stream(
    history: EventReader, kind: Kind, stream: str, action: str, events: Sequence[EventData | ForeignEvent], meta: Meta
) -> list[Append]:
    carries_on = continued_streams(events)
    appends = []
    for name, own_events in events_by_stream(kind, stream, action, events).items():
        head = history.head(name)
        follows = stream if name in carries_on and not head.version else None
        appends.append(
            Append(
                name,
                head,
                event_metadata.stamp(stream_kind_declaration.of_stream(name), name, own_events, meta),
                follows,
            )
        )
    return appends


# --- only supposed ----------------------------------------------------------------------------------------------------


class TrialStreams:
    """Streams in their state at the first query, with all actions allowed since.

    The store's lock is not taken: no event is written, and no one waits.
    """

    def __init__(self, store: EventStore, property_: str) -> None:
        self._store = store
        self._property = property_
        self._copies: dict[str, FollowingState] = {}

    def try_action(
        self, target: Target, action: Action, data: ActionData, actor: Who, moment: Moment
    ) -> dict[str, list[NewEvent]]:
        """Return by stream the events that `decide_and_append` would append, raising the errors that it would raise."""
        at, kind, meta = _following_state(self._store, self._property, target, action, data, actor, moment)
        copy = self._copies.get(at.stream) or self._copy_state(at)
        events = copy.decide(self._store, action, data, actor, moment)
        new_events = {
            name: event_metadata.stamp(stream_kind_declaration.of_stream(name), name, events, meta)
            for name, events in events_by_stream(kind, at.stream, action.type, events).items()
        }
        copy.suppose(new_events[at.stream])
        return new_events

    def _copy_state(self, at: FollowingState) -> FollowingState:
        with at.guard:
            at.catch_up(self._store)
            copy = self._copies[at.stream] = at.as_if()
        return copy


# --- a state of its own stream ----------------------------------------------------------------------------------------


class StoredView:
    """View of the streams for a decision at its own position: each stream is read at its first use."""

    def __init__(self, history: EventReader, property_: str) -> None:
        self.store: Any = history
        self.property = property_

    def read_stream(self, stream: str) -> StreamState:
        """Return a stream's state and version."""
        kind, stored = stream_kind_declaration.of_stream(stream), self.store.stream(stream)
        state = kind.decisions.begin(self, stream)
        for read in (catalogue.decode(event.type, event.raw) for event in stored):
            state = kind.decisions.evolve(state, read.data, read.actor)
        return StreamState(len(stored), state)

    def property_state(self, kind: str) -> Any:
        """Return the state of a kind of which the property has one stream."""
        return self.read_stream(f"{self.property}/{kind}").state

    def cached_streams_below(self, _place: str) -> tuple[tuple[str, StreamState], ...]:
        """Return no cached streams."""
        return ()

    def has_events(self, stream: str) -> bool:
        """Return whether anything has happened in a stream."""
        return bool(self.store.head(stream).version)

    def expect_unchanged(self, _streams: Iterable[str]) -> None:
        """Do nothing: the lock is held, and no one else appends."""

    def read_once(self, _name: str, read: Callable[[], T | None]) -> T | None:
        """Read without a cache."""
        return read()


class OwnStream:
    """A kind's own state, at its own position, by its declaration, with the lock held.

    For a kind whose state is its own stream's: `follow=locked_decisions.own_stream`.
    """

    def __init__(self, kind: Kind, stream: str) -> None:
        self.stream = stream
        self.guard = threading.Lock()
        self._kind = kind
        self._version, self._digest = 0, b""  # of the last event taken
        self._state: Any = None

    @property
    def state(self) -> Any:
        """Return the state by the events taken so far."""
        return self._state

    def catch_up(self, history: EventReader) -> None:
        """Take everything that is stored of the stream by now: all of it again, where the store holds another one."""
        events = history.stream(self.stream, after=max(self._version - 1, 0))
        if self._version:
            if is_as_read(events, self._digest, self.stream, version=self._version):
                events = events[1:]
            else:
                events, self._version = history.stream(self.stream), 0
        if not self._version:
            self._state = self._kind.decisions.begin(self._view(history), self.stream)
        self._take_stored(events)

    def _take_stored(self, events: Sequence[Stored]) -> None:
        """Take events in their order. State and digest stay those of the event before one that cannot be read."""
        last = None
        try:
            for stored in events:
                read = catalogue.decode(stored.type, stored.raw)
                self._take(read.data, read.actor)
                last = stored
        finally:
            if last is not None:
                self._digest = digest(last.raw)

    def _take(self, event: EventData, actor: str) -> None:
        self._state = self._kind.decisions.evolve(self._state, event, actor)
        self._version += 1

    def save(self, store: EventStore) -> None:
        """Store nothing in addition to the events."""

    def decide(
        self, history: EventReader, action: Action, data: ActionData, actor: Who, moment: Moment
    ) -> Sequence[EventData | ForeignEvent]:
        """Return the events that the action makes."""
        kind, view, state = self._kind, self._view(history), self._state
        context = kind.decisions.context(view, self.stream, state, data, actor)
        events = kind.decisions.decide(state, action, data, actor, moment, context)
        kind.decisions.confirm(view, self.stream, state, (data, *events))
        return events

    def _view(self, history: EventReader) -> StoredView:
        return StoredView(history, self.stream.partition("/")[0])

    def as_if(self) -> "OwnStream":
        """A copy to try things on."""
        copy = OwnStream(self._kind, self.stream)
        copy._version, copy._digest, copy._state = self._version, self._digest, self._state
        return copy

    def suppose(self, news: Sequence[NewEvent]) -> None:
        """Take events that were not appended yet."""
        for new in news:
            self._take(new.data, new.meta.actor)


def own_stream(store: EventStore, property_: str, target: Target, action: Action, data: ActionData) -> FollowingState:
    """The state of the stream that the address names, as this process keeps it."""
    kind = stream_kind_declaration.kind_by_name(target.kind)
    stream = stream_kind_declaration.addressed(kind, property_, target)
    return store.process_cache.get((OwnStream, stream), lambda: OwnStream(kind, stream))
