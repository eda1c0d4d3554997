"""Relay and broker are killed: the topic is complete in the end, and a foreign client finds all events of the store."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backoffice.running import status_files
from events.relay.event_sender_to_kafka import Sender
from events.relay.event_topic_reader_and_setup import ensure_topic, new_incarnation
from events.relay.gapless_event_topic_reader import TopicTail
from events.relay.topic_records import TopicRecord
from events.store import EventStore, open_store
from tests.servers import ApacheKafka
from tests.support.processes.child_broker import EmbeddedBroker
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

SERVE = """
import sys
from backoffice.running import status_files
from events.relay.relay import serve
serve(sys.argv[1], "athens", tell=lambda **figures: status_files.announce("relay", **figures))
"""
CHECKOUT = Path(__file__).parents[3]


@contextmanager
def relay_process(bootstrap: str, url: str, data: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The relay as a process of its own, killed at the end if it still runs."""
    env = {**os.environ, "PITLEDGER_STORE": url, "PITLEDGER_DATA": str(data)}
    command = [sys.executable, "-c", SERVE, bootstrap]
    with subprocess.Popen(command, cwd=CHECKOUT, env=env, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()


def wait_until_ready(process: subprocess.Popen[bytes], data: Path) -> None:
    within(lambda: status_files.last_status("relay", data=data).get("pid") == process.pid, "the relay does not start")


def distinct(bootstrap: str) -> set[str]:
    return {json.loads(value)["id"] for _, value, _ in on_topic(bootstrap)}


def test_a_relay_killed_on_the_way_is_continued_by_the_next(bootstrap: str, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'events.sqlite3'}"
    store = open_store(url)
    store.create()
    spin(store, 8_000)
    for _ in range(2):
        with relay_process(bootstrap, url, tmp_path) as process:
            wait_until_ready(process, tmp_path)
            process.send_signal(signal.SIGKILL)
    with relay_process(bootstrap, url, tmp_path) as process:
        within(
            lambda: status_files.last_status("relay", data=tmp_path).get("position") == 8_000, "the relay does not end"
        )
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    assert len(distinct(bootstrap)) == 8_000
    with TopicTail(bootstrap, PROPERTY) as tail:
        assert as_stored(read_until(tail, 8_000)) == in_store(store)
    store.close()


def test_a_broker_that_comes_back_empty_is_filled_again(store: EventStore, embedded: EmbeddedBroker) -> None:
    spin(store, 1_500)
    with relaying(store, embedded.bootstrap) as relay:
        relayed(relay, store)
        first = {headers["incarnation"] for _, _, headers in on_topic(embedded.bootstrap)}
        embedded.kill()
        embedded.start()
        within(lambda: len(distinct(embedded.bootstrap)) == 1_500, "the topic is not filled again")
        spin(store, 5)
        relayed(relay, store)
    assert len(distinct(embedded.bootstrap)) == 1_505
    assert first.isdisjoint({headers["incarnation"] for _, _, headers in on_topic(embedded.bootstrap)})


def test_a_reader_sees_each_event_once_while_the_broker_is_killed(store: EventStore, embedded: EmbeddedBroker) -> None:
    spin(store, 1_000)
    got = []
    with relaying(store, embedded.bootstrap), TopicTail(embedded.bootstrap, PROPERTY) as tail:
        for batch in tail.read(0, wait_s=0.05):
            got += batch
            if batch and got[-1].position in (1_000, 1_300, 1_600):
                embedded.kill()
                embedded.start()
                spin(store, 300)
            if got and got[-1].position == 1_900:
                break
    assert as_stored(got) == in_store(store)


def test_the_one_new_event_after_the_broker_came_back_empty_arrives(
    store: EventStore, embedded: EmbeddedBroker
) -> None:
    """The refilled topic ends at or before the reader's next offset, where no further record would ever arrive."""
    spin(store, 10)
    with relaying(store, embedded.bootstrap) as relay, TopicTail(embedded.bootstrap, PROPERTY) as tail:
        reader = tail.read(0, wait_s=0.05)
        while not any(record.position == 10 for record in next(reader)):
            pass
        embedded.kill()
        embedded.start()
        relayed(relay, store)
        spin(store, 1)
        while not (batch := next(reader)):
            pass
        assert [record.position for record in batch] == [11]


def test_a_batch_that_landed_on_an_emptied_topic_is_no_beginning(store: EventStore, bootstrap: str) -> None:
    """The broker was emptied between the relay's look at it and its first batch; then the relay was killed."""
    spin(store, 200)
    late = Sender(bootstrap, 0)
    ensure_topic(bootstrap)
    late.send(store.after(150, 20), 150, 0, new_incarnation(0), threading.Event())
    late.close()
    with TopicTail(bootstrap, PROPERTY) as tail:
        reader = tail.read(0, wait_s=0.05)
        assert next(reader) == []
        with relaying(store, bootstrap) as relay:
            relayed(relay, store)
            got: list[TopicRecord] = []
            while not got or got[-1].position < 200:
                got += next(reader)
    assert as_stored(got) == in_store(store)
    assert len(distinct(bootstrap)) == 200
    with relaying(store, bootstrap) as relay:
        relayed(relay, store)
    assert len(on_topic(bootstrap)) == 220


def test_a_killed_apache_kafka_keeps_its_topic_and_is_continued(
    store: EventStore, kafka_server: ApacheKafka, kafka_bootstrap: str
) -> None:
    spin(store, 500)
    with relaying(store, kafka_bootstrap) as relay, TopicTail(kafka_bootstrap, PROPERTY) as tail:
        got: list[TopicRecord] = []
        for batch in tail.read(0, wait_s=0.05):
            got += batch
            if batch and got[-1].position == 500:
                kafka_server.kill()
                spin(store, 500)
                kafka_server.start()
            if got and got[-1].position == 1_000:
                break
        relayed(relay, store)
    assert as_stored(got) == in_store(store)
    assert len({record.incarnation for record in got}) == 1
    assert len(distinct(kafka_bootstrap)) == 1_000
