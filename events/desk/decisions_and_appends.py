"""The streams that the desk writes: the stream of an action, its events there, and their append."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, TypeVar, cast

import msgspec
from msgspec.structs import replace

from events.desk import event_metadata, locked_decisions, lookalike_id_claims
from events.desk.lookalike_id_claims import IdClaims
from events.desk.stream_cache import Cache
from events.envelope import Action, ActionData, EventData, Meta, Who
from events.errors import PitledgerError
from events.people.approval_request_lifecycle import Moment
from events.people.authority import FRESH_S
from events.store import Append, EventStore, Key, NewEvent, Stored
from events.streams import action_time_and_day_bounds, stream_kind_declaration
from events.streams.stream_kind_declaration import PEOPLE, ForeignEvent, Kind, StreamState, Target

T = TypeVar("T")


class DecisionView:
    """Streams that the decisions about one command read, each once: its append can expect them, and a refusal be
    checked against them."""

    __slots__ = ("_cache", "_states", "property", "store")

    def __init__(self, cache: Cache) -> None:
        self.store = cache.store
        self.property = cache.property
        self._cache = cache
        self._states: dict[str, StreamState] = {}

    @property
    def streams(self) -> Collection[str]:
        """Return the streams that were read."""
        return self._states.keys()

    def read_stream(self, stream: str) -> StreamState:
        """Return a stream's state and version."""
        current = self._states.get(stream)
        if current is None or not current.version:  # an empty one is read again: it may begin differently now
            current = self._states[stream] = self._cache.read_stream(stream)
        return current

    def replace_state(self, stream: str, current: StreamState) -> None:
        """Replace the state of a stream."""
        self._states[stream] = current
        self._cache.replace_state(stream, current)

    def first_event_time(self, stream: str) -> str | None:
        """Return the time of the stream's first event; None for an empty stream."""
        return self._cache.first_event_time(stream)

    def property_state(self, kind: str) -> Any:
        """Return the state of a kind of which the property has one stream."""
        return self.read_stream(f"{self.property}/{kind}").state

    def cached_streams_below(self, place: str) -> Iterable[tuple[str, StreamState]]:
        """Return the cached, non-empty streams directly below a place."""
        return self._cache.cached_streams_below(place)

    def has_events(self, stream: str) -> bool:
        """Return whether anything has happened in a stream."""
        return self._cache.has_events(stream)

    def expect_unchanged(self, streams: Iterable[str]) -> None:
        """Make the append depend on these streams, whose states the decision does not need."""
        for stream in streams:
            self.read_stream(stream)

    def read_once(self, name: str, read: Callable[[], T | None]) -> T | None:
        """Return a value that never changes once it exists."""
        return self._cache.read_once(name, read)


class JudgementView(DecisionView):
    """Streams for decisions of which nothing is appended."""

    __slots__ = ()

    def expect_unchanged(self, streams: Iterable[str]) -> None:
        """Do nothing: there is no append."""


class StreamPart(msgspec.Struct, frozen=True, gc=False):
    """Events decided for one stream and not appended yet, with the state before them.

    `follows`: another stream, whose chain this one carries on from its first event.
    """

    stream: str
    events: list[NewEvent]
    before: StreamState
    follows: str | None = None


class DecidedWork(msgspec.Struct, frozen=True, gc=False):
    """Events that an action makes, in its own stream first.

    `keys` are the action's own key, and the keys of its other parts and of its claims.
    """

    keys: tuple[Key, ...]
    parts: tuple[StreamPart, ...]

    @property
    def key(self) -> Key:
        """The action's own."""
        return self.keys[0]


