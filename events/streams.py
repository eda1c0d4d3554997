"""The streams that the desk writes: which decider each has, their state as last seen, and work not appended yet."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import Any, Literal

import msgspec
import structlog

from events import approvals, authority, catalogue, floor, moments, people
from events.approvals import Moment
from events.envelope import Action, ActionData, EventData, Meta, Who, digest
from events.errors import Invalid, Refused, Unknown
from events.fields import is_day
from events.past import events_of_round
from events.progressives import history, service
from events.store import Append, EventStore, Head, Key, New, Snapshot, Stored
from events.tables import linked
from events.tables import session as tables
from events.tables.actions.common import OpenSession
from events.tables.actions.progressive import ArmProgressive, DeclareHitLate
from events.tables.state import NOTHING, Beside, Session, acting, at_hand, new_session, stream_of
from events.tables.types.progressive import HitDeclaredLate

log = structlog.get_logger(__name__)

SNAPSHOT_EVERY = 500  # events of a stream
MAX_KNOWN = 500  # streams kept in memory: every open table's, and the closed days that were asked for last
BEGINS_MAX = 1_000  # sessions whose beginnings are kept at hand
# Of a linked table, what is judged by more than its session.
_LINKING = (
    OpenSession,
    ArmProgressive,
    DeclareHitLate,
    *approvals.ANSWERING,
)


class Target(msgspec.Struct, frozen=True, gc=False):
    """Whose action it is: a table (of a gaming day; None: the current one), a progressive, the floor, the people."""

    kind: Literal["tables", "progressives", "floor", "people"]
    name: str = ""
    gaming_day: str | None = None


class Known(msgspec.Struct, frozen=True, gc=False):
    """A stream as it is stored, as far as this process has read it: where it ends, and its state there."""

    head: Head
    state: Any


class Seen(msgspec.Struct, frozen=True, gc=False):
    """A stream with the work that waits to be appended."""

    version: int
    state: Any


class Work(msgspec.Struct, frozen=True, gc=False):
    """Events decided and not appended yet, with the state before them.

    `claim` is a key beside the action's own: that of the one gaming day that follows the table's last.
    """

    key: Key
    stream: str
    events: list[New]
    before: Seen
    claim: Key | None = None

    @property
    def keys(self) -> list[Key]:
        """What the append keeps with the events."""
        return [self.key] if self.claim is None else [self.key, self.claim]


class Streams:
    """State by stream. Not for two threads at once: the desk's writer owns it.

    Who may do what (the people) and what is played where (the floor) are streams as any other. Nothing is asked of
    the store before a decision: an append expects them, too, to stand where they were when it was decided.
    """

    def __init__(self, store: EventStore, property_: str) -> None:
        self.store = store
        self.property = property_
        self._floor, self._people = f"{property_}/floor", f"{property_}/people"
        self._deciders: dict[str, Any] = {self._floor: floor, self._people: people}  # all others are tables
        self._known: OrderedDict[str, Known] = OrderedDict()  # the one used last comes last
        self._seen: dict[str, Seen] = {}
        self._linked: dict[str, linked.Linked] = {}  # the progressives that are open: they stay as they were opened
        self._latest: dict[str, str] = {}  # by table: its latest gaming day's stream, when it was last looked up
        self._begins: dict[str, str] = {}  # by session: when it began
        self._last = ""
        self._unsaved: dict[str, Snapshot] = {}

    # --- reading ----------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Catch up with the store at each stream's next use: what is known may not be all that is stored."""
        self._seen.clear()
        self._latest.clear()

    def floor(self) -> floor.Floor:
        """The tables."""
        found: floor.Floor = self._state(self._floor).state
        return found

    def people(self) -> people.People:
        """The roles in force."""
        found: people.People = self._state(self._people).state
        return found

    def session(self, table: str, gaming_day: str | None = None) -> tuple[Session, int]:
        """A table's session of a gaming day (None: of its latest) and its version. Raises Unknown, Invalid."""
        self._must_be_there(table)
        if gaming_day is not None:
            stream = self._opened_day(table, gaming_day)
        elif not (stream := self._last_stream(table)):
            raise Unknown(f"table {table} has never been opened")
        seen = self._state(stream)
        return seen.state, seen.version

    @property
    def size(self) -> int:
        """How many streams are kept at hand."""
        return len(self._known)

    def in_force(self, who: Who) -> Who:
        """The person with the roles that the events say."""
        roles = self.people().roles.get(who.person)
        return msgspec.structs.replace(who, roles=who.roles | roles) if roles else who

    def moment(self) -> Moment:
        """Now, and the roles that everybody is in."""
        return Moment(self.store.clock(), self.people().roles)

    def _state(self, stream: str) -> Seen:
        """The state after all that is stored and all work waiting."""
        seen = self._seen.get(stream)
        if seen is None or (seen.version == 0 and stream not in self._deciders):  # new: it is what the floor says now
            known = self._known[stream] = self._catch_up(stream)
            seen = self._seen[stream] = Seen(known.head.version, known.state)
        self._known.move_to_end(stream)
        return seen

    def drop_unused(self) -> None:
        """Keep MAX_KNOWN streams in memory, those used last; a closed day is read again if it is asked for.

        Not while work waits to be appended: it stands on what is known.
        """
        while len(self._known) > MAX_KNOWN:
            stream, _ = self._known.popitem(last=False)
            self._seen.pop(stream, None)

    def _catch_up(self, stream: str) -> Known:
        """What was known of the stream, and all that was stored since."""
        decider, known = self._decider(stream), self._known.get(stream)
        if known is not None and known.head.version and self.store.head(stream) == known.head:
            return known
        known = known if known is not None and self._is_stored(stream, known.head) else None
        state, version = self._begin(stream) if known is None else (known.state, known.head.version)
        while True:
            stored = self.store.stream(stream, after=version)
            for event in stored:
                read = catalogue.decode(event.type, event.raw)
                state = decider.evolve(state, read.data, read.actor)
            if stored:
                return Known(Head(stored[-1].version, digest(stored[-1].raw)), state)
            head = known.head if known is not None else self.store.head(stream)
            if head.version == version:  # if not, another process wrote between the two readings
                return Known(head, state)

    def _is_stored(self, stream: str, head: Head) -> bool:
        """Whether the stream had its end there once; if not, the store holds another history now (a backup)."""
        if not head.version:
            return False
        last = self.store.stream(stream, after=head.version - 1, limit=1)
        if last and digest(last[0].raw) == head.digest:
            return True
        log.error("the store is not what was read: read again", stream=stream, version=head.version)
        return False

    def _begin(self, stream: str) -> tuple[Any, int]:
        """The state of the latest snapshot, or the one before the first event; and after which version that is."""
        if stream == self._floor:
            return floor.Floor(), 0
        if stream == self._people:
            return people.People(), 0
        if (snapshot := self.store.snapshot(stream, tables.EVOLVE)) is not None:
            return tables.load(snapshot.state), snapshot.version
        _, _, table, gaming_day = stream.split("/", 3)
        return new_session(self.property, self.floor().tables[table], gaming_day), 0

    def is_behind(self) -> bool:
        """Whether another process has written to what the last decision was made on, since it was read here."""
        return any(
            self.store.head(stream).version > self._known[stream].head.version
            for stream in {self._last, self._floor, self._people} & self._seen.keys()
        )

    # --- deciding ---------------------------------------------------------------------------------------------

    def decide(self, target: Target, action: Action, data: ActionData, who: Who, content: bytes) -> Work:
        """What the action makes happen in its stream. The stream's state moves on; `rollback` takes it back.

        `who` is in his roles in force, `content` the hash under which the action's key is kept.
        """
        assert action.intent != "check", "the deciders know what is asked and what has happened, no questions"
        self._last = ""
        stream = self._last = self._stream(target, data)
        decider, before = self._decider(stream), self._state(stream)
        moments.check(action, data, self.store.clock(), self._begun(stream) if action.time is not None else None)
        happened = self._happened(decider, self._as_opened(before.state, data), action, data, who)
        if isinstance(data, DeclareHitLate):
            self._must_have_no_hit(stream, before.state, data)
        for event in happened:
            if isinstance(event, HitDeclaredLate):  # it was asked for before, and is agreed to now
                self._must_have_no_hit(stream, before.state, event)
            self._must_be_linked(event)
        self._must_be_linked(data)
        assert happened, f"{data.TYPE} was neither refused nor made anything happen"
        state = before.state
        for event in happened:
            state = decider.evolve(state, event, who.person)
        key = Key(action.key, content, stream, before.version + 1, len(happened))
        claim = self._claim(target, key) if isinstance(data, OpenSession) else None
        self._seen[stream] = Seen(before.version + len(happened), state)
        time = action.time or self.store.clock()
        return Work(key, stream, _news(happened, stream, action, time, who, _role(target, data, who)), before, claim)

    def _begun(self, stream: str) -> str | None:
        """When a table's session began; None where it is not stored yet, and for what is no table's."""
        if stream not in self._begins and stream not in self._deciders:
            if not (first := self.store.stream(stream, limit=1)):
                return None
            if len(self._begins) >= BEGINS_MAX:
                self._begins.clear()
            self._begins[stream] = catalogue.decode(first[0].type, first[0].raw).time
        return self._begins.get(stream)

    def _as_opened(self, state: Any, data: ActionData) -> Any:
        """What a gaming day is opened on: where it was declared void, on what the floor says now."""
        if isinstance(state, Session) and state.status == "void" and isinstance(data, OpenSession):
            return new_session(self.property, self.floor().tables[state.table], state.gaming_day)
        return state

    def _happened(self, decider: Any, state: Any, action: Action, data: ActionData, who: Who) -> list[EventData]:
        """The decision: a table's, with what it is judged by beside its session."""
        if isinstance(state, Session):
            return tables.decide(state, action, data, who, self.moment(), self._beside(state, data, who))
        happened: list[EventData] = decider.decide(state, action, data, who, self.moment())
        return happened

    def _beside(self, session: Session, data: ActionData, who: Who) -> Beside:
        """What the decision needs of other streams, or of this one further back: nothing, but for a few actions."""
        if session.progressive is None or not isinstance(data, _LINKING):
            return NOTHING
        if isinstance(data, OpenSession | ArmProgressive):
            return Beside(linked=self._link(session.progressive))
        tables.role_for(data, who)  # nobody else makes the desk read
        late = tables.late_hit(session, data)
        if late is None or at_hand(session, late.round) is not None:
            return NOTHING
        read = events_of_round(self.store, session.stream, late.round)
        acted = dict.fromkeys(event.actor for event in read if isinstance(event.data, acting()))
        return Beside(dealt=tuple(event.data for event in read), acted=tuple(acted))

    def _link(self, name: str) -> linked.Linked | None:
        """The progressive, if it is open: read once for good."""
        if name not in self._linked and (found := history.linked(self.store, self.property, name)) is not None:
            self._linked[name] = found
        return self._linked.get(name)

    def _must_be_linked(self, install: ActionData | EventData) -> None:
        """Who installs a table, or asks for it, names a progressive that is open, in the table's own currency."""
        if isinstance(install, floor.InstallTable | floor.TableInstalled) and install.progressive is not None:
            linked.require(install.progressive, install.currency, self._link(install.progressive))

    def _must_have_no_hit(self, stream: str, session: Session, late: DeclareHitLate | HitDeclaredLate) -> None:
        """A hit found late is refused where one stands. Only the progressive knows which of them are void.

        Should one be declared between this look and the append, the late one moves nothing, and is an exception.
        """
        if session.progressive is None or late.round is None or late.box is None:
            return
        service.must_take_late_hit(self.store, self.property, session.progressive, stream, late.round, late.box)

    def rollback(self, works: Sequence[Work]) -> None:
        """As if these had not been decided (the last ones of their streams)."""
        for work in reversed(works):
            self._seen[work.stream] = work.before

    def _decider(self, stream: str) -> Any:
        return self._deciders.get(stream, tables)

    def _stream(self, target: Target, data: ActionData) -> str:
        if target.kind == "floor":
            return self._floor
        if target.kind == "people":
            return self._people
        self._must_be_there(target.name)
        if isinstance(data, OpenSession):
            return self._new_day(target, data.gaming_day)
        if target.gaming_day is not None:
            return self._opened_day(target.name, target.gaming_day)
        return self._current(target.name)

    def _must_be_there(self, table: str) -> None:
        if table not in self.floor().tables:
            raise Unknown(f"there is no table {table!r:.40} on the floor")

    def _opened_day(self, table: str, gaming_day: str) -> str:
        """The stream of a gaming day that the table was opened for: a mistyped one leaves nothing behind here."""
        if not is_day(gaming_day):
            raise Invalid("gaming_day", "a day as 2026-11-21")
        stream = stream_of(self.property, table, gaming_day)
        seen = self._seen.get(stream)
        if (seen is None or not seen.version) and not self.store.head(stream).version:
            raise Unknown(f"table {table} was not opened on the gaming day {gaming_day}")
        return stream

    def _current(self, table: str) -> str:
        """The table's latest gaming day.

        Another process can open a later one only after closing the one that is known here: as long as that is open,
        it is the latest, or no longer at its head.
        """
        known = self._latest.get(table, "")
        if known in self._seen and self._seen[known].state.status == "open":
            return known
        last = self._last_day(table)
        if not last:
            raise Refused("house session", f"table {table} has never been opened")
        self._latest[table] = last
        return last

    def _last_stream(self, table: str) -> str:
        """Of the table's streams the last, stored or waiting to be; "" where there is none."""
        table_streams = f"{self.property}/tables/{table}/"
        stored = self.store.last_stream(table_streams) or ""
        return max(
            [stored, *(name for name, seen in self._seen.items() if seen.version and name.startswith(table_streams))]
        )

    def _last_day(self, table: str) -> str:
        """Of the table's gaming days the last that is not void; where all of them are, the last; "": there is none."""
        standing = (day for day in self._days_back(table) if not self._is_void(day))
        return next(standing, self._last_stream(table))

    def _days_back(self, table: str) -> Iterator[str]:
        """The streams of a table's gaming days, stored or waiting to be, the last first."""
        days = f"{self.property}/tables/{table}/"
        found = self._last_stream(table)
        while found:
            yield found
            known = (name for name, seen in self._seen.items() if seen.version and days < name < found)
            found = max([self.store.last_stream(days, found) or "", *known])

    def _is_void(self, stream: str) -> bool:
        return bool(self._state(stream).state.status == "void")

    def _new_day(self, target: Target, gaming_day: str) -> str:
        """A table opens one gaming day at a time, and never one that lies before its last."""
        stream = stream_of(self.property, target.name, gaming_day)
        last = self._last_day(target.name)
        if last not in ("", stream) and self._state(last).state.status != "void":
            day = last.rpartition("/")[2]
            self._last = last  # should this be refused, it is by what is known of the last day
            if self._state(last).state.status == "open":
                raise Refused("house session", f"the table is still open for {day}: close it first")
            if gaming_day < day:
                raise Refused("house session", f"the gaming day {day} has been opened already")
        return stream

    def _claim(self, target: Target, opening: Key) -> Key | None:
        """Two processes may open different days of a table at once: their streams differ, this key does not.

        No action's key has a # in it. None where the day itself is opened again: its head tells them apart.
        """
        last, voided = self._last_stream(target.name), self._voided(target.name)
        if last == opening.stream and not voided:
            return None
        day = self._last_day(target.name).rpartition("/")[2]
        name = f"{self.property}/tables/{target.name}#after-{day}{voided}"
        return msgspec.structs.replace(opening, key=name)

    def _voided(self, table: str) -> str:
        """Which voids a table's days end with, as a part of a claim: any day may follow them, but only one.

        All of them: after a second mistake the last day's is still the same as after the first.
        """
        void = takewhile(self._is_void, self._days_back(table))
        return "".join(f",{stream.rpartition('/')[2]}@{self._state(stream).version}" for stream in void)

    # --- writing ----------------------------------------------------------------------------------------------

    def append(self, works: Sequence[Work]) -> dict[str, list[Stored]]:
        """Append all work in one transaction; the stored events by action key. Raises Stale, KeyReused, Retry."""
        self._assert_consecutive(works)
        by_stream: dict[str, list[New]] = {house: [] for house in (self._floor, self._people) if house in self._seen}
        for work in works:
            by_stream.setdefault(work.stream, []).extend(work.events)
        appends = [Append(stream, self._known[stream].head, events) for stream, events in by_stream.items()]
        written = self.store.append(appends, [key for work in works for key in work.keys])
        for stream, events in by_stream.items():
            seen = self._seen[stream]
            self._known[stream] = Known(written.heads[stream], seen.state)
            self._note_snapshot(stream, seen, len(events))
        return _by_key(works, written.stored)

    def _assert_consecutive(self, works: Sequence[Work]) -> None:
        """Each work was decided on the state after the one before it, the first on what is stored."""
        versions = {work.stream: self._known[work.stream].head.version for work in works}
        for work in works:
            assert work.key.first == versions[work.stream] + 1, f"{work.key.key} was decided on another state"
            versions[work.stream] += work.key.count

    def _note_snapshot(self, stream: str, seen: Seen, added: int) -> None:
        is_due = seen.version // SNAPSHOT_EVERY != (seen.version - added) // SNAPSHOT_EVERY
        if is_due and isinstance(seen.state, Session):
            self._unsaved[stream] = Snapshot(stream, seen.version, tables.EVOLVE, tables.dump(seen.state))

    def save_snapshots(self) -> None:
        """Now and then, so that a new process need not read a whole day. Losing one costs nothing but time, so nobody
        waits for them: the answers go out before."""
        while self._unsaved:
            self.store.save_snapshot(self._unsaved.popitem()[1])

    def is_house(self, target: Target) -> bool:
        """Whether the target's actions change what others are judged by: who may do what, what is played where.

        They are stored where they were decided among the others' actions, which an append of many streams is not.
        """
        return target.kind in ("floor", "people")

    # --- progressives: judged at their own position, inside their append --------------------------------------

    def is_own_transaction(self, target: Target) -> bool:
        """Whether the target's actions are decided with the store's lock held."""
        return target.kind == "progressives"

    def progressive(self, target: Target, action: Action, data: ActionData, who: Who, key: Key) -> list[Stored]:
        """Decide and append one action of a progressive, with the locks that are due by then.

        Raises Stale where the roles have changed since they were read.
        """
        self._seen.pop(self._people, None)  # a refusal must be by the roles of now
        who = self.in_force(who)
        unchanged = Append(self._people, self._known[self._people].head, ())
        moment = self.moment()
        return service.act(self.store, self.property, target.name, action, data, who, moment, key, unchanged)


