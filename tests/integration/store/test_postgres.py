"""Faults that only PostgreSQL can have."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone

import psycopg
import pytest
from psycopg import errors

from events.errors import Retry
from events.store import Append, open_store
from events.store.list_types_for_postgres_arrays import Bigints, Byteas, TextArray, TimestampArray
from events.store.postgres import PostgresStore
from tests.integration.store.sample_events_and_writers import TABLE, add, bets, key

pytestmark = pytest.mark.postgres


@pytest.fixture
def store(postgres_url: str) -> Iterator[PostgresStore]:
    store = open_store(postgres_url)
    assert isinstance(store, PostgresStore)
    store.create()
    yield store
    store.close()


@pytest.fixture
def database(postgres_url: str) -> Iterator[psycopg.Connection]:
    """Yield a direct connection to the database."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize("table", ["pitledger_events", "pitledger_keys"])
@pytest.mark.parametrize("change", ["UPDATE {} SET {} = 'x'", "DELETE FROM {}", "TRUNCATE {}"])
def test_the_database_refuses_changes(
    store: PostgresStore, database: psycopg.Connection, table: str, change: str
) -> None:
    add(store, TABLE, 2, (key("a"),))
    column = "topic" if table == "pitledger_events" else "stream"
    before = store.stream(TABLE), store.keys(["a"])
    with pytest.raises(errors.InsufficientPrivilege, match="append a correction"):
        database.execute(change.format(table, column).encode())
    assert (store.stream(TABLE), store.keys(["a"])) == before


def test_create_may_be_repeated_on_a_full_store(store: PostgresStore) -> None:
    add(store, TABLE, 2)
    store.create()
    add(store, TABLE)
    assert store.position() == 3


def test_whoever_inserts_by_another_way_waits_for_the_lock_too(
    store: PostgresStore, database: psycopg.Connection
) -> None:
    database.execute("SET lock_timeout = '50ms'")
    insert = "INSERT INTO pitledger_events (originator_id, originator_version, topic, state) VALUES ('x', 1, 't', '')"
    with store.locked(), pytest.raises(errors.LockNotAvailable):
        database.execute(insert)
    assert store.position() == 0
    database.execute(insert)
    assert store.last_stream("") == "x"


def test_a_writer_that_waits_too_long_is_told_to_try_again(store: PostgresStore, database: psycopg.Connection) -> None:
    for function in database.execute("SELECT oid::regprocedure::text FROM pg_proc WHERE proname ~ 'append_v1|lock_v1'"):
        database.execute(f"ALTER FUNCTION {function[0]} SET lock_timeout = '50ms'".encode())
    with store.locked():
        with pytest.raises(Retry):
            add(store, TABLE)
        with pytest.raises(Retry), store.locked():
            pass
    assert store.position() == 0
    add(store, TABLE)


def end_all_others(database: psycopg.Connection) -> None:
    """End the store's connections, as a restart of the server does."""
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = %s"
    database.execute(end, (database.info.dbname,))


def test_after_a_restart_of_the_server_one_error_is_enough(store: PostgresStore, database: psycopg.Connection) -> None:
    add(store, TABLE)
    end_all_others(database)
    with pytest.raises(Retry):
        add(store, TABLE)
    add(store, TABLE)
    assert store.position() == 2


def test_a_connection_lost_under_the_lock_is_told_and_nothing_is_written(
    store: PostgresStore, database: psycopg.Connection
) -> None:
    def decide() -> None:
        with store.locked() as locked:
            locked.append([Append(TABLE, locked.head(TABLE), bets(1))])
            end_all_others(database)
            locked.position()

    with pytest.raises(Retry):
        decide()
    assert store.position() == 0


def test_a_server_that_is_not_there(free_port: Callable[[], int]) -> None:
    with pytest.raises(Retry, match="does not answer"):
        open_store(f"postgresql://nobody@127.0.0.1:{free_port()}/none?connect_timeout=1")


def test_two_stores_of_a_server_do_not_wait_for_each_other(
    store: PostgresStore, new_database: Callable[[], str]
) -> None:
    other = open_store(new_database())
    other.create()
    with store.locked():
        add(other, TABLE)
    assert (store.position(), other.position()) == (0, 1)
    other.close()


def test_arrays_arrive_as_they_were_sent(database: psycopg.Connection) -> None:
    texts, byteas, bigints = ["", "ω, {}", '"'], [b"", b"\x00\xff", b"\\"], [0, -1, 2**63 - 1]
    moments = [
        datetime(1999, 12, 31, 23, 59, 59, 999_999, UTC),
        datetime(2026, 11, 25, 1, 30, tzinfo=timezone(timedelta(hours=2))),
    ]
    types = ["text[]", "bytea[]", "bigint[]", "timestamp with time zone[]"]
    query = f"SELECT {', '.join(['%b'] * 4 + ['pg_typeof(%b)::text'] * 4)}".encode()
    for some in [(texts, byteas, bigints, moments), ([], [], [], []), ([None, *texts], [None], [0, None], [None])]:
        sent = [kind(column) for kind, column in zip((TextArray, Byteas, Bigints, TimestampArray), some, strict=True)]
        row = database.execute(query, (*sent, *sent)).fetchone()
        assert row == (*some, *types)