class Streams:
    """Decides and appends. Not for two threads at once: the desk's writer owns it.

    The people's roles and the floor are streams like any other. The store is not queried before a decision: an append
    also expects them unchanged since the decision.
    """

    def __init__(self, store: EventStore, property_: str, fresh_s: int = FRESH_S) -> None:
        self.store = store
        self.property = property_
        self.cache = Cache(store, property_)
        self.ids = IdClaims(store, property_)
        self._fresh_s = fresh_s
        self._people = f"{property_}/{PEOPLE}"

    def new_view(self) -> DecisionView:
        """Return a view of the streams for the decisions about one command."""
        return DecisionView(self.cache)

    def add_current_roles(self, actor: Who, view: DecisionView | None = None) -> Who:
        """Return the person with the roles of the events."""
        roles = (view or self.cache).read_stream(self._people).state.roles.get(actor.person)
        return replace(actor, roles=actor.roles | roles if actor.roles else roles) if roles else actor

    def current_moment(self) -> Moment:
        """Return the present time, and the roles of all people."""
        return Moment(self.store.clock(), self.cache.property_state(PEOPLE).roles, self._fresh_s)

    # --- judged on the cached state ---------------------------------------------------------------------------

    def decide(
        self,
        view: DecisionView,
        kind: Kind,
        target: Target,
        action: Action,
        data: ActionData,
        actor: Who,
        content: bytes,
        now: str,
    ) -> DecidedWork:
        """Return the events that the action makes `now`. The states of its streams move on; `rollback` takes that back.

        `view` then has all streams that the decision, or the refusal, depends on. `kind` is the target's. `actor` has
        the roles in force, and `content` is the hash under which the action's key is kept.
        """
        moment = Moment(now, view.read_stream(self._people).state.roles, self._fresh_s)
        stream, before, events = judge_action(view, kind, target, action, data, actor, moment)
        own = _own_events(events)
        new = self.ids.new(lookalike_id_claims.named_by(target, data, own))
        meta = event_metadata.of_action(target.kind, action, actor, moment.time)
        content = kind.disclosure.kept_content(stream, data, content)
        if len(own) == len(events):  # as with nearly every action
            parts: tuple[StreamPart, ...] = (StreamPart(stream, event_metadata.stamp(kind, stream, own, meta), before),)
        else:
            parts = _parts_by_stream(view, kind, stream, action.type, events, meta)
        claims = kind.claimed_by(stream, events)
        if (claim := kind.claims.claim(view, target, stream, data)) is not None:
            claims.append(claim)
        if new:
            claims += self.ids.claims(new, stream, own)
        _apply_part(view, kind, parts[0], actor.person)
        for part in parts[1:]:
            _apply_part(view, stream_kind_declaration.of_stream(part.stream), part, actor.person)
        return DecidedWork(_append_keys(action.key, content, parts, claims), parts)

    def rollback(self, works: Sequence[DecidedWork]) -> None:
        """Undo these decisions, the last ones of their streams."""
        for work in reversed(works):
            self.ids.drop(work.keys)
            for part in work.parts:
                self.cache.replace_state(part.stream, part.before)

    # --- writing ----------------------------------------------------------------------------------------------

    def append(self, works: Sequence[DecidedWork], rests_on: Collection[str]) -> dict[str, Sequence[Stored]]:
        """Append all work in one transaction, if these streams are where they were when it was decided, too; the stored
        events by action key. Raises Stale, KeyReused, Retry."""
        self._assert_consecutive(works)
        by_stream: dict[str, list[NewEvent]] = {stream: [] for stream in sorted(rests_on)}
        follows: dict[str, str | None] = {}
        for part in [part for work in works for part in work.parts]:
            by_stream.setdefault(part.stream, []).extend(part.events)
            follows.setdefault(part.stream, part.follows)
        appends = [
            Append(stream, self.cache.cached_head(stream), events, follows.get(stream))
            for stream, events in by_stream.items()
        ]
        keys = [key for work in works for key in work.keys]
        written = self.store.append(appends, keys)
        self.ids.appended(keys)
        for stream, events in by_stream.items():
            if not events:  # the stream was only expected to be unchanged
                continue
            kind = stream_kind_declaration.of_stream(stream)
            if kind.appended is not None:
                kind.appended(stream, events)
            self.cache.note_append(kind, stream, written.heads[stream], len(events))
        return _events_by_key(works, written.stored, {stream: len(events) for stream, events in by_stream.items()})

    def _assert_consecutive(self, works: Sequence[DecidedWork]) -> None:
        """Check that each work was decided on the state after the one before it, the first on the stored one."""
        versions: dict[str, int] = {}
        for work in works:
            for part in work.parts:
                stands = versions.get(part.stream) or self.cache.cached_head(part.stream).version
                assert part.before.version == stands, f"{work.key.key} was decided on another state"
                versions[part.stream] = stands + len(part.events)

    # --- judged at its own position, inside its append --------------------------------------------------------

    def decide_under_lock(
        self, target: Target, action: Action, data: ActionData, actor: Who, content: bytes
    ) -> list[Stored]:
        """Decide and append one action with the store's lock held.

        Raises Stale where the roles have changed since they were read.
        """
        self.cache.forget(self._people)  # a refusal must be by the roles of now
        actor, moment = self.add_current_roles(actor), self.current_moment()
        unchanged = Append(self._people, self.cache.cached_head(self._people), ())
        self.ids.forget_waiting()
        new = self.ids.new(lookalike_id_claims.named_by(target, data, ()))
        written = locked_decisions.decide_and_append(
            self.store, self.property, target, action, data, actor, moment, content, unchanged,
            claiming=lambda stream, events: self.ids.claims(new, stream, events),
        )  # fmt: skip
        self.ids.forget_waiting()
        for stream in {stored.stream for stored in written}:
            self.cache.forget(stream)
        return written


