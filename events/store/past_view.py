"""A store at an earlier event: its state then can be computed again, with the same result.

For reading only. It has its own cache and uses no snapshot, since those contain later events.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from events.envelope import digest, first_prev
from events.store import (
    Append,
    AppendResult,
    EventStore,
    Key,
    LockedStore,
    OutdatedAssumptions,
    Snapshot,
    Stored,
    StreamEnd,
    Tally,
)
from events.store.cached_values_per_store import StoreMemory


class PastStore:
    """`store` up to `position`."""

    def __init__(self, store: EventStore, position: int) -> None:
        self._store, self._position = store, position
        self.clock: Callable[[], str] = store.clock
        self.process_cache = StoreMemory()

    def stream(self, name: str, after: int = 0, limit: int | None = None) -> list[Stored]:
        return [stored for stored in self._store.stream(name, after, limit) if stored.position <= self._position]

    def head(self, name: str) -> StreamEnd:
        events = self.stream(name)
        return StreamEnd(events[-1].version, digest(events[-1].raw)) if events else StreamEnd(0, first_prev(name))

    def after(self, position: int, limit: int, types: Sequence[str] = (), until: int | None = None) -> list[Stored]:
        last = self._position if until is None else min(until, self._position)
        return self._store.after(position, limit, types, last)

    def position(self) -> int:
        return min(self._store.position(), self._position)

    def last_stream(self, prefix: str, before: str | None = None) -> str | None:
        stream = self._store.last_stream(prefix, before)
        while stream is not None and not self.stream(stream, 0, 1):
            stream = self._store.last_stream(prefix, stream)
        return stream

    def keys(self, keys: Sequence[str]) -> Mapping[str, Key]:
        entries = self._store.keys(keys)
        return {key: entry for key, entry in entries.items() if self.stream(entry.stream, entry.first - 1, 1)}

    def tally(self) -> Tally:
        raise ValueError("the keys are compared as they are now")

    def keys_after(self, key: str, limit: int, *, marked: bool) -> list[Key]:
        raise ValueError("the keys are compared as they are now")

    def outdated(self, keys: Sequence[str], versions: Mapping[str, int]) -> OutdatedAssumptions:
        moved = frozenset(name for name, version in versions.items() if self.stream(name, version, 1))
        return OutdatedAssumptions(frozenset(self.keys(keys)), moved)

    def amiss(self) -> list[str] | None:
        return self._store.amiss()

    def snapshot(self, stream: str, evolve: str) -> Snapshot | None:
        """Return None: snapshots contain later events."""
        return None

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Do nothing: no snapshot of the past is stored."""

    def create(self) -> None:
        """Do nothing: the store exists."""

    def append(self, appends: Sequence[Append], keys: Sequence[Key] = ()) -> AppendResult:
        raise ValueError("the past is read only")

    def locked(self) -> AbstractContextManager[LockedStore]:
        raise ValueError("the past is read only")

    def close(self) -> None:
        """The store stays open."""
