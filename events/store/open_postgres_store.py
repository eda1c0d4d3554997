"""The event store of a PostgreSQL address. Only `open_url` imports this module: it loads the driver."""

import psycopg
from eventsourcing.persistence import InfrastructureFactory
from eventsourcing.postgres import PostgresFactory
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from events.error_codes import coded
from events.errors import Invalid, PitledgerError, Retry
from events.runtime.clock import Clock
from events.signing.house_signing_key import snapshot_key
from events.store.database_login_errors import refusal_of
from events.store.eventsourcing_factory_settings import NAME, factory_environment
from events.store.postgres import PostgresEventRecorder, PostgresStore
from events.store.postgres_session_settings import ProductConnection, connect
from events.store.snapshot_seals import Seals
from events.store.store_base_classes import answering


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
