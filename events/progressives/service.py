"""A progressive in the store: its fold kept up with the facts, its actions and its locks appended under the lock.

`act` judges an action at its own position: with the store's lock held, by the fold over every earlier fact. Locks
that are due by then are appended with it, so nothing depends on how far a worker has come. `reconcile` appends the
locks that are due; ten at once, a lost or a doubled call come to one result.
"""

import threading
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
import structlog

from events import approvals, authority, catalogue, moments, people
from events.approvals import Moment
from events.envelope import Action, ActionData, EventData, Meta, Who
from events.errors import KeyReused, Poison, Refused, Unknown
from events.progressives import actions as do
from events.progressives import history
from events.progressives import types as was
from events.progressives.ahead import table_and_day
from events.progressives.asking import Place, events_of
from events.progressives.decider import due_locks
from events.progressives.exceptions import Unfit, unfit
from events.progressives.fold import VERSION, Fold
from events.progressives.from_events import FACT_TYPES, fact_of, opening_of
from events.progressives.history import stream_of
from events.store import MAX_BATCH, Append, EventStore, Key, New, Reader, Snapshot, Stored

SNAPSHOT_EVERY = 5_000  # positions
EXCEPTIONS_MAX = 1_000  # facts that did not fit, the newest

log = structlog.get_logger(__name__)
_EVOLVE = f"progressive-{VERSION}"
_ASKED = frozenset(kind.TYPE for kind in approvals.EVENTS)
_TYPES = (*sorted(FACT_TYPES), was.ProgressiveOpened.TYPE, *sorted(_ASKED))
_WANTED = frozenset(_TYPES)


class _Saved(msgspec.Struct, frozen=True):
    """A snapshot's content: the fold, the requests that wait, and the facts that did not fit."""

    fold: bytes
    requests: approvals.Requests
    exceptions: list[Unfit] = []


