"""The relay's lock in PostgreSQL."""

import os
import signal
import subprocess
import sys

import psycopg
import pytest

from events.errors import Retry
from events.relay.advisory_lock import LOST_S, AdvisoryLock
from events.relay.relay_lock_by_store import lock_for
from tests.support.processes.relays_and_topic_readers import within

# Takes the lock and looks after it as a relay does.
HOLDS = """
import sys, time
from events.relay.advisory_lock import AdvisoryLock
lock = AdvisoryLock(sys.argv[1], lost_s=5.0)
assert lock.acquire()
print("held", flush=True)
while lock.held():
    time.sleep(0.2)
print("lost", flush=True)
"""


def test_one_relay_holds_the_advisory_lock(postgres_url: str) -> None:
    first, other = lock_for(postgres_url), lock_for(postgres_url)
    assert isinstance(first, AdvisoryLock)
    assert first.acquire()
    assert first.acquire()
    assert not other.acquire()
    assert (first.held(), other.held()) == (True, False)
    first.release()
    assert other.acquire()
    other.release()


def test_a_relay_that_lost_its_connection_knows_that_it_lost_the_lock(postgres_url: str) -> None:
    first, other = lock_for(postgres_url), lock_for(postgres_url)
    assert first.acquire()
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
    assert not first.held()
    assert other.acquire()
    assert not first.acquire()
    other.release()


def test_a_database_that_does_not_answer_is_worth_another_try() -> None:
    with pytest.raises(Retry, match="does not answer"):
        lock_for("postgresql://nobody:nothing@127.0.0.1:1/none").acquire()


def test_a_relay_that_stands_still_keeps_no_other_waiting(postgres_url: str) -> None:
    """The host of this relay was cut off: the server gets no message, and the connection stays open."""
    with subprocess.Popen([sys.executable, "-c", HOLDS, postgres_url], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        try:
            assert holder.stdout.readline() == "held\n"
            other = lock_for(postgres_url)
            assert not other.acquire()
            os.kill(holder.pid, signal.SIGSTOP)
            within(other.acquire, "the lock is never free")
            os.kill(holder.pid, signal.SIGCONT)
            assert holder.stdout.readline() == "lost\n", "who comes back knows that it is another's"
        finally:
            holder.kill()
    other.release()


def test_the_lock_outlives_its_host_by_less_than_half_a_minute(postgres_url: str) -> None:
    lock = lock_for(postgres_url)
    assert isinstance(lock, AdvisoryLock)
    assert lock.acquire()
    shown = f"SELECT current_setting('idle_session_timeout')::interval = interval '{LOST_S} s'"
    assert lock._connection is not None
    assert lock._connection.execute(shown).fetchone() == (True,)
    assert LOST_S < 30
    lock.release()
