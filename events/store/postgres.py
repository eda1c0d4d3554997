"""The event store on PostgreSQL: a recorder of the eventsourcing library with an append function of its own.

The library's own database function takes no lock, so that a tailing reader misses events, and its default way takes
several round trips. This one is one call: lock, keys, heads, events, and notification (`news`).

Only `open_url` imports this module: it loads the driver.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Any

import psycopg
from eventsourcing.persistence import (
    ApplicationRecorder,
    InfrastructureFactory,
    InterfaceError,
    OperationalError,
    StoredEvent,
    Subscription,
)
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore, PostgresFactory
from psycopg import Connection, Cursor, ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import UniqueViolation
from psycopg.rows import DictRow, tuple_row

from events.error_codes import coded
from events.errors import Invalid, KeyReused, PitledgerError, Retry, Stale
from events.runtime.clock import Clock
from events.signing.house_signing_key import snapshot_key
from events.store import Key, OutdatedAssumptions
from events.store.database_login_errors import refusal_of
from events.store.event_batch_encoding import EncodedBatch
from events.store.eventsourcing_factory_settings import NAME, factory_environment
from events.store.guard_trigger_check import Guard, Guards, guard_differences, guards_of, trigger_text
from events.store.list_types_for_postgres_arrays import Bigints, Byteas, TextArray
from events.store.postgres_session_settings import ProductConnection, connect
from events.store.snapshot_seals import Seals
from events.store.sql_files import names, script, statements
from events.store.store_base_classes import RecordedStore, StoreSession, answering, outdated


class PostgresEventRecorder(PostgresApplicationRecorder):
    """The recorder to name in APPLICATION_RECORDER_TOPIC. Everything but the inserting is the library's."""

    def __init__(self, datastore: PostgresDatastore, *, events_table_name: str = "stored_events") -> None:
        super().__init__(datastore, events_table_name=events_table_name)
        values = names(events_table_name, datastore.schema)
        lock = int.from_bytes(
            sha256(f"{datastore.schema}.{events_table_name}".encode()).digest()[:8], "big", signed=True
        )
        self.keys_constraint = f"{values['keys']}_pkey"
        self.statements = statements("postgres.sql", values)
        self._script = script("postgres_create.sql", {**values, "lock": str(lock)})

    def create_table(self) -> None:
        """Make tables, functions and guards. The advisory lock separates processes that start at once.

        A role without that right uses the tables of their owner. Raises Invalid where they are missing.
        """
        with self.datastore.transaction(commit=True) as curs:
            curs.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"create {self.events_table_name}",))
            if self._may_create(curs):
                curs.execute(self._script)

    def _may_create(self, curs: Cursor[DictRow]) -> bool:
        """Return whether this database role may make the tables; False where it only works with existing ones."""
        schema, table = self.datastore.schema, f"{self.datastore.schema}.{self.events_table_name}"
        query = "SELECT has_schema_privilege(current_user, %s, 'CREATE') AS may, to_regclass(%s) IS NOT NULL AS made"
        row = curs.execute(query, (schema, table)).fetchone()
        assert row is not None
        if not row["may"] and not row["made"]:
            raise Invalid("PITLEDGER_STORE", coded("store-role-makes-no-tables"))
        return bool(row["may"])

    def expected_guards(self) -> Guards:
        """Return the guards that `create_table` makes."""
        return guards_of(self._script)

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        """Insert events as in the library, but never repeated after an error, and in one round trip.

        Raises eventsourcing.persistence.IntegrityError where a version exists, OperationalError where the server
        does not answer.
        """
        batch = EncodedBatch(
            originator_ids=[str(event.originator_id) for event in stored_events],
            originator_versions=[event.originator_version for event in stored_events],
            topics=[event.topic for event in stored_events],
            states=[event.state for event in stored_events],
            expected=[],
            heads={},
            keys=(),
        )
        with self.datastore.get_connection() as conn:
            return self.insert_batch(conn, batch)

    def insert_batch(self, conn: Connection[DictRow], batch: EncodedBatch) -> list[int]:
        """Call the append function: in its own transaction, or in the one that the connection is in."""
        heads, keys = [head for _, head in batch.expected], batch.keys
        values = {
            "streams": TextArray(stream for stream, _ in batch.expected),
            "versions": Bigints(head.version for head in heads),
            "digests": Byteas(head.digest for head in heads),
            "originator_ids": TextArray(batch.originator_ids),
            "originator_versions": Bigints(batch.originator_versions),
            "topics": TextArray(batch.topics),
            "states": Byteas(batch.states),
            "keys": TextArray(key.key for key in keys),
            "contents": Byteas(key.content for key in keys),
            "key_streams": TextArray(key.stream for key in keys),
            "firsts": Bigints(key.first for key in keys),
            "counts": Bigints(key.count for key in keys),
        }
        with conn.cursor(row_factory=tuple_row, binary=True) as curs:
            row = curs.execute(self.statements["append"], values, prepare=True).fetchone()
        assert row is not None
        positions: list[int] = row[0]
        return positions

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> Subscription[ApplicationRecorder]:
        """Refuse: the library's notifications differ. Notification of an append is in
        `events.store.wakeup_on_append_across_processes`.
        """
        raise NotImplementedError(
            "poll select_notifications() instead, or wait with events.store.wakeup_on_append_across_processes"
        )


