"""The streams that the desk writes: which one an action goes to, what it makes happen there, and the append of that."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from events import following, kinds, moments, stamps
from events.approvals import Moment
from events.authority import FRESH_S
from events.envelope import Action, ActionData, EventData, Meta, Who
from events.kinds import PEOPLE, Elsewhere, Kind, Seen, Target
from events.known import Cache
from events.store import Append, EventStore, Key, New, Stored

T = TypeVar("T")


class Look:
    """What one decision looks at, so that its append can expect that, and a refusal be held against it."""

    __slots__ = ("_cache", "property", "store", "streams")

    def __init__(self, cache: Cache) -> None:
        self.store = cache.store
        self.property = cache.property
        self.streams: set[str] = set()
        self._cache = cache

    def seen(self, stream: str) -> Seen:
        """A stream's state and version."""
        self.streams.add(stream)
        return self._cache.seen(stream)

    def only(self, kind: str) -> Any:
        """The state of a kind of which the property has one stream."""
        return self.seen(f"{self.property}/{kind}").state

    def below(self, place: str) -> Iterable[tuple[str, Seen]]:
        """Those streams directly below a place that are at hand and not empty."""
        return self._cache.below(place)

    def is_there(self, stream: str) -> bool:
        """Whether anything has happened in a stream."""
        return self._cache.is_there(stream)

    def once(self, name: str, read: Callable[[], T | None]) -> T | None:
        """What never changes once it is there."""
        return self._cache.once(name, read)


class Part(msgspec.Struct, frozen=True, gc=False):
    """Events decided for one stream and not appended yet, with the state before them.

    `follows`: another stream, whose chain this one carries on from its first event.
    """

    stream: str
    events: list[New]
    before: Seen
    follows: str | None = None


class Work(msgspec.Struct, frozen=True, gc=False):
    """What an action makes happen, in its own stream first. It rests on other streams being where they were.

    `keys` is the action's own, and those of its other parts and of what it claims beside them.
    """

    keys: tuple[Key, ...]
    parts: tuple[Part, ...]
    rests_on: frozenset[str]

    @property
    def key(self) -> Key:
        """The action's own."""
        return self.keys[0]

    @property
    def size(self) -> int:
        """How many events it is."""
        return sum([len(part.events) for part in self.parts])


