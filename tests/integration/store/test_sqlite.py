"""Faults that only SQLite can have."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest
from eventsourcing.persistence import ConnectionPoolClosedError, ProgrammingError

from events.errors import KeyReused, Retry
from events.store import open_store
from events.store.sqlite import SQLiteStore
from tests.integration.store.sample_events_and_writers import TABLE, add, key


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[SQLiteStore]:
    store = open_store(f"sqlite:///{path}")
    assert isinstance(store, SQLiteStore)
    store.create()
    yield store
    store.close()


@pytest.fixture
def database(path: Path, store: SQLiteStore) -> Iterator[sqlite3.Connection]:
    """Yield a direct connection to the file."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as connection:
        yield connection


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE pitledger_events SET topic = 'x'",
        "DELETE FROM pitledger_events",
        "INSERT OR REPLACE INTO pitledger_events SELECT 1, originator_id, 9, topic, x'00' FROM pitledger_events",
        "INSERT OR REPLACE INTO pitledger_events SELECT NULL, originator_id, 1, topic, x'00' FROM pitledger_events",
        "UPDATE pitledger_keys SET stream = 'x'",
        "DELETE FROM pitledger_keys",
        "REPLACE INTO pitledger_keys SELECT key, x'00', stream, first, count FROM pitledger_keys",
    ],
)
def test_the_database_refuses_changes(store: SQLiteStore, database: sqlite3.Connection, change: str) -> None:
    add(store, TABLE, 2, (key("a"),))
    before = store.stream(TABLE), store.keys(["a"])
    with pytest.raises(sqlite3.IntegrityError, match="never edited"):
        database.execute(change)
    assert (store.stream(TABLE), store.keys(["a"])) == before


def test_every_commit_is_on_disk_before_it_is_acknowledged(store: SQLiteStore, database: sqlite3.Connection) -> None:
    with store.recorder.writing() as curs:
        assert curs.execute("PRAGMA synchronous").fetchone() == (2,)
    assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_positions_stay_when_the_file_is_vacuumed(store: SQLiteStore, database: sqlite3.Connection) -> None:
    written = add(store, TABLE, 3)
    database.execute("VACUUM")
    assert store.after(0, 10) == written.stored


def test_a_new_file_is_made_though_somebody_else_just_writes_to_it(path: Path) -> None:
    """While another connection writes, SQLite refuses the write-ahead log at once, for any timeout."""
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.executescript("CREATE TABLE anything (x); BEGIN IMMEDIATE;")
        Timer(0.1, other.rollback).start()
        with closing(open_store(f"sqlite:///{path}")) as store:
            store.create()
            assert store.position() == 0


def test_a_file_that_stays_locked_is_told_to_try_again(store: SQLiteStore, database: sqlite3.Connection) -> None:
    with store.recorder.writing() as curs:
        curs.execute("PRAGMA busy_timeout = 50")
    database.execute("BEGIN IMMEDIATE")
    with pytest.raises(Retry, match="locked"):
        add(store, TABLE)
    assert store.position() == 0  # readers do not wait
    database.execute("ROLLBACK")
    add(store, TABLE)


def test_readers_go_on_while_the_lock_is_held(store: SQLiteStore) -> None:
    add(store, TABLE)
    with store.locked() as locked:
        locked.append([])
        assert store.position() == 1


def test_a_store_without_tables_says_so(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/new/folder/events.sqlite3")
    with pytest.raises(ProgrammingError, match="no such table"):
        store.position()
    store.close()


def test_a_store_is_closed_under_nobody_who_reads(store: SQLiteStore) -> None:
    """A connection that is closed while another thread steps through it takes the process with it."""
    add(store, TABLE, 3)
    with store.recorder.datastore.get_connection(commit=False) as connection:
        rows = connection.cursor().sqlite_cursor.execute("SELECT originator_version FROM pitledger_events")
        assert rows.fetchone()[0] == 1
        store.close()
        assert [row[0] for row in rows] == [2, 3]
    assert connection.closed
    with pytest.raises(Retry, match="closed"):
        store.stream(TABLE)


def test_who_waited_for_a_connection_gets_none_of_a_store_that_was_closed(store: SQLiteStore) -> None:
    pool = store.recorder.datastore.pool
    store.close()
    with pytest.raises(ConnectionPoolClosedError):
        pool._get_connection()


def test_what_is_written_together_is_there_at_once_or_not_at_all(store: SQLiteStore, path: Path) -> None:
    with closing(open_store(f"sqlite:///{path}")) as other:
        with store.one_transaction():
            add(store, TABLE, 2, keys=(key("a", TABLE, 1),))
            with pytest.raises(KeyReused):
                add(store, TABLE, 1, keys=(key("a", TABLE, 3),))
            add(store, TABLE, 1)
            assert (store.position(), other.position()) == (3, 0)
        assert other.position() == 3
        with pytest.raises(KeyboardInterrupt):
            _stopped(store)
        assert (store.position(), other.position()) == (3, 3)
        add(store, TABLE, 1)
        assert other.position() == 4


def _stopped(store: SQLiteStore) -> None:
    with store.one_transaction():
        add(store, TABLE, 2)
        raise KeyboardInterrupt