class PostgresSession(StoreSession):
    """A connection of the pool, in a transaction or not."""

    def __init__(self, recorder: PostgresEventRecorder, conn: Connection[DictRow], clock: Clock) -> None:
        super().__init__(recorder.statements, clock)
        self._recorder = recorder
        self._conn = conn

    def _rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        with self._conn.cursor(row_factory=tuple_row, binary=True) as curs:
            curs.execute(statement, values, prepare=True)
            return curs.fetchall() if curs.description else []

    def _after_of_types(self, types: list[str], bounds: Mapping[str, int]) -> list[tuple[Any, ...]]:
        return self._named("after_of_types", topics=types, **bounds)

    def keys(self, keys: Sequence[str]) -> Mapping[str, Key]:
        return {row[0]: Key(*row) for row in self._named("keys", keys=list(keys))}

    def outdated(self, keys: Sequence[str], versions: Mapping[str, int]) -> OutdatedAssumptions:
        streams, ends = TextArray(versions), Bigints(versions.values())
        return outdated(self._named("outdated", keys=TextArray(keys), streams=streams, versions=ends))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """A transaction that waits for the store's write lock and holds it to its end."""
        with self._conn.transaction():
            self._named("lock")
            yield

    def _insert(self, batch: EncodedBatch) -> list[int]:
        try:
            return self._recorder.insert_batch(self._conn, batch)
        except UniqueViolation as violation:
            if violation.diag.constraint_name == self._recorder.keys_constraint:
                raise KeyReused(coded("key-used-in-store", detail=str(violation.diag.message_detail))) from violation
            raise Stale(coded("expected-head-moved", detail=str(violation.diag.message_primary))) from violation


class PostgresStore(RecordedStore):
    """The event store on PostgreSQL. Threads may share it; a forked process opens its own."""

    recorder: PostgresEventRecorder

    def create(self) -> None:
        with answering():
            self.recorder.create_table()

    def amiss(self) -> list[str] | None:
        with answering(), self._reading() as session:
            tables = {row[0] for row in session._named("tables")}
            guards = [Guard(table, name, trigger_text(*columns)) for table, name, *columns in session._named("guards")]
        return guard_differences(tables, self.recorder.expected_guards(), guards)

    @contextmanager
    def _reading(self) -> Iterator[PostgresSession]:
        try:
            with self.recorder.datastore.get_connection() as conn:
                yield PostgresSession(self.recorder, conn, self.clock)
        except (OperationalError, InterfaceError):
            self._forget_broken_connections()
            raise

    _appending = _reading  # one statement is a transaction of its own

    @contextmanager
    def _locking(self) -> Iterator[PostgresSession]:
        with self._reading() as session, session.locked():
            yield session

    def _forget_broken_connections(self) -> None:
        """Drop all idle connections after one error: a restart of the server has closed them all."""
        with suppress(psycopg.Error):
            self.recorder.datastore.pool.check()


def open_postgres(url: str, clock: Clock) -> PostgresStore:
    """Return the store at this URL. Raises Invalid, and Retry where the server does not answer."""
    parts = _postgres_parts(url)
    environment = factory_environment(
        "eventsourcing.postgres",
        PostgresEventRecorder,
        POSTGRES_DBNAME=parts.get("dbname", NAME),
        POSTGRES_HOST=parts.get("host", "127.0.0.1"),
        POSTGRES_PORT=parts.get("port", "5432"),
        POSTGRES_USER=parts.get("user", NAME),
        POSTGRES_PASSWORD=parts.get("password", ""),
        POSTGRES_CONNECT_TIMEOUT=parts.get("connect_timeout", "10"),
        POSTGRES_POOL_SIZE="2",
        POSTGRES_MAX_OVERFLOW="14",
        POSTGRES_IDLE_IN_TRANSACTION_SESSION_TIMEOUT="10",  # a person who hangs under the lock loses it
    )
    factory = InfrastructureFactory.construct(environment)
    try:
        with answering():
            _must_fit(url, int(parts.get("connect_timeout", "10")))
            assert isinstance(factory, PostgresFactory)
            factory.datastore.pool.connection_class = ProductConnection
            recorder = factory.application_recorder()
    except PitledgerError:
        factory.close()
        raise
    assert isinstance(recorder, PostgresEventRecorder)
    return PostgresStore(factory, recorder, clock, seals=Seals(snapshot_key))


def _must_fit(url: str, connect_s: int) -> None:
    """Report errors of the database at once: a pool would try it again until its time is over. Raises Invalid, and
    Retry where it does not answer."""
    try:
        connect(url, connect_timeout=connect_s).close()
    except psycopg.OperationalError as error:
        if refusal := refusal_of(error):
            raise Invalid("PITLEDGER_STORE", coded("store-refused", why=refusal)) from error
        raise Retry(coded("store-silent", why=str(error))) from error


def _postgres_parts(url: str) -> dict[str, str]:
    """The URL's parts. Options that the library would not pass on are refused, not forgotten."""
    try:
        parts = {name: str(value) for name, value in conninfo_to_dict(url).items() if value}
    except ProgrammingError as error:
        raise Invalid("PITLEDGER_STORE", coded("store-refused", why=str(error))) from error
    if unused := parts.keys() - {"dbname", "host", "port", "user", "password", "connect_timeout"}:
        options = ", ".join(sorted(unused))
        raise Invalid("PITLEDGER_STORE", coded("store-options-refused", options=str(options)))
    return parts