def judge_action(
    view: DecisionView, kind: Kind, target: Target, action: Action, data: ActionData, actor: Who, moment: Moment
) -> tuple[str, StreamState, Sequence[EventData | ForeignEvent]]:
    """Return the stream of an action, its state before it, and the events that the action makes. Nothing moves on."""
    assert action.intent != "check", "the deciders know what is asked and what has happened, no questions"
    if kind.routing.named_by_key is not None and target.name == stream_kind_declaration.NEW:
        target = replace(target, name=kind.routing.named_by_key(action.key))
    stream, decisions = kind.routing.route(view, target, data), kind.decisions
    before = view.read_stream(stream)
    begun = view.first_event_time(stream) if decisions.has_sessions and action.time is not None else None
    action_time_and_day_bounds.check(action, data, moment.time, begun)
    context = decisions.context(view, stream, before.state, data, actor)
    try:
        events = decisions.decide(before.state, action, data, actor, moment, context)
    except PitledgerError as error:
        error.currency = error.currency or getattr(before.state, "currency", "")
        raise
    decisions.confirm(view, stream, before.state, (data, *events))
    assert events, f"{data.TYPE} was neither refused nor made anything happen"
    return stream, before, events


def _own_events(events: Sequence[EventData | ForeignEvent]) -> Sequence[EventData]:
    """Return the events for the action's own stream."""
    if ForeignEvent in map(type, events):
        return [event for event in events if not isinstance(event, ForeignEvent)]
    return cast("Sequence[EventData]", events)  # as with nearly every action


def _parts_by_stream(
    view: DecisionView,
    kind: Kind,
    stream: str,
    action: str,
    events: Sequence[EventData | ForeignEvent],
    meta: Meta,
) -> tuple[StreamPart, ...]:
    """Return the events by stream, the action's own stream first, with the state before each."""
    carries_on, parts = locked_decisions.continued_streams(events), []
    for name, stream_events in locked_decisions.events_by_stream(kind, stream, action, events).items():
        current = view.read_stream(name)
        follows = stream if name in carries_on and not current.version else None
        kind_there = stream_kind_declaration.of_stream(name)
        parts.append(StreamPart(name, event_metadata.stamp(kind_there, name, stream_events, meta), current, follows))
    return tuple(parts)


def _apply_part(view: DecisionView, kind: Kind, part: StreamPart, person: str) -> None:
    evolve, state = kind.decisions.evolve, part.before.state
    for new in part.events:
        state = evolve(state, new.data, person)
    view.replace_state(part.stream, StreamState(part.before.version + len(part.events), state))


def _append_keys(key: str, content: bytes, parts: Sequence[StreamPart], claims: Sequence[str]) -> tuple[Key, ...]:
    """The keys of an append: no action's has a # in it."""
    if len(parts) == 1 and not claims:  # as with nearly every action
        part = parts[0]
        return (Key(key, content, part.stream, part.before.version + 1, len(part.events)),)
    places = [(part.stream, part.before.version + 1, len(part.events)) for part in parts]
    keys = locked_decisions.keys_of(key, content, places)
    return (*keys, *[replace(keys[0], key=claim) for claim in claims]) if claims else keys


def _events_by_key(
    works: Sequence[DecidedWork], stored_events: Sequence[Stored], sizes: Mapping[str, int]
) -> dict[str, Sequence[Stored]]:
    """Return each work's events. Stored events come stream by stream, so many of each; those of a stream in the order
    of its works."""
    place = dict(zip(sizes, accumulate(sizes.values(), initial=0), strict=False))
    by_key: dict[str, Sequence[Stored]] = {}
    for work in works:
        events: Sequence[Stored] = ()
        for part in work.parts:
            first = place[part.stream]
            place[part.stream] = last = first + len(part.events)
            events = [*events, *stored_events[first:last]] if events else stored_events[first:last]
        by_key[work.keys[0].key] = events
    return by_key
