"""Makes the next head: catches up with the store, and signs it. Safe to repeat at any moment.

A process keeps the tree's frontier and a fold of every progressive; a new one begins at a snapshot. Two processes at
once make one head: the number is taken only once.
"""

import threading
import time
from collections.abc import Callable, Sequence

import msgspec
import structlog

from events.cases.case_key_and_file_vault import destroyed_cases
from events.envelope import digest
from events.error_codes import coded
from events.errors import Conflict, Poison
from events.integrity.merkle import Frontier, leaf_hash
from events.integrity.signed_head_format import Fed, Head, Looked, decode, digest_of, encode, has_signature, sign
from events.integrity.signed_head_stores import Heads, in_order
from events.progressives.event_types import ProgressiveOpened
from events.progressives.fold import VERSION
from events.progressives.history_reader import stream_of
from events.progressives.progressive_state_following_store import FOLDED, ProgressiveFollower
from events.signing.house_signing_key import Signer
from events.signing.last_signed_head_file import LastHead
from events.store import EventReader, EventStore, Snapshot, Stored

CHUNK = 2_000
SNAPSHOT_EVERY = 50_000  # events: a snapshot holds the folds, which are large
MARK_EVERY = 8_192  # events: the interval at which the tree is stored, for proofs about later events
EVOLVE = f"heads-2-{VERSION}"
_MARKS = "marks-1"

log = structlog.get_logger(__name__)


class _SavedReckoner(msgspec.Struct, frozen=True):
    size: int
    hashes: list[bytes]
    position: int
    lives: dict[str, bytes]
    unreadable: set[str]


class _Mark(msgspec.Struct, frozen=True):
    size: int
    hashes: list[bytes]
    position: int


