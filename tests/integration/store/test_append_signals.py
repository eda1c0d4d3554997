"""Readers that wait get the notice of an append by any process. A lost notice loses no event."""

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from events.errors import Stale
from events.store import Append, EventStore, StreamEnd, open_store
from events.store.listen_notify import NotifiedNews
from events.store.wakeup_on_append_across_processes import Bell, News, NoNews, bell_of, news_of, ring
from tests.integration.store.sample_events_and_writers import TABLE, add, bets

NOW, QUIET, SOON = 0.0, 0.2, 20.0
STOP = threading.Event()


@pytest.fixture
def store(shared_url: str) -> Iterator[EventStore]:
    """Yield the store on each backend that several processes may open."""
    store = open_store(shared_url)
    store.create()
    with contextlib.closing(store):
        yield store


@pytest.fixture
def news(store: EventStore, shared_url: str) -> Iterator[News]:
    """Yield a waiting reader that has read all earlier events."""
    with contextlib.closing(news_of(shared_url)) as news:
        news.wait(NOW, STOP)
        yield news


def test_who_waits_is_told_of_an_append(store: EventStore, news: News) -> None:
    assert not news.wait(NOW, STOP)
    add(store, TABLE, 2)
    assert news.wait(SOON, STOP)
    assert not news.wait(NOW, STOP)


def test_who_waits_is_told_while_he_waits(store: EventStore, news: News) -> None:
    later = threading.Timer(0.05, add, (store, TABLE, 2))
    later.start()
    assert news.wait(SOON, STOP)
    later.join()


def test_of_many_appends_before_one_wait_he_is_not_told_of_each(store: EventStore, news: News) -> None:
    for _ in range(20):
        add(store, TABLE, 1)
    assert news.wait(SOON, STOP)
    words = 1
    while news.wait(QUIET, STOP):  # PostgreSQL may still be telling the last ones
        words += 1
    assert words < 20


def test_another_process_that_opens_the_store_is_heard(store: EventStore, news: News, shared_url: str) -> None:
    with contextlib.closing(open_store(shared_url)) as other:
        add(other, TABLE, 1)
    assert news.wait(SOON, STOP)


def test_a_decision_under_the_lock_is_told_when_it_is_stored(store: EventStore, news: News) -> None:
    with store.locked() as locked:
        locked.append([Append(TABLE, locked.head(TABLE), bets(1))])
        assert not news.wait(NOW, STOP)
    assert news.wait(SOON, STOP)


def test_a_refused_append_is_no_news(store: EventStore, news: News) -> None:
    with pytest.raises(Stale):
        store.append([Append(TABLE, StreamEnd(7, b"x" * 32), bets(1))])
    assert not news.wait(NOW, STOP)


def test_nobody_needs_to_listen(store: EventStore) -> None:
    assert add(store, TABLE, 1).stored[0].position == 1


def test_a_server_that_goes_away_is_listened_to_again(postgres_url: str) -> None:
    store = open_store(postgres_url)
    store.create()
    with contextlib.closing(store), contextlib.closing(NotifiedNews(postgres_url)) as news:
        assert news.wait(NOW, STOP), "to begin to listen is a reason to look"
        with psycopg.connect(postgres_url, autocommit=True) as admin:
            mine = "application_name = 'pitledger-news' AND datname = current_database()"
            admin.execute(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE {mine}".encode())
        while news._connection is not None:
            assert not news.wait(SOON, STOP), "the connection is gone, which is no word"
        news._next_try_s = 0.0
        assert news.wait(NOW, STOP)
        add(store, TABLE, 1)
        assert news.wait(SOON, STOP)


def test_a_server_that_is_away_is_not_asked_all_the_time(unused_port: int) -> None:
    news = NotifiedNews(f"postgresql://pitledger@127.0.0.1:{unused_port}/pitledger")
    assert [news.wait(NOW, STOP) for _ in range(3)] == [False] * 3
    assert news._next_try_s > 0


@pytest.fixture
def unused_port() -> int:
    """Return a port without a server."""
    return 1


def test_the_bell_of_a_process_that_was_killed_is_hung_up_again(tmp_path: Path) -> None:
    file = tmp_path / "events.sqlite3"
    killed = Bell(file)
    with contextlib.closing(Bell(file)) as bell:
        killed._socket.close()
        ring(bell_of(file))
        assert bell.wait(SOON, STOP)
    assert not Path(bell_of(file)).exists()


def test_a_bell_that_nobody_empties_keeps_nobody_waiting(tmp_path: Path) -> None:
    file = tmp_path / "events.sqlite3"
    with contextlib.closing(Bell(file)) as bell:
        for _ in range(5_000):
            ring(bell_of(file))
        assert bell.wait(NOW, STOP)
        assert not bell.wait(NOW, STOP)


def test_where_there_can_be_no_bell_one_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / ("long" * 40)))
    news = news_of(f"sqlite:///{tmp_path}/events.sqlite3")
    assert isinstance(news, NoNews)
    assert not news.wait(NOW, STOP)
    ring(bell_of(tmp_path / "events.sqlite3"))
