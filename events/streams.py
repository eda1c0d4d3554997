"""The streams that the desk writes: which decider each has, their state as last seen, and work not appended yet."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from events import catalogue, floor, people
from events.envelope import Action, ActionData, EventData, Meta, Who, digest, now
from events.errors import Forbidden, Invalid, Refused, Unknown
from events.progressives import service
from events.store import MAX_BATCH, Append, EventStore, Head, Key, New, Snapshot, Stored, everything
from events.tables import actions as table_actions
from events.tables import session as tables
from events.tables.state import Session, new_session, stream_of
from events.tables.types import SessionOpened

_FLOOR_AND_PEOPLE = (floor.TableInstalled.TYPE, people.RoleGranted.TYPE, people.RoleRevoked.TYPE)
SNAPSHOT_EVERY = 500  # events of a stream


class Target(msgspec.Struct, frozen=True):
    """Whose action it is: a table (of a gaming day; None: the current one), a progressive, the floor, the people."""

    kind: Literal["tables", "progressives", "floor", "people"]
    name: str = ""
    gaming_day: str | None = None


class Seen(msgspec.Struct, frozen=True):
    """A stream as this process knows it."""

    version: int
    state: Any


class Work(msgspec.Struct, frozen=True):
    """Events decided and not appended yet, with the state before them."""

    key: Key
    stream: str
    events: list[New]
    before: Seen


class Streams:
    """State by stream. Not for two threads at once: the desk's writer owns it."""

    def __init__(self, store: EventStore, property_: str) -> None:
        self.store = store
        self.property = property_
        self.floor = floor.Floor()
        self.people = people.People()
        # up to which position floor, people and the openings of gaming days are known
        self._house: int | None = None
        self._heads: dict[str, Head] = {}
        self._seen: dict[str, Seen] = {}
        self._latest: dict[str, str] = {}  # by table: its latest gaming day's stream
        self._last = ""

    # --- reading ----------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Read the streams again at their next use."""
        for known in (self._heads, self._seen, self._latest):
            known.clear()

    def refresh_house(self) -> None:
        """Floor, roles and gaming days as of now: what another process has written counts from the next command on."""
        if self._house is None:
            begun = self.store.position()
            for event in everything(self.store, types=_FLOOR_AND_PEOPLE):
                self._take_news(event)
            self._house = begun
        while news := self.store.after(self._house, MAX_BATCH, (*_FLOOR_AND_PEOPLE, SessionOpened.TYPE)):
            for event in news:
                self._take_news(event)
            self._house = news[-1].position

    def _take_news(self, stored: Stored) -> None:
        if stored.type == SessionOpened.TYPE:
            self._latest.pop(_table_of(stored.stream), None)  # it is looked up when it is needed
            return
        event = catalogue.decode(stored.type, stored.raw).data
        self.floor, self.people = floor.evolve(self.floor, event), people.evolve(self.people, event)

    def roles(self, person: str) -> frozenset[str]:
        """The roles in force of a person."""
        return self.people.roles.get(person, frozenset())

    def _state(self, stream: str, new: Callable[[], Any], decider: Any) -> Seen:
        """The state after all that is stored and all work waiting."""
        seen = self._seen.get(stream)
        if seen is None:
            seen = self._load(stream, new, decider)
            self._seen[stream] = seen
        return seen

    def _load(self, stream: str, new: Callable[[], Any], decider: Any) -> Seen:
        state, version = new(), 0
        if decider is tables and (snapshot := self.store.snapshot(stream, tables.EVOLVE)) is not None:
            state, version = tables.load(snapshot.state), snapshot.version
        head = Head(-1, b"")
        while head.version != version:  # another process may write between the two readings
            stored = self.store.stream(stream, after=version)
            for event in stored:
                state = decider.evolve(state, catalogue.decode(event.type, event.raw).data)
            version = stored[-1].version if stored else version
            head = Head(version, digest(stored[-1].raw)) if stored else self.store.head(stream)
        self._heads[stream] = head
        return Seen(version, state)

    def is_behind(self) -> bool:
        """Whether another process has written to the stream that was decided last since it was read here."""
        known = self._heads.get(self._last)
        return known is not None and self.store.head(self._last).version > known.version

    # --- deciding ---------------------------------------------------------------------------------------------

    def decide(self, target: Target, action: Action, data: ActionData, who: Who, key: Key) -> Work:
        """What the action makes happen in its stream. The stream's state moves on; `rollback` takes it back."""
        self._last = ""
        who = msgspec.structs.replace(who, roles=who.roles | self.roles(who.person))
        stream, new, decider = self._decider(target, data)
        self._last = stream
        seen = self._state(stream, new, decider)
        happened = decider.decide(seen.state, action, data, who)
        state = seen.state
        for event in happened:
            state = decider.evolve(state, event)
        metas = _Metas(action, who, _role(target, data, who), stream)
        events = [New(event, metas.of(event)) for event in happened]
        assert events, f"{data.TYPE} was neither refused nor made anything happen"
        self._seen[stream] = Seen(seen.version + len(events), state)
        if isinstance(data, table_actions.OpenSession):
            self._latest[target.name] = stream
        written = Key(key.key, key.content, stream, seen.version + 1, len(events))
        return Work(written, stream, events, seen)

    def rollback(self, works: Sequence[Work]) -> None:
        """As if these had not been decided (the last ones of their streams)."""
        for work in reversed(works):
            self._seen[work.stream] = work.before
            if work.before.version == 0:
                self._latest.pop(_table_of(work.stream), None)

    def _decider(self, target: Target, data: ActionData) -> tuple[str, Callable[[], Any], Any]:
        if target.kind == "floor":
            return f"{self.property}/floor", floor.Floor, floor
        if target.kind == "people":
            return f"{self.property}/people", people.People, people
        installed = self.floor.tables.get(target.name)
        if installed is None:
            raise Unknown(f"there is no table {target.name!r:.40} on the floor")
        if isinstance(data, table_actions.OpenSession):
            return self._new_day(target, data.gaming_day)
        stream = self._current(target)
        day = stream.rpartition("/")[2]
        return stream, lambda: new_session(self.property, installed, day), tables

    def _current(self, target: Target) -> str:
        if target.gaming_day is not None:
            return stream_of(self.property, target.name, target.gaming_day)
        if target.name not in self._latest:
            found = self.store.last_stream(f"{self.property}/tables/{target.name}/")
            if found is None:
                raise Refused("house session", f"table {target.name} has never been opened")
            self._latest[target.name] = found
        return self._latest[target.name]

    def _new_day(self, target: Target, gaming_day: str) -> tuple[str, Callable[[], Any], Any]:
        """A table opens one gaming day at a time, and never one that lies before its last."""
        installed = self.floor.tables[target.name]
        stream = stream_of(self.property, target.name, gaming_day)
        last = self.store.last_stream(f"{self.property}/tables/{target.name}/")
        if last is not None and last != stream:
            day = last.rpartition("/")[2]
            self._last = last  # should this be refused, it is by what is known of the last day
            before: Session = self._state(last, lambda: new_session(self.property, installed, day), tables).state
            if before.status == "open":
                raise Refused("house session", f"the table is still open for {day}: close it first")
            if gaming_day < day:
                raise Refused("house session", f"the gaming day {day} has been opened already")
        return stream, lambda: new_session(self.property, installed, gaming_day), tables

    # --- writing ----------------------------------------------------------------------------------------------

    def append(self, works: Sequence[Work]) -> dict[str, list[Stored]]:
        """Append all work in one transaction; the stored events by action key. Raises Stale, KeyReused, Retry."""
        by_stream: dict[str, list[New]] = {}
        for work in works:
            by_stream.setdefault(work.stream, []).extend(work.events)
        appends = [Append(stream, self._heads[stream], events) for stream, events in by_stream.items()]
        self._assert_consecutive(works)
        written = self.store.append(appends, [work.key for work in works])
        self._heads.update(written.heads)
        for stream, events in by_stream.items():
            self._snapshot(stream, len(events))
        stored = {(event.stream, event.version): event for event in written.stored}
        return {
            work.key.key: [stored[work.stream, work.key.first + i] for i in range(work.key.count)] for work in works
        }

    def _assert_consecutive(self, works: Sequence[Work]) -> None:
        """Each work was decided on the state after the one before it, the first on what is stored."""
        versions = {work.stream: self._heads[work.stream].version for work in works}
        for work in works:
            assert work.key.first == versions[work.stream] + 1, f"{work.key.key} was decided on another state"
            versions[work.stream] += work.key.count

    def _snapshot(self, stream: str, added: int) -> None:
        """Now and then, so that a new process need not read a whole day. Losing one costs nothing but time."""
        seen = self._seen[stream]
        if (
            isinstance(seen.state, Session)
            and seen.version // SNAPSHOT_EVERY != (seen.version - added) // SNAPSHOT_EVERY
        ):
            self.store.save_snapshot(Snapshot(stream, seen.version, tables.EVOLVE, tables.dump(seen.state)))

    # --- progressives: judged at their own position, inside their append --------------------------------------

    def is_own_transaction(self, target: Target) -> bool:
        """Whether the target's actions are decided with the store's lock held."""
        return target.kind == "progressives"

    def progressive(self, target: Target, action: Action, data: ActionData, who: Who, key: Key) -> list[Stored]:
        """Decide and append one action of a progressive, with the locks that are due by then."""
        who = msgspec.structs.replace(who, roles=who.roles | self.roles(who.person))
        return service.act(self.store, self.property, target.name, action, data, who, key)


