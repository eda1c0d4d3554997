"""The event store on SQLite: a recorder of the eventsourcing library with transactions that lock before they read.

The library begins its transactions deferred. A writer that has read first would fail at once, for any busy timeout,
when another process wrote in between. Transactions here begin IMMEDIATE, check the heads and give the positions.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from threading import Lock, get_ident
from typing import Any

import msgspec
import structlog
from eventsourcing.persistence import (
    DatabaseError,
    IntegrityError,
    OperationalError,
    ProgrammingError,
    StoredEvent,
)
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteDatastore

from events.envelope import digest
from events.error_codes import coded
from events.errors import KeyReused, Stale
from events.runtime.clock import Clock
from events.store import Key, OutdatedAssumptions, StreamEnd, sqlite_connection_pool
from events.store.event_batch_encoding import EncodedBatch
from events.store.guard_trigger_check import Guard, Guards, guard_differences
from events.store.sql_files import names, script, statements
from events.store.store_base_classes import RecordedStore, StoreSession, answering, outdated
from events.store.wakeup_on_append_across_processes import ring

log = structlog.get_logger(__name__)

NEAR = 200  # events that are looked through rather than an index asked for each type
HELD_KIB = 65_536  # of memory for a long transaction

# the result codes after which a retry may succeed; SQLITE_ERROR, a wrong statement or a missing table, is not one
_PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}


class OneFile:
    """A path that must keep naming its first file, which never gets shorter.

    Connections stay with the file that they opened. Once it is replaced (by a backup, while processes run) or moved
    away, their writes reach no other process and are lost with it. A backup that is copied over the file itself is
    mixed with the content of the `-wal` file. An older backup is usually shorter, and that is detected. Otherwise it is
    not detected: never copy a file over a store that runs.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._first_write: tuple[int, int] | None = None
        self._length = 0
        self._is_told = False

    def check(self) -> None:
        """Raise the library's OperationalError where the file is missing, another one, or shorter than before."""
        before = self._length  # checked first: another thread may have seen the file grow meanwhile
        now, length = self._seen()
        if self._first_write is None:
            self._first_write = now
        if now == self._first_write and length >= before:
            self._length = max(self._length, length)
        else:
            if not self._is_told:
                log.critical("the event store's file was replaced under this process", file=str(self._path))
            self._is_told = True
            raise OperationalError(f"{self._path.name} was replaced while this process ran: start it again")

    def _seen(self) -> tuple[tuple[int, int] | None, int]:
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return None, 0
        return (status.st_dev, status.st_ino), status.st_size


class SQLiteEventRecorder(SQLiteApplicationRecorder):
    """The recorder to name in APPLICATION_RECORDER_TOPIC. Reading is the library's."""

    def __init__(self, datastore: SQLiteDatastore, events_table_name: str = "pitledger_events") -> None:
        values = names(events_table_name)
        self.statements = statements("sqlite.sql", values)
        self._script = script("sqlite_create.sql", values)
        self.file: OneFile | None = None
        self.bell = ""  # at which a commit rings
        # one writer a process waits for the file's lock; the others wait here, where readers are not behind them
        self._writers = Lock()
        self._held_connection: tuple[int, sqlite3.Connection] | None = None  # a thread's transaction over many appends
        datastore.pool = sqlite_connection_pool.like(datastore.pool)
        super().__init__(datastore, events_table_name)

    def create_table(self) -> None:
        """Make tables and guards, in one transaction."""
        with self.cursor(writer=True) as curs:
            curs.executescript(f"BEGIN IMMEDIATE; {self._script} COMMIT;")

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        """Insert as in the library, under BEGIN IMMEDIATE."""
        with self.writing() as curs:
            first = self.next_position(curs)
            rows = [
                (position, str(event.originator_id), event.originator_version, event.topic, event.state)
                for position, event in enumerate(stored_events, first)
            ]
            curs.executemany(self.statements["insert"], rows)
        return [row[0] for row in rows]

    def next_position(self, curs: sqlite3.Cursor) -> int:
        """Return the position of the next event. Only the holder of the write lock may ask."""
        last: int | None = curs.execute(self.statements["position"]).fetchone()[0]
        return (last or 0) + 1

    def expected_guards(self) -> Guards:
        """Return the guards that `create_table` makes, in SQLite's own words."""
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.executescript(self._script)
            return [Guard(*row) for row in connection.execute(self.statements["guards"])]

    @contextmanager
    def cursor(self, *, writer: bool = False) -> Iterator[sqlite3.Cursor]:
        """A cursor of the pool that gives plain tuples, outside of a transaction; errors become the library's.

        In the thread that writes many appends together it is that transaction's.
        """
        try:
            if (held := self._mine()) is not None:
                with closing(held.cursor()) as curs:
                    curs.row_factory = None
                    yield curs
                return
            with self.datastore.get_connection(commit=writer) as connection:
                self._must_be_the_same_file()
                with closing(connection.cursor().sqlite_cursor) as curs:
                    curs.row_factory = None
                    yield curs
        except sqlite3.Error as error:  # of the cursor, and of a connection to a file that is no database any more
            raise _library_error(error) from error

    def _must_be_the_same_file(self) -> None:
        if self.file is not None:
            self.file.check()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Cursor]:
        """A transaction that holds the file's write lock from its beginning."""
        if self._mine() is not None:
            with self._within() as curs:
                yield curs
            return
        if not self._writers.acquire(timeout=sqlite_connection_pool.LOCK_SECONDS):
            raise OperationalError("another thread holds the write lock")
        try:
            with self.cursor(writer=True) as curs:
                curs.execute("PRAGMA synchronous=FULL")  # an acknowledged event survives a power cut
                curs.execute("BEGIN IMMEDIATE")
                try:
                    yield curs
                    self._must_be_the_same_file()
                    curs.connection.commit()
                except BaseException:
                    curs.connection.rollback()
                    raise
        finally:
            self._writers.release()
        if self.bell:
            ring(self.bell)

    @contextmanager
    def one_transaction(self) -> Iterator[None]:
        """Put all writes of this thread into one transaction: durable at its end, or all are undone.

        All other writers wait, so it is for a house without other writers.
        """
        with self.writing() as curs:
            curs.execute(f"PRAGMA cache_size=-{HELD_KIB}")  # written rows stay cached until they are committed
            self._held_connection = (get_ident(), curs.connection)
            try:
                yield
            finally:
                self._held_connection = None

    def _mine(self) -> sqlite3.Connection | None:
        held = self._held_connection
        return held[1] if held is not None and held[0] == get_ident() else None

    @contextmanager
    def _within(self) -> Iterator[sqlite3.Cursor]:
        """Yield a cursor for one append of many, which fails alone."""
        with self.cursor() as curs:
            curs.execute("SAVEPOINT one")
            try:
                yield curs
            except BaseException:
                curs.execute("ROLLBACK TO one")
                raise
            finally:
                curs.execute("RELEASE one")