class Live:
    """One progressive as this process knows it: everything up to `position` of the store.

    `exceptions` are the facts that the fold refused: recorded at a table or by another version of the rules, they
    moved nothing, and somebody must look at them.
    """

    def __init__(self, property_: str, name: str, *, tells: bool = True) -> None:
        """`tells`: whether facts that do not fit are logged."""
        self.name = name
        self._tells = tells
        self.stream = stream_of(property_, name)
        self.fold: Fold | None = None
        self.requests: approvals.Requests = {}
        self.exceptions: list[Unfit] = []
        self.position = 0
        self.saved = 0
        self.guard = threading.Lock()
        self._last: Stored | None = None  # the event at `position`, as it was read
        self._has_begun = False

    def begin(self, store: EventStore) -> None:
        """Restore once; where the store does not answer, the next caller does."""
        if not self._has_begun:
            self.restore(store)
            self._has_begun = True

    def catch_up(self, reader: Reader) -> None:
        """Read every fact that is stored: what is known already, too, where the store holds another history now."""
        if self._last is not None and reader.after(self.position - 1, 1, until=self.position) != [self._last]:
            log.error("the store is not what was read: folded again", progressive=self.name, position=self.position)
            self.fold, self.requests, self.exceptions = None, {}, []
            self.position, self._last = 0, None
        while found := reader.after(self.position, MAX_BATCH, _TYPES):
            for stored in found:
                self.take(stored)

    def take(self, stored: Stored) -> None:
        """The next event of the store, whatever it is. The caller brings them in order.

        One that cannot be read raises Poison, and nothing is taken past it.
        """
        if stored.type in _WANTED:
            self._take(stored)
        self.position, self._last = stored.position, stored

    def _take(self, stored: Stored) -> None:
        ours = stored.stream == self.stream
        if stored.type == was.ProgressiveOpened.TYPE:
            if ours:
                opened = catalogue.decode(stored.type, stored.raw).data
                self.fold = Fold.opened(stored.position, opening_of(opened))
        elif stored.type in _ASKED:
            if ours:
                self.requests = approvals.evolve(self.requests, catalogue.decode(stored.type, stored.raw).data)
        elif self.fold is not None and (ours or "/tables/" in stored.stream):
            data = catalogue.decode(stored.type, stored.raw).data
            fact = fact_of(stored.position, stored.stream, stored.type, data, self.name)
            if fact is not None:
                self._note(stored, self.fold.take([fact]))

    def _note(self, stored: Stored, refused: Sequence[tuple[int, Refused]]) -> None:
        for at, error in refused:
            one = unfit(at, stored.stream, stored.type, error)
            if self._tells:
                log.warning("a fact does not fit the progressive", progressive=self.name, **msgspec.to_builtins(one))
            self.exceptions = [*self.exceptions, one][-EXCEPTIONS_MAX:]

    def restore(self, store: EventStore) -> None:
        """Begin at the latest snapshot that this version of the fold made, or else at the stream's first event."""
        snapshot = store.snapshot(f"{self.stream}#fold", _EVOLVE)
        if snapshot is not None and self.load(snapshot.state, snapshot.version):
            self.saved = snapshot.version
        else:
            self.position = _before_the_first(store, self.stream)

    def as_if(self) -> "Live":
        """A copy to try things on: what it takes, nobody else gets to know."""
        copy = Live("", self.name, tells=False)
        copy.stream, copy.position = self.stream, self.position
        copy.fold = self.fold.copy() if self.fold is not None else None
        copy.requests, copy.exceptions = self.requests, self.exceptions
        return copy

    def save(self, store: EventStore) -> None:
        """Keep a snapshot now and then."""
        if self.fold is not None and self.position - self.saved >= SNAPSHOT_EVERY:
            store.save_snapshot(Snapshot(f"{self.stream}#fold", self.position, _EVOLVE, self.dump(self.fold)))
            self.saved = self.position

    def dump(self, fold: Fold) -> bytes:
        """A snapshot's content."""
        return msgspec.msgpack.encode(_Saved(fold.dump(), self.requests, self.exceptions))

    def load(self, raw: bytes, position: int) -> bool:
        """Be as `dump` was at this position; False where that was another version of the fold."""
        saved = msgspec.msgpack.decode(raw, type=_Saved)
        if (fold := Fold.load(saved.fold)) is None:
            return False
        self.fold, self.requests, self.exceptions = fold, saved.requests, saved.exceptions
        self.position = position
        return True


_live: "WeakKeyDictionary[EventStore, dict[tuple[str, str], Live]]" = WeakKeyDictionary()
_guard = threading.Lock()


def _before_the_first(reader: Reader, stream: str) -> int:
    """The position before a stream's first event, the store's last one where there is none: nothing below counts."""
    last = reader.position()  # before the look: what is opened in between lies behind it
    first = reader.stream(stream, limit=1)
    return first[0].position - 1 if first else last


def progressives(store: Reader, property_: str) -> list[str]:
    """The names of the property's progressives."""
    return history.names(store, property_)


def live(store: EventStore, property_: str, name: str) -> Live:
    """The progressive as this process keeps it, at its latest snapshot when first asked for.

    Only those who want this one wait for the snapshot: each has a guard of its own.
    """
    with _guard:
        known = _live.setdefault(store, {})
        if (property_, name) not in known:
            known[property_, name] = Live(property_, name)
        at = known[property_, name]
    with at.guard:
        at.begin(store)
    return at


def prepare(store: EventStore, property_: str) -> None:
    """Fold every progressive up to now, and keep a snapshot, before anybody is served.

    A new version of the fold reads all there is once more: a year takes minutes, which no action may wait for. One
    that cannot be folded is left to whoever asks for it.
    """
    for name in progressives(store, property_):
        at = live(store, property_, name)
        try:
            with at.guard:
                at.catch_up(store)
                at.save(store)
        except Poison as error:
            log.error("a progressive could not be folded", progressive=name, why=str(error))


def must_exist(store: EventStore, property_: str, name: str) -> None:
    """Raises Unknown where nothing was ever said of it: a mistyped name costs a look at one stream's head."""
    if (property_, name) not in _live.get(store, {}) and not store.head(stream_of(property_, name)).version:
        raise Unknown(f"there is no progressive {name!r:.60}")


