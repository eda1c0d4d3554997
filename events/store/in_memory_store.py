"""The event store in memory: the same contract for tests, simulations and what-if, with a clock to inject."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock

from msgspec.structs import replace

from events.envelope import digest, first_prev
from events.error_codes import coded
from events.errors import Conflict, KeyReused, Stale
from events.runtime.clock import Clock, house_clock
from events.store import (
    Append,
    AppendResult,
    EventReader,
    Key,
    LockedStore,
    OutdatedAssumptions,
    Snapshot,
    Stored,
    StreamEnd,
    Tally,
    everything,
)
from events.store.cached_values_per_store import StoreMemory
from events.store.event_batch_encoding import EncodedBatch, encode_batch

KEYS_AT_ONCE = 1_000


class MemoryStore:
    """Lists and dicts under one lock, which a decision under `locked()` holds to its end."""

    def __init__(self, clock: Clock | None = None) -> None:
        self.clock = clock or house_clock()
        self.process_cache = StoreMemory()
        self._lock = RLock()
        self._events: list[Stored] = []
        self._streams: dict[str, list[Stored]] = {}
        self._keys: dict[str, Key] = {}
        self._snapshots: dict[tuple[str, str], Snapshot] = {}
        self._failure: Conflict | None = None

    def create(self) -> None:
        """Do nothing: no table is needed."""

    def amiss(self) -> list[str] | None:
        """No other person can write here."""
        return []

    def stream(self, name: str, after: int = 0, limit: int | None = None) -> list[Stored]:
        with self._lock:
            events = self._streams.get(name, [])
            first = bisect_right(events, after, key=lambda stored: stored.version)
            return events[first : None if limit is None else first + limit]

    def head(self, name: str) -> StreamEnd:
        with self._lock:
            events = self._streams.get(name)
            return StreamEnd(events[-1].version, digest(events[-1].raw)) if events else StreamEnd(0, first_prev(name))

    def after(self, position: int, limit: int, types: Sequence[str] = (), until: int | None = None) -> list[Stored]:
        matching_events: list[Stored] = []
        with self._lock:
            last = len(self._events) if until is None else until
            for stored in self._events[max(position, 0) : max(last, 0)]:
                if len(matching_events) >= limit:
                    break
                if not types or stored.type in types:
                    matching_events.append(stored)
        return matching_events

    def position(self) -> int:
        with self._lock:
            return len(self._events)

    def last_stream(self, prefix: str, before: str | None = None) -> str | None:
        with self._lock:
            names = (name for name in self._streams if name.startswith(prefix) and (before is None or name < before))
            return max(names, default=None)

    def keys(self, keys: Sequence[str]) -> Mapping[str, Key]:
        with self._lock:
            return {key: self._keys[key] for key in keys if key in self._keys}

    def tally(self) -> Tally:
        with self._lock:
            plain = [entry.count for key, entry in self._keys.items() if "#" not in key]
            return Tally(self.position(), len(plain), sum(plain))

    def keys_after(self, key: str, limit: int, *, marked: bool) -> list[Key]:
        with self._lock:
            later_keys = sorted(text for text in self._keys if text > key and ("#" in text or not marked))
            return [self._keys[text] for text in later_keys[:limit]]

    def append(self, appends: Sequence[Append], keys: Sequence[Key] = ()) -> AppendResult:
        with self._lock:
            batch = encode_batch(appends, keys, self.clock)
            try:
                self._check(batch)
            except Conflict as conflict:
                self._failure = conflict
                raise
            return self._write(batch)

    def outdated(self, keys: Sequence[str], versions: Mapping[str, int]) -> OutdatedAssumptions:
        with self._lock:
            moved = frozenset(name for name, version in versions.items() if self.head(name).version > version)
            return OutdatedAssumptions(frozenset(key for key in keys if key in self._keys), moved)

    @contextmanager
    def locked(self) -> Iterator[LockedStore]:
        with self._lock:
            position, keys_before = len(self._events), dict(self._keys)
            self._failure = None
            try:
                yield self
                if self._failure is not None:  # caught by the caller: half a decision must not be committed
                    raise self._failure
            except BaseException:
                self._undo(position, keys_before)
                raise

    def save_snapshot(self, snapshot: Snapshot) -> None:
        with self._lock:
            name = (snapshot.stream, snapshot.evolve)
            if name not in self._snapshots or self._snapshots[name].version <= snapshot.version:
                self._snapshots[name] = snapshot

    def snapshot(self, stream: str, evolve: str) -> Snapshot | None:
        with self._lock:
            return self._snapshots.get((stream, evolve))

    def close(self) -> None:
        """Do nothing: no connection is open."""

    def _check(self, batch: EncodedBatch) -> None:
        if used := self.keys([key.key for key in batch.keys]):
            raise KeyReused(coded("keys-used", keys=list(used)))
        for stream, expected in batch.expected:
            head = self.head(stream)
            if head.version != expected.version or (head.version and head.digest != expected.digest):
                raise Stale(coded("stream-moved", stream=stream, version=head.version, expected=expected.version))

    def _write(self, batch: EncodedBatch) -> AppendResult:
        first = len(self._events) + 1
        written = batch.written(range(first, first + len(batch.states)))
        for stored in written.stored:
            self._events.append(stored)
            self._streams.setdefault(stored.stream, []).append(stored)
        self._keys.update({key.key: key for key in batch.keys})
        return written

    def _undo(self, position: int, keys: dict[str, Key]) -> None:
        for stored in reversed(self._events[position:]):
            self._streams[stored.stream].pop()
            if not self._streams[stored.stream]:
                del self._streams[stored.stream]
        del self._events[position:]
        self._keys = keys


def copy_of(history: EventReader, clock: Clock | None = None) -> MemoryStore:
    """Return a store in memory with the events and keys of another one, to try things on. Positions have no gaps."""
    copy = MemoryStore(clock)
    for number, stored in enumerate(everything(history), start=1):
        copied = replace(stored, position=number)
        copy._events.append(copied)
        copy._streams.setdefault(stored.stream, []).append(copied)
    last = ""
    while keys := history.keys_after(last, KEYS_AT_ONCE, marked=False):
        copy._keys.update({key.key: key for key in keys})
        last = keys[-1].key
    return copy
