"""The common part of the SQLite and the PostgreSQL store: reading by statements of the same names, and the errors.

A *session* is a connection in use: outside of a transaction for single statements, or inside of one that holds
the store's write lock. The backends bring the connection (`Session._rows`) and the writing (`Session._insert`).
"""

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import starmap
from typing import Any

from eventsourcing.persistence import (
    ApplicationRecorder,
    ConnectionPoolClosedError,
    DatabaseError,
    InfrastructureFactory,
    InterfaceError,
    InternalError,
    OperationalError,
)

from events.envelope import digest, first_prev
from events.error_codes import coded
from events.errors import Conflict, Damaged, Defect, Retry
from events.runtime import metric_counters, tracing
from events.runtime.clock import Clock
from events.store import Append, AppendResult, Key, LockedStore, OutdatedAssumptions, Snapshot, Stored, StreamEnd, Tally
from events.store.cached_values_per_store import StoreMemory
from events.store.database_login_errors import failure_of
from events.store.driver_exception_classes import READ_ONLY, sqlstate_of
from events.store.event_batch_encoding import EncodedBatch, encode_batch
from events.store.snapshot_seals import Seals, name_of

# Errors of SQLite for a file that is no database, or damaged, and of PostgreSQL for unreadable blocks.
_OF_DAMAGE = (DatabaseError, InternalError)

ALL = 2**63 - 1  # no position is beyond this
_LAST = "\U0010ffff"  # no stream's name continues with this


class StoreSession(ABC):
    """The store through one connection. The statements are named as in the SQL files."""

    def __init__(self, statements: Mapping[str, str], clock: Clock) -> None:
        self._statements = statements
        self._clock = clock
        self.failed: Conflict | None = None
        self.appended: list[str] = []  # the types of the written events, for the metrics
        self.first = (b"", "")  # the first event that was written and the first action key, for traces

    @abstractmethod
    def _rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """Run a query."""

    @abstractmethod
    def _after_of_types(self, types: list[str], bounds: Mapping[str, int]) -> list[tuple[Any, ...]]:
        """Events of these types by position, at the cost of those found and not of those between them."""

    @abstractmethod
    def _insert(self, batch: EncodedBatch) -> Sequence[int]:
        """Write, raising Stale or KeyReused; the positions in order."""

    def _named(self, name: str, **values: Any) -> list[tuple[Any, ...]]:
        return self._rows(self._statements[name], **values)

    def stream(self, name: str, after: int = 0, limit: int | None = None) -> list[Stored]:
        return list(starmap(Stored, self._named("stream", stream=name, after=after, limit=_limit(limit))))

    def head(self, name: str) -> StreamEnd:
        rows = self._named("head", stream=name)
        return StreamEnd(rows[0][0], digest(rows[0][1])) if rows else StreamEnd(0, first_prev(name))

    def after(self, position: int, limit: int, types: Sequence[str] = (), until: int | None = None) -> list[Stored]:
        bounds = {"after": position, "until": ALL if until is None else until, "limit": limit}
        rows = self._after_of_types(sorted(set(types)), bounds) if types else self._named("after", **bounds)
        return list(starmap(Stored, rows))

    def position(self) -> int:
        return self._named("position")[0][0] or 0

    def last_stream(self, prefix: str, before: str | None = None) -> str | None:
        rows = self._named("last_stream", low=prefix, high=before or prefix + _LAST)
        return rows[0][0] if rows else None

    @abstractmethod
    def keys(self, keys: Sequence[str]) -> Mapping[str, Key]:
        """Return as Past.keys."""

    def tally(self) -> Tally:
        position, keys, events = self._named("tally")[0]
        return Tally(position or 0, keys, int(events or 0))

    def keys_after(self, key: str, limit: int, *, marked: bool) -> list[Key]:
        return list(starmap(Key, self._named("keys_after", after=key, limit=limit, marked=marked)))

    @abstractmethod
    def outdated(self, keys: Sequence[str], versions: Mapping[str, int]) -> OutdatedAssumptions:
        """Return as EventStore.outdated."""

    def append(self, appends: Sequence[Append], keys: Sequence[Key] = ()) -> AppendResult:
        batch = encode_batch(appends, keys, self._clock)
        try:
            written = batch.written(self._insert(batch))
            self.appended.extend(batch.topics)
            self.first = (batch.states[0], batch.keys[0].key if batch.keys else "") if batch.states else self.first
            return written
        except Conflict as conflict:
            self.failed = conflict
            raise

    def save_snapshot(self, snapshot: Snapshot) -> None:
        self._named(
            "save_snapshot",
            stream=snapshot.stream,
            evolve=snapshot.evolve,
            version=snapshot.version,
            state=snapshot.state,
        )

    def drop_snapshot(self, snapshot: Snapshot) -> None:
        self._named("drop_snapshot", stream=snapshot.stream, evolve=snapshot.evolve)

    def snapshot(self, stream: str, evolve: str) -> Snapshot | None:
        rows = self._named("snapshot", stream=stream, evolve=evolve)
        return Snapshot(*rows[0]) if rows else None