class Streams:
    """Decides and appends. Not for two threads at once: the desk's writer owns it.

    Who may do what (the people) and what is played where (the floor) are streams as any other. Nothing is asked of
    the store before a decision: an append expects them, too, to stand where they were when it was decided.
    """

    def __init__(self, store: EventStore, property_: str, fresh_s: int = FRESH_S) -> None:
        self.store = store
        self.property = property_
        self.cache = Cache(store, property_)
        self._fresh_s = fresh_s
        self._people = f"{property_}/{PEOPLE}"

    def look(self) -> Look:
        """Around, for one decision."""
        return Look(self.cache)

    def in_force(self, who: Who, look: Look | None = None) -> Who:
        """The person with the roles that the events say."""
        roles = (look or self.cache).only(PEOPLE).roles.get(who.person)
        return replace(who, roles=who.roles | roles) if roles else who

    def moment(self) -> Moment:
        """Now, and the roles that everybody is in."""
        return Moment(self.store.clock(), self.cache.only(PEOPLE).roles, self._fresh_s)

    # --- judged on what is known ------------------------------------------------------------------------------

    def decide(
        self, look: Look, target: Target, action: Action, data: ActionData, who: Who, content: bytes, now: str
    ) -> Work:
        """What the action makes happen `now`. The states of its streams move on; `rollback` takes that back.

        `look` is fresh, and has seen afterwards all that the decision, or the refusal, rests on. `who` is in his
        roles in force, `content` the hash under which the action's key is kept.
        """
        assert action.intent != "check", "the deciders know what is asked and what has happened, no questions"
        moment, kind = Moment(now, look.seen(self._people).state.roles, self._fresh_s), kinds.of(target.kind)
        stream = kind.route(look, target, data)
        before = look.seen(stream)
        begun = self.cache.began(stream) if kind.has_sessions and action.time is not None else None
        moments.check(action, data, moment.time, begun)
        beside = kind.beside(look, stream, before.state, data, who)
        happened = kind.decide(before.state, action, data, who, moment, beside)
        kind.confirm(look, stream, before.state, (data, *happened))
        assert happened, f"{data.TYPE} was neither refused nor made anything happen"
        meta = stamps.of_action(target.kind, action, who, moment.time)
        parts = self._parts(look, kind, stream, before, action.type, happened, meta)
        claims = [*kind.claims(stream, happened), *filter(None, [kind.claim(look, target, stream, data)])]
        for part in parts:
            self._move(part, who.person)
        return Work(_keys(action.key, content, parts, claims), parts, self._rests_on(look, kind, parts))

    def _parts(
        self,
        look: Look,
        kind: Kind,
        stream: str,
        before: Seen,
        action: str,
        happened: Sequence[EventData | Elsewhere],
        meta: Meta,
    ) -> tuple[Part, ...]:
        """The events by stream, its own first, as it was `before`."""
        own = [event for event in happened if not isinstance(event, Elsewhere)]
        if len(own) == len(happened):  # as with nearly every action
            return (Part(stream, stamps.stamp(kind, stream, own, meta), before),)
        carries_on, parts = following.carrying_on(happened), []
        for name, events in following.by_stream(kind, stream, action, happened).items():
            seen = look.seen(name)
            follows = stream if name in carries_on and not seen.version else None
            parts.append(Part(name, stamps.stamp(kinds.of_stream(name), name, events, meta), seen, follows))
        return tuple(parts)

    def _move(self, part: Part, person: str) -> None:
        kind, state = kinds.of_stream(part.stream), part.before.state
        for new in part.events:
            state = kind.evolve(state, new.data, person)
        self.cache.move(part.stream, Seen(part.before.version + len(part.events), state))

    def _rests_on(self, look: Look, kind: Kind, parts: Sequence[Part]) -> frozenset[str]:
        """Those of the streams that were looked at, without its own, which the kind is declared to read."""
        own = frozenset([part.stream for part in parts])
        return _read_by(kind.rests_on, frozenset(look.streams), own)

    def rollback(self, works: Sequence[Work]) -> None:
        """As if these had not been decided (the last ones of their streams)."""
        for work in reversed(works):
            for part in work.parts:
                self.cache.move(part.stream, part.before)

    # --- writing ----------------------------------------------------------------------------------------------

    def append(self, works: Sequence[Work]) -> dict[str, list[Stored]]:
        """Append all work in one transaction; the stored events by action key. Raises Stale, KeyReused, Retry."""
        self._assert_consecutive(works)
        rests_on = frozenset[str]().union(*[work.rests_on for work in works])
        by_stream: dict[str, list[New]] = {stream: [] for stream in sorted(rests_on)}
        follows: dict[str, str | None] = {}
        for part in [part for work in works for part in work.parts]:
            by_stream.setdefault(part.stream, []).extend(part.events)
            follows.setdefault(part.stream, part.follows)
        appends = [
            Append(stream, self.cache.head(stream), events, follows.get(stream)) for stream, events in by_stream.items()
        ]
        written = self.store.append(appends, [key for work in works for key in work.keys])
        for stream, events in by_stream.items():
            self.cache.stored(stream, written.heads[stream], len(events))
        return _by_key(works, written.stored)

    def _assert_consecutive(self, works: Sequence[Work]) -> None:
        """Each work was decided on the state after the one before it, the first on what is stored."""
        versions: dict[str, int] = {}
        for work in works:
            for part in work.parts:
                stands = versions.get(part.stream) or self.cache.head(part.stream).version
                assert part.before.version == stands, f"{work.key.key} was decided on another state"
                versions[part.stream] = stands + len(part.events)

    # --- judged at its own position, inside its append --------------------------------------------------------

    def act(self, target: Target, action: Action, data: ActionData, who: Who, content: bytes) -> list[Stored]:
        """Decide and append one action with the store's lock held.

        Raises Stale where the roles have changed since they were read.
        """
        self.cache.forget(self._people)  # a refusal must be by the roles of now
        who, moment = self.in_force(who), self.moment()
        unchanged = Append(self._people, self.cache.head(self._people), ())
        written = following.act(self.store, self.property, target, action, data, who, moment, content, unchanged)
        for stream in {stored.stream for stored in written}:
            self.cache.forget(stream)
        return written


@lru_cache(maxsize=1_000)  # at a table it is the same again and again
def _read_by(rests_on: tuple[str, ...], seen: frozenset[str], own: frozenset[str]) -> frozenset[str]:
    """Those of the streams that the people's or one of these kinds is, without its own."""
    read = (PEOPLE, *rests_on)
    return frozenset([stream for stream in seen - own if stream.split("/", 2)[1] in read])


def _keys(key: str, content: bytes, parts: Sequence[Part], claims: Sequence[str]) -> tuple[Key, ...]:
    """The keys of an append: no action's has a # in it."""
    places = [(part.stream, part.before.version + 1, len(part.events)) for part in parts]
    keys = following.keys_of(key, content, places)
    return (*keys, *[replace(keys[0], key=claim) for claim in claims]) if claims else keys


def _by_key(works: Sequence[Work], stored: Sequence[Stored]) -> dict[str, list[Stored]]:
    """Each work's events: a stream's works stand in the order in which its events were written."""
    by_stream: dict[str, list[Stored]] = {}
    for event in stored:
        by_stream.setdefault(event.stream, []).append(event)
    coming = {stream: iter(events) for stream, events in by_stream.items()}
    return {work.key.key: _taken(work, coming) for work in works}


def _taken(work: Work, coming: dict[str, Any]) -> list[Stored]:
    return [event for part in work.parts for event in islice(coming[part.stream], len(part.events))]
