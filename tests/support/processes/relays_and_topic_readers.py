"""Helpers for the tests of the relay and its readers: events to send, relays to run, readers that stop."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kafka import KafkaConsumer, TopicPartition

from events.envelope import EventData, Meta
from events.relay.event_topic_reader_and_setup import TOPIC
from events.relay.gapless_event_topic_reader import Hint, TopicTail
from events.relay.leak_free_kafka_clients import connected
from events.relay.relay import Relay
from events.relay.relay_lock_by_store import LocalLock, RelayLock
from events.relay.topic_records import TopicRecord
from events.store import Append, EventStore, NewEvent, Stored, everything
from events.store.wakeup_on_append_across_processes import News, NoNews

DEADLINE_S = 60.0
PROPERTY = "athens"


class Spun(EventData, frozen=True, kw_only=True):
    TYPE = "roulette.spun.v1"

    round: int
    number: int


def spin(store: EventStore, count: int, tables: int = 3) -> None:
    """Append `count` events, spread over some tables, 100 a transaction."""
    meta = Meta(time="2026-11-20T20:00:00.000Z", actor="p-100", actorrole="dealer")
    first = store.position()
    for start in range(0, count, 100):
        rounds = range(first + start, first + min(start + 100, count))
        streams = [f"{PROPERTY}/tables/R{table}/2026-11-20" for table in range(tables)]
        spins = {
            stream: [NewEvent(Spun(round=n, number=n % 37), meta) for n in rounds[i::tables]]
            for i, stream in enumerate(streams)
        }
        store.append([Append(stream, store.head(stream), new) for stream, new in spins.items() if new])


def within(condition: Callable[[], bool], what: str, deadline_s: float = DEADLINE_S) -> None:
    """Wait until it is so; fail with `what` at the deadline."""
    deadline = time.monotonic() + deadline_s
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.005)


@contextmanager
def relaying(
    store: EventStore,
    bootstrap: str,
    lock: RelayLock | None = None,
    news: Callable[[], News] = NoNews,
    *,
    fails: bool = False,
) -> Iterator[Relay]:
    """Run a relay in a thread. At the end, stop it, or with `fails` wait for its failure. Raise its exception."""
    relay = Relay(store, bootstrap, PROPERTY, lock or LocalLock(threading.Lock()), news=news)
    stop, failed = threading.Event(), []

    def work() -> None:
        try:
            relay.run(stop)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield relay
        if fails:
            within(lambda: bool(failed), "the relay does not fail")
    finally:
        stop.set()
        thread.join(DEADLINE_S)
    assert not thread.is_alive(), "the relay does not stop"
    if failed:
        raise failed[0]


def relayed(relay: Relay, store: EventStore) -> None:
    """Wait until the relay has sent all that the store holds."""
    within(lambda: relay.position == store.position(), f"the relay stands at {relay.position} of {store.position()}")


def read_until(tail: TopicTail, last: int, after: int = 0, hint: Hint | None = None) -> list[TopicRecord]:
    """The records that a reader gets from a position up to the position `last`."""
    got: list[TopicRecord] = []
    deadline = time.monotonic() + DEADLINE_S
    for batch in tail.read(after, hint, wait_s=0.05):
        got += batch
        if got and got[-1].position >= last:
            break
        assert time.monotonic() < deadline, f"the reader stands at {got[-1].position if got else after}, not at {last}"
    return got


def as_stored(records: list[TopicRecord]) -> list[tuple[int, str, str, bytes]]:
    """Return the records without the fields of the topic, to compare with `in_store`."""
    return [(record.position, record.stream, record.type, record.raw) for record in records]


def in_store(store: EventStore, after: int = 0) -> list[tuple[int, str, str, bytes]]:
    """The store's events in its order."""
    return [(event.position, event.stream, event.type, event.raw) for event in everything(store, after)]


def on_topic(bootstrap: str, expected: int = 0) -> list[tuple[bytes, bytes, dict[str, bytes]]]:
    """Return all records as a plain client of Kafka sees them, at least as many as expected: key, value, headers."""
    partition = TopicPartition(TOPIC, 0)
    consumer = connected(KafkaConsumer, bootstrap, auto_offset_reset="earliest", enable_auto_commit=False)
    consumer.assign([partition])
    consumer.seek_to_beginning(partition)
    # The end that the embedded broker claims may be too low, so it is read on until nothing more comes.
    seen: list[tuple[bytes, bytes, dict[str, bytes]]] = []
    end, deadline = consumer.end_offsets([partition])[partition], time.monotonic() + DEADLINE_S
    while (
        (records := consumer.poll(timeout_ms=500).get(partition, []))
        or consumer.position(partition) < end
        or len(seen) < expected
    ):
        seen += [(record.key, record.value, dict(record.headers)) for record in records]
        assert time.monotonic() < deadline, f"{len(seen)} of {end} records came"
    consumer.close()
    return seen


def stored(position: int, size: int = 20) -> Stored:
    """An event for tests that look at places only."""
    return Stored(position, "athens/tables/R1/2026-11-20", position, Spun.TYPE, b"x" * size)
