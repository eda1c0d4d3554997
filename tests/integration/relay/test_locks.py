"""The relay's lock in PostgreSQL."""

import psycopg
import pytest

from events.errors import Retry
from events.relay.lock import AdvisoryLock, lock_for


def test_one_relay_holds_the_advisory_lock(postgres_url: str) -> None:
    one, other = lock_for(postgres_url), lock_for(postgres_url)
    assert isinstance(one, AdvisoryLock)
    assert one.acquire()
    assert one.acquire()
    assert not other.acquire()
    assert (one.held(), other.held()) == (True, False)
    one.release()
    assert other.acquire()
    other.release()


def test_a_relay_that_lost_its_connection_knows_that_it_lost_the_lock(postgres_url: str) -> None:
    one, other = lock_for(postgres_url), lock_for(postgres_url)
    assert one.acquire()
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
    assert not one.held()
    assert other.acquire()
    assert not one.acquire()
    other.release()


def test_a_database_that_does_not_answer_is_worth_another_try() -> None:
    with pytest.raises(Retry, match="does not answer"):
        lock_for("postgresql://nobody:nothing@127.0.0.1:1/none").acquire()