class Reckoner:
    """The store's tree and the contributions, up to `position`; it takes every event in order."""

    def __init__(self, property_: str) -> None:
        self.property = property_
        self.tree = Frontier()
        self.position = 0
        self.saved = 0
        self.guard = threading.Lock()
        self._last: Stored | None = None  # the event at `position`, as read
        self._lives: dict[str, ProgressiveFollower] = {}
        self._unreadable: set[str] = set()
        self.stopped: list[tuple[str, int]] = []  # progressives, each with where an event could not be read
        self._marks: list[_Mark] = []
        self._has_begun = False

    def begin(self, store: EventStore) -> None:
        """Restore once; where the store does not answer, the next caller does."""
        if not self._has_begun:
            self.restore(store)
            self._has_begun = True

    def feed(self, stored: Stored) -> None:
        """The next event."""
        self.grow([stored], [digest(stored.raw)])
        self.fold(stored)

    def grow(self, events: Sequence[Stored], digests: Sequence[bytes]) -> None:
        """Extend the tree with the next events and their digests; `fold` must take each as well."""
        done = 0
        while done < len(events):
            part = slice(done, done + MARK_EVERY - self.tree.size % MARK_EVERY)
            here = zip(events[part], digests[part], strict=True)
            self.tree.extend([leaf_hash(stored.position, stored.type, end) for stored, end in here])
            done = min(part.stop, len(events))
            self.position, self._last = events[done - 1].position, events[done - 1]
            if self.tree.size % MARK_EVERY == 0:
                self._marks.append(_Mark(self.tree.size, list(self.tree.hashes), self.position))

    def fold(self, stored_event: Stored) -> None:
        """Add the contribution of the event."""
        if stored_event.type not in FOLDED:
            return
        if stored_event.type == ProgressiveOpened.TYPE and stored_event.stream not in self._lives:
            name = stored_event.stream.removeprefix(stream_of(self.property, ""))
            self._lives[stored_event.stream] = ProgressiveFollower(self.property, name, tells=False)
        for stream, live in self._lives.items():
            if stream not in self._unreadable:
                self._take(live, stored_event)

    def is_of(self, history: EventReader) -> bool:
        """Return whether the store still holds the last event taken."""
        return self._last is None or history.after(self.position - 1, 1, until=self.position) == [self._last]

    def _take(self, live: ProgressiveFollower, stored_event: Stored) -> None:
        """Take an event for a progressive. An unreadable event stops this progressive's total, which heads then leave
        out, but not the heads."""
        try:
            live.take(stored_event)
        except Poison as error:
            log.error(
                "no fed total from here on", progressive=live.name, position=stored_event.position, why=str(error)
            )
            self._unreadable.add(live.stream)
            self.stopped.append((live.stream, stored_event.position))

    def live(self, stream: str) -> ProgressiveFollower | None:
        """The progressive of this stream, as long as it can be read."""
        return None if stream in self._unreadable else self._lives.get(stream)

    def contributions(self) -> Fed:
        """Return the contributions to every level of every progressive so far."""
        return {
            stream: {level.name: level.fed for level in live.fold.state.levels.values()}
            for stream, live in sorted(self._lives.items())
            if live.fold is not None and stream not in self._unreadable
        }

    def catch_up(self, history: EventReader, last: Head | None = None, budget_s: float | None = None) -> bool:
        """Read the stored events, for `budget_s` at most, and return whether all were read.

        Raises Conflict where the store is not the one that the last head saw.
        """
        self._compare(last)
        begun = time.monotonic()
        while batch := history.after(self.position, CHUNK):
            for stored in batch:
                self.feed(stored)
                self._compare(last)
            if budget_s is not None and time.monotonic() - begun > budget_s:
                return False
        if last is not None and last.size > self.tree.size:
            raise Conflict(coded("store-cut-off", position=self.position, number=last.number, signed=last.position))
        return True

    def _compare(self, last: Head | None) -> None:
        if last is not None and last.size == self.tree.size and last.root != self.tree.root().hex():
            raise Conflict(coded("store-rewritten", position=self.position, number=last.number))

    def restore(self, store: EventStore) -> None:
        """Begin at the latest snapshot, if this version made it."""
        snapshot = store.snapshot(f"{self.property}#heads", EVOLVE)
        if snapshot is None:
            return
        self.load(snapshot.state)

    def load(self, raw: bytes) -> None:
        """Continue from a `dump`. Its keeper vouches that it is genuine."""
        saved = msgspec.msgpack.decode(raw, type=_SavedReckoner)
        for stream, raw in saved.lives.items():
            live = ProgressiveFollower(self.property, stream.removeprefix(stream_of(self.property, "")), tells=False)
            live.load(raw, saved.position)
            self._lives[stream] = live
        self.tree, self.position, self.saved = Frontier(saved.size, saved.hashes), saved.position, saved.size
        self._unreadable = saved.unreadable

    def save(self, store: EventStore) -> None:
        """Keep the marks that were passed, and save a snapshot from time to time."""
        while self._marks:
            mark = self._marks[0]
            snapshot = Snapshot(
                _mark_name(self.property, mark.size), mark.position, _MARKS, msgspec.msgpack.encode(mark)
            )
            store.save_snapshot(snapshot)
            del self._marks[0]
        if self.tree.size - self.saved < SNAPSHOT_EVERY:
            return
        store.save_snapshot(Snapshot(f"{self.property}#heads", self.position, EVOLVE, self.dump()))
        self.saved = self.tree.size

    def dump(self) -> bytes:
        """Return the whole state, from which to continue."""
        lives = {stream: live.dump(live.fold) for stream, live in self._lives.items() if live.fold is not None}
        return msgspec.msgpack.encode(
            _SavedReckoner(self.tree.size, self.tree.hashes, self.position, lives, self._unreadable)
        )


def _mark_name(property_: str, size: int) -> str:
    return f"{property_}#tree/{size // MARK_EVERY}"


def marked_tree(store: EventStore, property_: str, size: int) -> tuple[Frontier, int]:
    """The tree at the last mark not beyond `size` leaves, and the position of its last event; empty without marks.

    It is a cache: the caller compares the resulting root with a head's.
    """
    snapshot = store.snapshot(_mark_name(property_, size), _MARKS)
    if snapshot is None:
        return Frontier(), 0
    mark = msgspec.msgpack.decode(snapshot.state, type=_Mark)
    return Frontier(mark.size, mark.hashes), mark.position