class SQLiteSession(StoreSession):
    """A cursor, in a transaction or not."""

    def __init__(self, recorder: SQLiteEventRecorder, curs: sqlite3.Cursor, clock: Clock) -> None:
        super().__init__(recorder.statements, clock)
        self._recorder = recorder
        self._curs = curs

    def _rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        return self._curs.execute(statement, values).fetchall()

    def _after_of_types(self, types: list[str], bounds: Mapping[str, int]) -> list[tuple[Any, ...]]:
        if self._recorder.next_position(self._curs) - bounds["after"] <= NEAR:
            return self._named("near_of_types", topics=msgspec.json.encode(types).decode(), **bounds)
        topics = {f"topic{number}": topic for number, topic in enumerate(types)}
        of_type = self._statements["of_type"]
        merged = " UNION ALL ".join(of_type.replace("{topic}", f":{name}") for name in topics)
        return self._rows(f"{merged} ORDER BY notification_id LIMIT :limit", **bounds, **topics)

    def keys(self, keys: Sequence[str]) -> Mapping[str, Key]:
        keys_json = msgspec.json.encode(keys).decode()
        return {row[0]: Key(*row) for row in self._named("keys", keys=keys_json)}

    def outdated(self, keys: Sequence[str], versions: Mapping[str, int]) -> OutdatedAssumptions:
        parameters = {"keys": list(keys), "versions": dict(versions)}
        as_json = {name: msgspec.json.encode(value).decode() for name, value in parameters.items()}
        return outdated(self._named("outdated", **as_json))

    def _insert(self, batch: EncodedBatch) -> range:
        """Insert a batch. All checks come before the first write, so that a refusal leaves no trace."""
        if batch.keys and (used := self.keys([key.key for key in batch.keys])):
            raise KeyReused(coded("keys-used", keys=list(used)))
        for stream, expected in batch.expected:
            self._check_head(stream, expected)
        first = self._recorder.next_position(self._curs)
        positions = range(first, first + len(batch.states))
        columns = (batch.originator_ids, batch.originator_versions, batch.topics, batch.states)
        self._curs.executemany(self._statements["insert"], zip(positions, *columns, strict=True))
        self._curs.executemany(self._statements["insert_key"], map(msgspec.structs.astuple, batch.keys))
        return positions

    def _check_head(self, stream: str, expected: StreamEnd) -> None:
        rows = self._named("head", stream=stream)
        version = rows[0][0] if rows else 0
        if version != expected.version or (rows and digest(rows[0][1]) != expected.digest):
            raise Stale(coded("stream-moved", stream=stream, version=version, expected=expected.version))


class SQLiteStore(RecordedStore):
    """The event store in an SQLite file. Threads may share it; a forked process opens its own."""

    recorder: SQLiteEventRecorder

    def create(self) -> None:
        with answering():
            self.recorder.create_table()

    def amiss(self) -> list[str] | None:
        with answering(), self._reading() as session:
            tables = {row[0] for row in session._named("tables")}
            guards = [Guard(*row) for row in session._named("guards")]
        return guard_differences(tables, self.recorder.expected_guards(), guards)

    def one_transaction(self) -> AbstractContextManager[None]:
        """One transaction of all that this thread writes meanwhile (see the recorder)."""
        return self.recorder.one_transaction()

    @contextmanager
    def _reading(self) -> Iterator[SQLiteSession]:
        with self.recorder.cursor() as curs:
            yield SQLiteSession(self.recorder, curs, self.clock)

    @contextmanager
    def _appending(self) -> Iterator[SQLiteSession]:
        with self.recorder.writing() as curs:
            yield SQLiteSession(self.recorder, curs, self.clock)

    _locking = _appending


def _library_error(error: sqlite3.Error) -> DatabaseError:
    if isinstance(error, sqlite3.IntegrityError):
        return IntegrityError(error)
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _PASSING:
        return OperationalError(error)
    return ProgrammingError(error) if code == sqlite3.SQLITE_ERROR else DatabaseError(error)