class RecordedStore(ABC):
    """The event store on a recorder of the eventsourcing library (see events.store.EventStore for the contract).

    `factory` and `recorder` are the library's own, for users of its notification log or its applications. Nothing is
    repeated here after an error: a lost acknowledgement would come back as a conflict with oneself.
    """

    def __init__(
        self,
        factory: InfrastructureFactory[Any],
        recorder: ApplicationRecorder,
        clock: Clock,
        seals: Seals | None = None,
    ) -> None:
        self.factory = factory
        self.recorder = recorder
        self.clock = clock
        self.process_cache = StoreMemory()
        self._seals = seals or Seals(lambda: None)

    @abstractmethod
    def create(self) -> None:
        """Create as EventStore.create."""

    @abstractmethod
    def amiss(self) -> list[str] | None:
        """Return as EventStore.amiss."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[StoreSession]:
        """A session for single statements."""

    @abstractmethod
    def _appending(self) -> AbstractContextManager[StoreSession]:
        """A session for one append."""

    @abstractmethod
    def _locking(self) -> AbstractContextManager[StoreSession]:
        """A session in a transaction that holds the write lock."""

    def stream(self, name: str, after: int = 0, limit: int | None = None) -> list[Stored]:
        with answering(), self._reading() as session:
            return session.stream(name, after, limit)

    def head(self, name: str) -> StreamEnd:
        with answering(), self._reading() as session:
            return session.head(name)

    def after(self, position: int, limit: int, types: Sequence[str] = (), until: int | None = None) -> list[Stored]:
        with answering(), self._reading() as session:
            return session.after(position, limit, types, until)

    def position(self) -> int:
        with answering(), self._reading() as session:
            return session.position()

    def last_stream(self, prefix: str, before: str | None = None) -> str | None:
        with answering(), self._reading() as session:
            return session.last_stream(prefix, before)

    def keys(self, keys: Sequence[str]) -> Mapping[str, Key]:
        with answering(), self._reading() as session:
            return session.keys(keys)

    def tally(self) -> Tally:
        with answering(), self._reading() as session:
            return session.tally()

    def keys_after(self, key: str, limit: int, *, marked: bool) -> list[Key]:
        with answering(), self._reading() as session:
            return session.keys_after(key, limit, marked=marked)

    def outdated(self, keys: Sequence[str], versions: Mapping[str, int]) -> OutdatedAssumptions:
        with answering(), self._reading() as session:
            return session.outdated(keys, versions)

    def append(self, appends: Sequence[Append], keys: Sequence[Key] = ()) -> AppendResult:
        with measured() as sessions, answering(), self._appending() as session:
            sessions.append(session)
            return session.append(appends, keys)

    @contextmanager
    def locked(self) -> Iterator[LockedStore]:
        with measured() as sessions, answering(), self._locking() as session:
            sessions.append(session)
            yield session
            if session.failed is not None:  # caught by the caller: half a decision must not be committed
                raise session.failed

    def save_snapshot(self, snapshot: Snapshot) -> None:
        with answering(), self._appending() as session:
            if (sealed := self._seals.sealed(snapshot, session)) is not None:
                self._make_way(snapshot, session)
                session.save_snapshot(sealed)

    def _make_way(self, snapshot: Snapshot, session: StoreSession) -> None:
        """A later one that is not to be believed must not keep its place permanently."""
        stored = session.snapshot(snapshot.stream, name_of(snapshot.evolve))
        is_later = stored is not None and stored.version > snapshot.version
        if stored is not None and is_later and self._seals.opened(stored, snapshot.evolve, session) is None:
            session.drop_snapshot(stored)

    def snapshot(self, stream: str, evolve: str) -> Snapshot | None:
        with answering(), self._reading() as session:
            stored = session.snapshot(stream, name_of(evolve))
            return self._seals.opened(stored, evolve, session) if stored is not None else None

    def close(self) -> None:
        self.factory.close()


@contextmanager
def measured() -> Iterator[list[StoreSession]]:
    """Measure a transaction: its duration where it has appended anything, and the events by type."""
    began, began_ns, sessions = time.perf_counter(), time.time_ns(), list[StoreSession]()
    yield sessions
    if types := [type_ for session in sessions for type_ in session.appended]:
        metric_counters.observe(metric_counters.APPEND, time.perf_counter() - began, metric_counters.own_part)
        metric_counters.add(
            [((metric_counters.EVENTS.name, (type_,), ""), number) for type_, number in Counter(types).items()]
        )
        for session in sessions:
            session.appended.clear()
        if tracing.is_on():
            raw, key = sessions[0].first
            parent = tracing.request_span(key) if key else 0
            tracing.emit("append", tracing.place("append", raw), began_ns, parent, events=len(types))


@contextmanager
def answering() -> Iterator[None]:
    """Turn the library's errors about servers that do not answer into the project's."""
    try:
        yield
    except (OperationalError, InterfaceError) as error:
        raise failure_of(error, "the event store") from error
    except ConnectionPoolClosedError as error:
        raise Retry(coded("store-closed")) from error
    except InternalError as error:
        if sqlstate_of(error.__cause__) == READ_ONLY:
            raise Defect(coded("store-read-only")) from error
        raise damaged(error) from error
    except DatabaseError as error:
        if type(error) not in _OF_DAMAGE:
            raise
        raise damaged(error) from error


def damaged(error: Exception) -> Damaged:
    """Files that were cut off, written over, or of a disk that is dying."""
    description = str(error).partition("\n")[0]
    return Damaged(coded("store-damaged", description=description))


def outdated(rows: Iterable[tuple[str, str]]) -> OutdatedAssumptions:
    """Return the rows of the statement of this name."""
    by_kind: dict[str, set[str]] = {"key": set(), "stream": set()}
    for kind, name in rows:
        by_kind[kind].add(name)
    return OutdatedAssumptions(frozenset(by_kind["key"]), frozenset(by_kind["stream"]))


def _limit(limit: int | None) -> int:
    return ALL if limit is None else limit