def current(store: EventStore, property_: str, name: str) -> Fold:
    """A copy of the fold over everything that is stored now. Raises Unknown, Poison."""
    must_exist(store, property_, name)
    at = live(store, property_, name)
    with at.guard:
        at.catch_up(store)
        if at.fold is None:
            raise Unknown(f"there is no progressive {name!r:.60}")
        return at.fold.copy()


def must_take_late_hit(store: EventStore, property_: str, name: str, table: str, round_: int, box: int) -> None:
    """Raises Refused where a hit of the box stands, or the round is not at hand here any more. `table` is the stream.

    A winner of such a round is nothing that a meter can pay: people settle it with a house payment.
    """
    at = live(store, property_, name)
    with at.guard:
        at.catch_up(store)
        hits = at.fold.state.hits.values() if at.fold is not None else ()
        wanted = (table, round_, box)
        found = next((hit.id for hit in hits if (hit.table, hit.round, hit.box) == wanted and not hit.void), None)
        knows = at.fold is not None and at.fold.knows(table, round_)
    if found is not None:
        raise Refused("blazing7s B", f"the hit of box {box} is declared already: {found}", reading="BLZ-16")
    if not knows:
        why = f"round {round_} fed no meter of {name}, or is too long over: pay its winner by the house (house.pay)"
        raise Refused("house late hit", why)


def reconcile(store: EventStore, property_: str, name: str) -> int:
    """Append the locks that are due; how many that were. Safe to call at any moment, by anybody, again."""
    at = live(store, property_, name)
    with at.guard:
        at.catch_up(store)
        at.save(store)
        if at.fold is None or not due_locks(at.fold):
            return 0
        with store.locked() as locked:
            at.catch_up(locked)
            events = due_locks(at.fold)
            if events:
                meta = Meta(time=store.clock(), actor="reconciler", actorrole="system")
                locked.append([_append(locked, at, [New(event, _of(event, meta)) for event in events])])
        at.catch_up(store)
        return len(events)


def let_lapse(store: EventStore, property_: str, name: str) -> int:
    """Say of the requests that stand no more that they have lapsed; how many that were. Safe to repeat."""
    at = live(store, property_, name)
    with at.guard:
        at.catch_up(store)
        now = store.clock()
        if not _lapsed(store, property_, at, now):
            return 0
        with store.locked() as locked:
            at.catch_up(locked)
            events = _lapsed(locked, property_, at, now)
            if events:
                meta = Meta(time=store.clock(), actor="reconciler", actorrole="system")
                locked.append([_append(locked, at, [New(event, _of(event, meta)) for event in events])])
        at.catch_up(store)
        return len(events)


def _lapsed(reader: Reader, property_: str, at: Live, now: str) -> Sequence[EventData]:
    if all(request.done for request in at.requests.values()):
        return ()
    return approvals.lapsed(at.requests, Moment(now, people.read(reader, property_).roles))


def misfits(store: EventStore, property_: str, name: str) -> list[Unfit]:
    """The facts that the progressive refused, by position: exceptions for people to look at."""
    at = live(store, property_, name)
    with at.guard:
        at.catch_up(store)
        return list(at.exceptions)


def alert_waiting(store: EventStore, property_: str, name: str, *, after_s: float) -> int:
    """Say, once a round, which levels have waited longer than `after_s` for its initial deal; how many that were.

    They wait from the moment the first pending hit was recorded, by the store's clock.
    """
    at = live(store, property_, name)
    with at.guard:
        at.catch_up(store)
        now = store.clock()
        if at.fold is None or not _overdue(store, at, now, after_s):
            return 0
        with store.locked() as locked:
            at.catch_up(locked)
            events = _overdue(locked, at, now, after_s)
            if events:
                meta = Meta(time=store.clock(), actor="reconciler", actorrole="system")
                locked.append([_append(locked, at, [New(event, _of(event, meta)) for event in events])])
        at.catch_up(store)
    for event in events:
        log.warning("a level waits for an undealt round", **msgspec.to_builtins(event))
    return len(events)