def _news(happened: Sequence[EventData], stream: str, action: Action, time: str, who: Who, role: str) -> list[New]:
    """The events with their Meta: the same for all but for what they belong to (round, hit, slip)."""
    device = who.device or msgspec.UNSET
    metas: dict[str | None, Meta] = {}
    news = []
    for event in happened:
        correlation = correlation_of(event, stream)
        if correlation not in metas:
            metas[correlation] = Meta(
                time=time,
                actor=who.person,
                actorrole=role,
                actordevice=device,
                causation=action.key,
                correlation=correlation or msgspec.UNSET,
            )
        news.append(New(event, metas[correlation]))
    return news


def _by_key(works: Sequence[Work], stored: Sequence[Stored]) -> dict[str, list[Stored]]:
    """Each work's events: a stream's works stand in the order in which its events were written."""
    by_stream: dict[str, list[Stored]] = {}
    for event in stored:
        by_stream.setdefault(event.stream, []).append(event)
    coming = {stream: iter(events) for stream, events in by_stream.items()}
    return {work.key.key: list(islice(coming[work.stream], work.key.count)) for work in works}


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
    """The role stamped on the event: that under which it was allowed. The very first grant of a house needs none."""
    return authority.role_for(target.kind, data.TYPE, who.roles) if who.roles else "system"


def check_property(name: str) -> str:
    """A property's name as part of every stream. Raises Invalid."""
    if not name.replace("-", "").isalnum():
        raise Invalid("property", "letters, digits and dashes")
    return name
