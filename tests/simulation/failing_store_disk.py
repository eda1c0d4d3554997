"""The event store as a process sees it: on a disk that outlives the process, behind a connection that may fail."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from events.errors import Retry
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
)
from events.store.cached_values_per_store import StoreMemory
from events.store.in_memory_store import MemoryStore
from tests.simulation.fault_rates import Faults
from tests.simulation.seeded_process_scheduler import Scheduler

LOCK_WAIT_S = 10.0


class FailingDisk:
    """The stored data, and the holder of the write lock."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store
        self.writer: object | None = None


class Connection:
    """An EventStore of one life of one process. Each call is a place to be interrupted, killed or refused."""

    def __init__(self, disk: FailingDisk, scheduler: Scheduler, faults: Faults) -> None:
        self._disk = disk
        self._scheduler = scheduler
        self._faults = faults
        self.clock = disk.store.clock
        self.process_cache = StoreMemory()

    def create(self) -> None:
        """Do nothing: the tables exist."""

    def amiss(self) -> list[str] | None:
        """Return no faults: no intruder edits these tables."""
        return []

    def close(self) -> None:
        """Do nothing: no connection is open."""

    # --- reading -----------------------------------------------------------------------------------------------

    def stream(self, name: str, after: int = 0, limit: int | None = None) -> list[Stored]:
        return self._reader().stream(name, after, limit)

    def head(self, name: str) -> StreamEnd:
        return self._reader().head(name)

    def after(self, position: int, limit: int, types: Sequence[str] = (), until: int | None = None) -> list[Stored]:
        return self._reader().after(position, limit, types, until)

    def position(self) -> int:
        return self._reader().position()

    def last_stream(self, prefix: str, before: str | None = None) -> str | None:
        return self._reader().last_stream(prefix, before)

    def keys(self, keys: Sequence[str]) -> Mapping[str, Key]:
        return self._reader().keys(keys)

    def tally(self) -> Tally:
        return self._reader().tally()

    def keys_after(self, key: str, limit: int, *, marked: bool) -> list[Key]:
        return self._reader().keys_after(key, limit, marked=marked)

    def snapshot(self, stream: str, evolve: str) -> Snapshot | None:
        """Read a snapshot without a pause, as in one process a lock covers this read."""
        self._fail()
        return self._disk.store.snapshot(stream, evolve)

    def outdated(self, keys: Sequence[str], versions: Mapping[str, int]) -> OutdatedAssumptions:
        self._speak()
        return self._disk.store.outdated(keys, versions)

    # --- writing -----------------------------------------------------------------------------------------------

    def append(self, appends: Sequence[Append], keys: Sequence[Key] = ()) -> AppendResult:
        self._speak()
        self._wait_for_lock()
        written = self._disk.store.append(appends, keys)
        self._acknowledge()
        return written

    @contextmanager
    def locked(self) -> Iterator[LockedStore]:
        self._speak()
        if self._scheduler.happens(self._faults.pause * 5):  # what was read before may be old by now
            self._scheduler.sleep(self._scheduler.random.uniform(0.0, 0.2))
        self._wait_for_lock()
        self._disk.writer = self
        try:
            with self._disk.store.locked() as locked:
                yield _HeldStore(self, locked)
        finally:
            self._disk.writer = None
        self._acknowledge()

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self._speak()
        self._wait_for_lock()
        self._disk.store.save_snapshot(snapshot)

    # --- the connection ----------------------------------------------------------------------------------------

    def _reader(self) -> EventReader:
        self._speak()
        return self._disk.store

    def _speak(self) -> None:
        """Pause or fail before the call."""
        if self._scheduler.happens(self._faults.pause):
            self._scheduler.sleep(self._scheduler.random.choice((0.0, 0.0, 0.01)))
        self._fail()

    def _fail(self) -> None:
        if self._scheduler.happens(self._faults.kill):
            self._scheduler.kill()
        if self._scheduler.happens(self._faults.store_away):
            raise Retry("the store does not answer")

    def _acknowledge(self) -> None:
        """Fail after the commit: the process may be killed, or never get the confirmation."""
        if self._scheduler.happens(self._faults.kill):
            self._scheduler.kill()
        if self._scheduler.happens(self._faults.store_lost):
            raise Retry("the acknowledgement is lost")
        if self._scheduler.happens(self._faults.pause):
            self._scheduler.sleep(0.0)

    def _wait_for_lock(self) -> None:
        until = self._scheduler.now + LOCK_WAIT_S
        while self._disk.writer is not None:
            if self._scheduler.now > until:
                raise Retry("another process holds the write lock")
            self._scheduler.sleep(0.01)


class _HeldStore:
    """The store under the write lock. Other processes run, and can read but not write."""

    def __init__(self, connection: Connection, locked: LockedStore) -> None:
        self._connection = connection
        self._locked = locked

    def stream(self, name: str, after: int = 0, limit: int | None = None) -> list[Stored]:
        return self._reader().stream(name, after, limit)

    def head(self, name: str) -> StreamEnd:
        return self._reader().head(name)

    def after(self, position: int, limit: int, types: Sequence[str] = (), until: int | None = None) -> list[Stored]:
        return self._reader().after(position, limit, types, until)

    def position(self) -> int:
        return self._reader().position()

    def last_stream(self, prefix: str, before: str | None = None) -> str | None:
        return self._reader().last_stream(prefix, before)

    def keys(self, keys: Sequence[str]) -> Mapping[str, Key]:
        return self._reader().keys(keys)

    def tally(self) -> Tally:
        return self._reader().tally()

    def keys_after(self, key: str, limit: int, *, marked: bool) -> list[Key]:
        return self._reader().keys_after(key, limit, marked=marked)

    def append(self, appends: Sequence[Append], keys: Sequence[Key] = ()) -> AppendResult:
        """Append without a turn of another process before the commit. Other processes never see uncommitted events."""
        self._connection._speak()
        return self._locked.append(appends, keys)

    def _reader(self) -> EventReader:
        self._connection._speak()
        return self._locked