def make_head(
    store: EventStore,
    heads: Heads,
    property_: str,
    by: Signer,
    budget_s: float | None = None,
    looked: Callable[[], Looked | None] = lambda: None,
) -> tuple[Head | None, bool]:
    """Sign and store a head over the stored events that are read within `budget_s`; return whether all were read.

    `looked` returns the extent of the access log, None where it is unknown. A head over the same events is signed where
    only the access log has grown: its end must be as safe as its middle.

    None without new events, where another process was quicker, or where the last head is not reached yet. Raises
    Conflict where the store is not the one of its last head, or is shorter. Also raises it where the heads differ from
    the signer's memory: no further head must hide that.
    """
    reckoner = store.process_cache.get((Reckoner, property_), lambda: Reckoner(property_))
    with reckoner.guard:
        reckoner.begin(store)
        if not reckoner.is_of(store):
            store.process_cache.forget((Reckoner, property_))
            raise Conflict(coded("events-replaced-meanwhile", position=reckoner.position))
        raw = heads.last()
        last = decode(raw) if raw else None
        _must_follow(heads, last, by, property_)
        is_all = reckoner.catch_up(store, last, budget_s)
        reckoner.save(store)
        lines = looked()
        if reckoner.tree.size <= (last.size if last else 0) and not _has_grown(last, lines):
            return None, is_all
        destroyed = destroyed_cases(store, reckoner.position)
        head = sign(_next_head(reckoner, last, raw, store.clock(), lines, destroyed), by)
        if not heads.add(head.number, encode(head)):
            return None, is_all
        if by.memory is not None:
            by.memory.note(property_, last_head(head))
        return head, is_all


def _has_grown(last: Head | None, lines: Looked | None) -> bool:
    """Return whether the access log has more lines than the last head covers. `verify` reports lost lines."""
    if last is None or lines is None:
        return False
    covered = last.looked.lines if isinstance(last.looked, Looked) else 0
    return lines.lines > covered


def last_head(head: Head) -> LastHead:
    """Return the part of a head that the signer keeps."""
    return LastHead(
        number=head.number,
        size=head.size,
        position=head.position,
        root=head.root,
        digest=digest_of(encode(head)),
    )


def _must_follow(heads: Heads, last: Head | None, by: Signer, property_: str) -> None:
    """Require the heads that the signer remembers, and its signature on all later ones. Raises Conflict."""
    remembered_head = by.memory.last(property_) if by.memory is not None else None
    if remembered_head is None:
        if last is not None:
            if not has_signature(last):
                raise Conflict(coded("head-signature-wrong", number=last.number))
            _must_be_by(last, by, property_)
        return
    end = last.number if last is not None else 0
    if end < remembered_head.number:
        raise Conflict(coded("heads-cut-off", end=end, number=remembered_head.number))
    (raw_head,) = heads.after(remembered_head.number - 1, 1)
    if digest_of(raw_head) != remembered_head.digest:
        raise Conflict(coded("head-replaced", number=remembered_head.number))
    _must_be_by(decode(raw_head), by, property_)
    for head in (decode(raw) for batch in in_order(heads, remembered_head.number) for raw in batch):
        if head.key != by.public or not has_signature(head):
            raise Conflict(coded("head-of-another-key", number=head.number))


def _must_be_by(head: Head, by: Signer, property_: str) -> None:
    """Refuse a quiet change of the house's key: holders of its public half would take the next heads for another's."""
    if head.key == by.public or (by.memory is not None and by.memory.is_new_key(property_, head.number, by.public)):
        return
    raise Conflict(coded("house-key-is-another", number=head.number, key=head.key[:16]))


def _next_head(
    reckoner: Reckoner,
    last: Head | None,
    raw: bytes | None,
    now: str,
    looked: Looked | None,
    destroyed: tuple[str, ...],
) -> Head:
    return Head(
        type="pitledger.head.v1",
        property=reckoner.property,
        number=last.number + 1 if last else 1,
        size=reckoner.tree.size,
        position=reckoner.position,
        root=reckoner.tree.root().hex(),
        time=now,
        previous=digest_of(raw) if raw else "",
        fed=reckoner.contributions(),
        key="",
        looked=looked or msgspec.UNSET,
        destroyed=destroyed or msgspec.UNSET,
    )