class _Metas:
    """Meta of an action's events: the same for all but for what they belong to (round, hit, slip)."""

    def __init__(self, action: Action, who: Who, role: str, stream: str) -> None:
        self._common = Meta(
            time=action.time or now(),
            actor=who.person,
            actorrole=role,
            actordevice=who.device or msgspec.UNSET,
            causation=action.key,
        )
        self._stream = stream
        self._made: dict[str | None, Meta] = {}

    def of(self, event: EventData) -> Meta:
        correlation = correlation_of(event, self._stream)
        if correlation not in self._made:
            self._made[correlation] = msgspec.structs.replace(self._common, correlation=correlation or msgspec.UNSET)
        return self._made[correlation]


def _table_of(stream: str) -> str:
    """The table whose stream this is; nothing useful for another stream."""
    return stream.split("/")[-2]


def correlation_of(event: EventData, stream: str) -> str | None:
    """What an event belongs to: its hit, its slip, its round."""
    if (hit := getattr(event, "hit", None)) is not None:
        return str(hit)
    if (slip := getattr(event, "slip", None)) is not None:
        return f"{event.TYPE.partition('.')[0]}-{slip}"
    if (number := getattr(event, "round", None)) is not None:
        return f"{stream}#{number}"
    return None


def _role(target: Target, data: ActionData, who: Who) -> str:
    """The role stamped on the event: that under which it was allowed."""
    if target.kind == "tables":
        return tables.role_for(data, who)
    if not who.roles and target.kind != "people":
        raise Forbidden("nobody acts without a role")
    return min(who.roles, default="system")


def check_property(name: str) -> str:
    """A property's name as part of every stream. Raises Invalid."""
    if not name.replace("-", "").isalnum():
        raise Invalid("property", "letters, digits and dashes")
    return name