def _overdue(reader: Reader, at: Live, now: str, after_s: float) -> list[was.LevelWaiting]:
    """The alerts that are due and not said yet."""
    assert at.fold is not None
    found = []
    for level in at.fold.state.levels:
        hit = at.fold.waiting_hit(level)
        if hit is None or hit.id in at.fold.state.alerted:
            continue
        waited_s = _seconds_since(reader.after(hit.at - 1, 1, until=hit.at)[0], now)
        if waited_s > after_s:
            table, day = table_and_day(hit.table)
            found.append(
                was.LevelWaiting(
                    progressive=at.name,
                    level=level,
                    hit=hit.id,
                    table=table,
                    gaming_day=day,
                    round=int(hit.round),
                    as_of=hit.at,
                    waited_s=int(waited_s),
                )
            )
    return found


def _seconds_since(stored: Stored, now: str) -> float:
    recorded = datetime.fromisoformat(catalogue.decode(stored.type, stored.raw).recordedat)
    return (datetime.fromisoformat(now) - recorded).total_seconds()


def act(
    store: EventStore,
    property_: str,
    name: str,
    action: Action,
    data: ActionData,
    who: Who,
    moment: Moment,
    key: Key,
    *unchanged: Append,
) -> list[Stored]:
    """Decide an action of a progressive at its own position, and append it; what was stored of it.

    What needs others' approval is stored as a request. Raises Refused, Forbidden, Unknown, KeyReused, Retry, and Stale
    where a stream is not as in `unchanged`, without events: what `who` and the roles of `moment` rest on.
    """
    at = asked(store, property_, name, action, data, who)
    with at.guard:
        at.catch_up(store)
        at.save(store)
        with store.locked() as locked:
            if locked.keys([key.key]):
                raise KeyReused(f"the key {key.key} was used before")
            at.catch_up(locked)
            append = _append(locked, at, news_of(locked, at, action, data, who, moment))
            stands = Key(key.key, key.content, at.stream, append.head.version + 1, len(append.events))
            written = locked.append([append, *unchanged], [stands])
        at.catch_up(store)
        return written.stored


def asked(store: EventStore, property_: str, name: str, action: Action, data: ActionData, who: Who) -> Live:
    """The progressive that this person may ask something of. Raises Forbidden, Refused, Unknown."""
    authority.role_for("progressives", data.TYPE, who.roles)
    if action.intent == "fact":
        raise Refused("house progressive", "a progressive is asked, nothing is reported to it")
    moments.check(action, data, store.clock())
    if not isinstance(data, do.OpenProgressive):
        must_exist(store, property_, name)
    elif data.progressive != name:
        raise Refused("house progressive", f"this is the progressive {name}, not {data.progressive}")
    return live(store, property_, name)


def news_of(reader: Reader, at: Live, action: Action, data: ActionData, who: Who, moment: Moment) -> list[New]:
    """What the action makes happen, with who said it. `reader` has all that `at` knows."""
    base = Meta(
        time=action.time or moment.time,
        actor=who.person,
        actorrole=authority.role_for("progressives", data.TYPE, who.roles),
        actordevice=who.device or msgspec.UNSET,
        causation=action.key,
    )
    happened = events_of(Place(reader, at.stream.partition("/")[0], at.fold), at.requests, action, data, who, moment)
    return [New(event, _of(event, base)) for event in happened]


def _append(reader: Reader, at: Live, events: Sequence[New]) -> Append:
    return Append(at.stream, reader.head(at.stream), events)


def _of(event: EventData, base: Meta) -> Meta:
    """The same people and time; a hit's events and a group's locks are found together."""
    belongs: Any = getattr(event, "hit", None) or getattr(event, "group", None) or getattr(event, "request", None)
    return msgspec.structs.replace(base, correlation=belongs) if belongs else base
