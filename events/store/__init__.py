"""The event store: its interface for the rest of the code, and `open_store`, which chooses the backend.

Every event has a place in its stream (version, from 1) and one in the whole store (position). Positions are committed
in order, so a reader up to a position has missed no event below it. Gaps are harmless.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import msgspec

from events.envelope import EventData, Meta
from events.store.cached_values_per_store import StoreMemory

MAX_BATCH = 1_000  # events in one transaction; ten thousand hung in the driver's pipeline


class Stored(msgspec.Struct, frozen=True, gc=False):
    """One stored event. `raw` are the bytes for Kafka."""

    position: int
    stream: str
    version: int
    type: str
    raw: bytes


class StreamEnd(msgspec.Struct, frozen=True, gc=False):
    """The end of a stream: its last version (0: empty) and the digest that the next event's `prev` must be."""

    version: int
    digest: bytes


class Key(msgspec.Struct, frozen=True, gc=False):
    """An action key, stored in the append's own transaction: the same content again gets the first answer.

    `first` and `count` are the versions of `stream` that the action wrote.
    """

    key: str
    content: bytes
    stream: str
    first: int
    count: int


class NewEvent(msgspec.Struct, frozen=True, gc=False):
    """An event about to be appended."""

    data: EventData
    meta: Meta


class Tally(msgspec.Struct, frozen=True):
    """Number of action keys appended up to `position`, without those with a # in them, and number of their events."""

    position: int
    keys: int
    events: int


class Append(msgspec.Struct, frozen=True):
    """Events for one stream, which must be at `head` (or Stale is raised); without events, the head is only checked.

    `follows` (for a new stream) names a stream earlier in the same append. The first event's `prev` is then the digest
    of that stream's last event, as when a gaming day is rolled.
    """

    stream: str
    head: StreamEnd
    events: Sequence[NewEvent]
    follows: str | None = None


class AppendResult(msgspec.Struct, frozen=True):
    """Result of an append, stream by stream in the order asked for: the stored events and the new heads."""

    stored: list[Stored]
    heads: dict[str, StreamEnd]


class OutdatedAssumptions(msgspec.Struct, frozen=True):
    """Outdated assumptions: keys that were used, streams that have gone on."""

    keys: frozenset[str]
    streams: frozenset[str]


class Snapshot(msgspec.Struct, frozen=True):
    """A state of `evolve` number `evolve`, after `version` of `stream` (or after a position, for folds)."""

    stream: str
    version: int
    evolve: str
    state: bytes


class EventReader(Protocol):
    """Reader of all stored events, inside a transaction or outside of one."""

    def stream(self, name: str, after: int = 0, limit: int | None = None) -> list[Stored]:
        """A stream's events in order, those with a version above `after`."""

    def head(self, name: str) -> StreamEnd:
        """Return the end of the stream; of an empty stream version 0 and `first_prev`."""

    def after(self, position: int, limit: int, types: Sequence[str] = (), until: int | None = None) -> list[Stored]:
        """Events of all streams in the store's order, above `position`, up to `until`, of these types or of any."""

    def position(self) -> int:
        """The last position (0: nothing yet)."""

    def last_stream(self, prefix: str, before: str | None = None) -> str | None:
        """The alphabetically last stream that begins with `prefix`: of a table, its latest day (`before` one)."""

    def keys(self, keys: Sequence[str]) -> Mapping[str, Key]:
        """Return the action keys that were used before."""

    def tally(self) -> Tally:
        """Position and keys of one moment."""

    def keys_after(self, key: str, limit: int, *, marked: bool) -> list[Key]:
        """All keys in order of their names, behind this one; or those with a # in them alone."""


class LockedStore(EventReader, Protocol):
    """The store while no other person can write: events read here are all there are until the append commits."""

    def append(self, appends: Sequence[Append], keys: Sequence[Key] = ()) -> AppendResult:
        """Append as EventStore.append, inside the lock's transaction."""


class EventStore(EventReader, Protocol):
    """The store of all events, the source of every figure. The database refuses any edit or deletion.

    `clock` is the house's: all stamps and time limits use it. `process_cache` is this process's cache of it.
    """

    clock: Callable[[], str]
    process_cache: StoreMemory

    def create(self) -> None:
        """Tables, functions and the guards against UPDATE and DELETE. A migration step, safe to repeat."""

    def amiss(self) -> list[str] | None:
        """Return faulty guards against UPDATE and DELETE: missing, switched off, changed, or foreign.

        None: no store was created here yet. Reads only.
        """

    def append(self, appends: Sequence[Append], keys: Sequence[Key] = ()) -> AppendResult:
        """Append to several streams and keep the action keys, all or nothing, in one transaction.

        Raises KeyReused where a key exists already. This is checked first, since a repeated action also finds its
        stream changed. Raises Stale where a stream is not at its head, Retry where the database did not answer. Raises
        ValueError for more than MAX_BATCH events or keys, or a stream or key named twice. The method never retries:
        after a lost acknowledgement the caller reads again by key.
        """

    def locked(self) -> AbstractContextManager[LockedStore]:
        """Hold the store's write lock: a decision that needs all facts before its own position.

        Inside, read and append through the object it gives, not through the store. An exception undoes all of it, and
        so does a conflict that the caller has caught. All writers wait meanwhile (at most ten seconds, then Retry).
        """

    def outdated(self, keys: Sequence[str], versions: Mapping[str, int]) -> OutdatedAssumptions:
        """Return the used ones of these action keys, and the streams that went on after these versions: in one look."""

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a snapshot; the latest of a stream and `evolve` counts. Databases keep it under the house's seal."""

    def snapshot(self, stream: str, evolve: str) -> Snapshot | None:
        """The latest snapshot made by this `evolve`, or None; also where it is not to be believed
        (`snapshot_seals.py`)."""

    def close(self) -> None:
        """Give the connections back."""


def open_store(url: str | None = None, clock: Callable[[], str] | None = None) -> EventStore:
    """The store at "sqlite:///PATH" or "postgresql://USER:PASSWORD@HOST:PORT/DB" (default: PITLEDGER_STORE).

    `clock` is the house's (default: PITLEDGER_CLOCK, or the machine's).
    """
    from events.store.store_from_url import open_url  # the backends bring their drivers

    return open_url(url, clock)


def everything(
    store: EventReader, after: int = 0, types: Sequence[str] = (), batch: int = MAX_BATCH, until: int | None = None
) -> Iterator[Stored]:
    """All events from a position on (up to `until`), a batch at a time."""
    while events_read := store.after(after, batch, types, until):
        yield from events_read
        after = events_read[-1].position
