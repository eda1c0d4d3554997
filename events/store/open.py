"""The backend of a URL, and the settings of the library's factory for it.

Forms of a URL:

- `sqlite:///var/events.sqlite3`: a path from the working folder (four slashes: from the root)
- `postgresql://user:password@host:port/database`: libpq's form
- `memory://`: until the process ends
"""

from pathlib import Path
from urllib.parse import unquote

import psycopg
from eventsourcing.persistence import InfrastructureFactory
from eventsourcing.postgres import PostgresFactory
from eventsourcing.utils import Environment
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from events.error_codes import coded
from events.errors import Invalid, PitledgerError, Retry
from events.runtime.clock import Clock, house_clock
from events.settings.settings import settings
from events.signing.keys import snapshot_key
from events.store import EventStore, connections
from events.store.drives import must_be_local
from events.store.memory import MemoryStore
from events.store.notifications import bell_of
from events.store.postgres import PostgresEventRecorder, PostgresStore
from events.store.recorder import answering
from events.store.seal import Seals
from events.store.sessions import ProductConnection, connect, refusal_of
from events.store.sqlite import OneFile, SQLiteEventRecorder, SQLiteStore

NAME = "pitledger"  # the tables are pitledger_events, pitledger_keys, pitledger_snapshots


def open_url(url: str | None = None, clock: Clock | None = None) -> EventStore:
    """Return the store at this URL, or at PITLEDGER_STORE, or in the data folder. Raises Invalid for an unsupported
    URL.

    Only the folder of an SQLite file is created: tables are made by `create()`.
    """
    clock = clock or house_clock()
    url = url or settings().store
    if url.startswith("sqlite:///"):
        return _open_sqlite(Path(unquote(url.removeprefix("sqlite:///"))), clock)
    if url.startswith(("postgresql://", "postgres://")):
        return _open_postgres(url, clock)
    if url == "memory://":
        return MemoryStore(clock)
    raise Invalid("PITLEDGER_STORE", coded("store-address-format"))


def _environment(module: str, recorder: type, **settings: str) -> Environment:
    return Environment(
        NAME,
        {
            "PERSISTENCE_MODULE": module,
            "APPLICATION_RECORDER_TOPIC": f"{recorder.__module__}:{recorder.__qualname__}",
            "ORIGINATOR_ID_TYPE": "text",
            "CREATE_TABLE": "n",
            **settings,
        },
    )


def _open_sqlite(path: Path, clock: Clock) -> SQLiteStore:
    if path.name in ("", ":memory:"):
        raise Invalid("PITLEDGER_STORE", coded("store-file-missing"))
    path = path.absolute()
    must_be_local(path, "PITLEDGER_STORE")
    path.parent.mkdir(parents=True, exist_ok=True)
    environment = _environment(
        "eventsourcing.sqlite",
        SQLiteEventRecorder,
        SQLITE_DBNAME=path.as_uri(),
        SQLITE_LOCK_TIMEOUT=str(connections.LOCK_SECONDS),
    )
    factory = InfrastructureFactory.construct(environment)
    recorder = factory.application_recorder()
    assert isinstance(recorder, SQLiteEventRecorder)
    recorder.file, recorder.bell = OneFile(path), bell_of(path)
    return SQLiteStore(factory, recorder, clock, seals=Seals(snapshot_key))


def _open_postgres(url: str, clock: Clock) -> PostgresStore:
    parts = _postgres_parts(url)
    environment = _environment(
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
