"""The relay: the topic has the store's events, in their order and byte for byte, after any fault."""

import contextlib
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from events.errors import Conflict
from events.relay import event_topic_reader_and_setup
from events.relay.gapless_event_topic_reader import TopicTail
from events.relay.relay_lock_by_store import LocalLock
from events.store import EventStore, Stored, open_store
from events.store.in_memory_store import MemoryStore
from events.store.wakeup_on_append_across_processes import News, news_of
from tests.support.processes.relays_and_topic_readers import (
    PROPERTY,
    as_stored,
    in_store,
    on_topic,
    read_until,
    relayed,
    relaying,
    spin,
    within,
)


def test_order_and_bytes_on_the_topic_are_the_stores(store: EventStore, bootstrap: str) -> None:
    spin(store, 2_500)
    with relaying(store, bootstrap) as relay:
        relayed(relay, store)
        spin(store, 10)
        relayed(relay, store)
    with TopicTail(bootstrap, PROPERTY) as tail:
        records = read_until(tail, store.position())
    assert as_stored(records) == in_store(store)
    assert [record.offset for record in records] == list(range(2_510))
    assert len({record.incarnation for record in records}) == 1


def test_a_record_says_what_it_is(store: EventStore, bootstrap: str) -> None:
    spin(store, 2, tables=1)
    with relaying(store, bootstrap) as relay:
        relayed(relay, store)
    [_, (key, value, headers)] = on_topic(bootstrap)
    assert (key, value) == (b"athens/tables/R0/2026-11-20", store.after(1, 1)[0].raw)
    assert headers.pop("incarnation").startswith(b"0.")
    assert headers == {
        "content-type": b"application/cloudevents+json",
        "type": b"roulette.spun.v1",
        "position": b"2",
        "previous": b"1",
    }


def test_a_relay_that_starts_again_continues_after_the_last_record(store: EventStore, bootstrap: str) -> None:
    for _ in range(3):
        spin(store, 700)
        with relaying(store, bootstrap) as relay:
            relayed(relay, store)
    assert [value for _, value, _ in on_topic(bootstrap)] == [event[3] for event in in_store(store)]


def test_of_two_relays_one_works_and_the_other_takes_over(store: EventStore, bootstrap: str) -> None:
    shared = threading.Lock()
    with (
        relaying(store, bootstrap, LocalLock(shared)) as first,
        relaying(store, bootstrap, LocalLock(shared)) as second,
    ):
        spin(store, 500)
        within(lambda: 500 in (first.position, second.position), "no relay works")
        assert 0 in (first.position, second.position)
    with relaying(store, bootstrap, LocalLock(shared)) as third:
        spin(store, 500)
        relayed(third, store)
    assert len(on_topic(bootstrap)) == 1_000


def test_another_stores_topic_is_left_alone(store: EventStore, bootstrap: str) -> None:
    spin(store, 20)
    with relaying(store, bootstrap) as relay:
        relayed(relay, store)
    other = MemoryStore()
    spin(other, 30, tables=2)
    before = on_topic(bootstrap)
    with pytest.raises(Conflict, match="another store"), relaying(other, bootstrap, fails=True):
        pass
    assert on_topic(bootstrap) == before


class ReplacedStore(MemoryStore):
    """A store whose database is replaced during use."""

    other: MemoryStore | None = None

    def after(self, position: int, limit: int, types: Sequence[str] = (), until: int | None = None) -> list[Stored]:
        if self.other is not None:
            return self.other.after(position, limit, types, until)
        return super().after(position, limit, types, until)


@pytest.mark.parametrize("events", [20, 80], ids=["shorter", "longer by now"])
def test_a_relay_stops_where_its_store_was_restored_under_it(bootstrap: str, events: int) -> None:
    """Earlier, the relay sent events of the other history after those of the first."""
    store, other = ReplacedStore(), MemoryStore()
    spin(store, 50)
    spin(other, events, tables=3)

    def restored() -> None:
        with relaying(store, bootstrap, fails=True) as relay:
            relayed(relay, store)
            store.other = other

    with pytest.raises(Conflict, match="does not hold event 50 any more"):
        restored()
    assert len(on_topic(bootstrap)) == 50


def test_an_emptied_topic_is_filled_with_another_stores_events(store: EventStore, kafka_bootstrap: str) -> None:
    spin(store, 20)
    with relaying(store, kafka_bootstrap) as relay:
        relayed(relay, store)
    event_topic_reader_and_setup.empty(kafka_bootstrap)
    other = MemoryStore()
    spin(other, 30, tables=2)
    with relaying(other, kafka_bootstrap) as relay:
        relayed(relay, other)
    with TopicTail(kafka_bootstrap, PROPERTY) as tail:
        records = read_until(tail, 30)
    assert as_stored(records) == in_store(other)
    assert records[0].offset == 20


class OnlyTold:
    """Waits without a time limit until a notice of an append arrives."""

    def __init__(self, news: News) -> None:
        self._news = news
        self.close = news.close

    def wait(self, seconds: float, stop: threading.Event) -> bool:
        while not (is_told := self._news.wait(0.05, stop)) and not stop.is_set():
            pass
        return is_told


def test_an_append_wakes_the_relay(bootstrap: str, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'events.sqlite3'}"
    with contextlib.closing(open_store(url)) as store:
        store.create()
        spin(store, 1)
        with relaying(store, bootstrap, news=lambda: OnlyTold(news_of(url))) as relay:
            relayed(relay, store)
            for _ in range(5):
                spin(store, 1)
                relayed(relay, store)
