"""A foreign client counts distinct events on the topic and finds exactly the store, on both brokers."""

import json
import re
import subprocess

import confluent_kafka

from events.relay.event_topic_reader_and_setup import TOPIC
from events.store import EventStore, everything
from tests.support.processes.child_broker import EmbeddedBroker
from tests.support.processes.kcat import ids_on_topic
from tests.support.processes.relays_and_topic_readers import on_topic, relayed, relaying, spin

EVENTS = 3_000
FIRST_THAT_READS = (2, 2)  # of librdkafka, on the embedded broker


def ids_in(store: EventStore) -> list[str]:
    return [json.loads(stored_event.raw)["id"] for stored_event in everything(store)]


def test_a_foreign_client_finds_exactly_the_store(bootstrap: str, store: EventStore) -> None:
    spin(store, EVENTS)
    with relaying(store, bootstrap) as relay:
        relayed(relay, store)
        ids = ids_on_topic(bootstrap)
        assert ids == ids_in(store), "every event once, in the store's order"
        spin(store, 200)
        relayed(relay, store)
    assert set(ids_on_topic(bootstrap)) == set(ids_in(store))


def test_it_reads_what_our_own_client_reads(bootstrap: str, store: EventStore) -> None:
    spin(store, 500)
    with relaying(store, bootstrap) as relay:
        relayed(relay, store)
    assert ids_on_topic(bootstrap) == [json.loads(value)["id"] for _, value, _ in on_topic(bootstrap)]


def test_after_the_broker_was_lost_and_refilled_it_finds_the_store_again(
    embedded: EmbeddedBroker, store: EventStore
) -> None:
    spin(store, 500)
    with relaying(store, embedded.bootstrap) as relay:
        relayed(relay, store)
    embedded.kill()
    embedded.start()
    assert ids_on_topic(embedded.bootstrap) == []
    with relaying(store, embedded.bootstrap) as relay:
        relayed(relay, store)
    assert ids_on_topic(embedded.bootstrap) == ids_in(store)


def test_the_client_is_one_that_the_page_names_as_able() -> None:
    version = tuple(int(part) for part in confluent_kafka.libversion()[0].split("."))
    assert version >= FIRST_THAT_READS


def test_the_kcat_of_this_machine_reads_the_broker_of_the_defaults_if_its_library_can(
    embedded: EmbeddedBroker, store: EventStore, kcat_path: str
) -> None:
    """The command of docs/howto/read-the-topic.md.

    Every kcat reads Apache Kafka (tests/integration/test_servers.py).
    """
    spin(store, 100)
    with relaying(store, embedded.bootstrap) as relay:
        relayed(relay, store)
    command = [kcat_path, "-C", "-b", embedded.bootstrap, "-t", TOPIC, "-o", "beginning", "-e", "-q"]
    completed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    ids = [json.loads(line)["id"] for line in completed.stdout.splitlines()]
    assert ids == (ids_in(store) if library_of(kcat_path) >= FIRST_THAT_READS else [])


def library_of(kcat: str) -> tuple[int, ...]:
    """The version of librdkafka that a kcat is made of."""
    output = subprocess.run([kcat, "-V"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.findall(r"librdkafka (\d+)\.(\d+)", output)[0]))
