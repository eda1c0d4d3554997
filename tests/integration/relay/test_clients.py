"""While the broker is away, retries leave no additional file descriptors and no additional threads."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from kafka import KafkaConsumer, KafkaProducer
from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaError
from kafka.net import KafkaTCPTransport, create_connection

from events.errors import Retry
from events.relay.event_topic_reader_and_setup import TopicLog, ensure_topic
from events.relay.leak_free_kafka_clients import DIRECT, Selector, connected
from tests.support.processes.child_broker import EmbeddedBroker

TRIES = 8
PATIENCE_S = 0.15
KINDS = [KafkaAdminClient, KafkaConsumer, KafkaProducer]


def held() -> tuple[int, int]:
    """Return the number of open file descriptors and of running threads."""
    return len(os.listdir("/dev/fd")), threading.active_count()


@contextmanager
def nothing_left_open() -> Iterator[None]:
    """Fail if more descriptors or threads are open afterwards.

    Fewer are possible, if an earlier test's client closes.
    """
    files, threads = held()
    yield
    now_files, now_threads = held()
    assert now_files <= files, f"{now_files - files} file descriptors were left open"
    assert now_threads <= threads, f"{now_threads - threads} threads were left running"


@contextmanager
def refusing() -> Iterator[str]:
    """Yield the address of a port that refuses connections and stays reserved."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{bound.getsockname()[1]}"


@contextmanager
def silent() -> Iterator[str]:
    """Yield a port that accepts connections and never answers."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(TRIES * 8)
        yield f"127.0.0.1:{listening.getsockname()[1]}"


@contextmanager
def congested() -> Iterator[str]:
    """Yield a port whose queue is full: connections neither succeed nor fail."""
    with ExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listening.getsockname())
        yield f"127.0.0.1:{listening.getsockname()[1]}"


AWAY = [refusing, silent, congested]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("away", AWAY)
def test_a_client_without_a_broker_leaves_nothing_open(kind: Any, away: Callable[[], Any]) -> None:
    with away() as bootstrap, nothing_left_open():
        for _ in range(TRIES):
            with pytest.raises(KafkaError):
                connected(kind, bootstrap, bootstrap_timeout_ms=int(PATIENCE_S * 1000))


def test_the_relays_and_the_readers_first_steps_leave_nothing_open() -> None:
    with refusing() as bootstrap, nothing_left_open():
        for _ in range(TRIES):
            with pytest.raises(Retry):
                ensure_topic(bootstrap, timeout_s=PATIENCE_S)
            with pytest.raises(Retry):
                TopicLog(bootstrap, answer_s=PATIENCE_S)


def test_a_connected_client_closes_all_that_it_opened(bootstrap: str) -> None:
    connected(KafkaAdminClient, bootstrap).close()  # the server itself, and what the library keeps, are there
    with nothing_left_open():
        for _ in range(TRIES):
            ensure_topic(bootstrap)
            with TopicLog(bootstrap) as log:
                log.poll()


def test_who_reads_does_so_in_its_own_thread(bootstrap: str) -> None:
    ensure_topic(bootstrap)
    before = set(threading.enumerate())  # some of which may end meanwhile
    with TopicLog(bootstrap) as log:
        log.poll()
        assert set(threading.enumerate()) <= before


def test_a_connection_that_had_more_to_send_is_closed_with_its_client() -> None:
    with silent() as bootstrap, nothing_left_open():
        net = Selector()
        host, _, port = bootstrap.partition(":")
        connection = net.run(create_connection, net, host, int(port), (), f"{DIRECT}://")
        transport = KafkaTCPTransport(net, connection)
        transport.write(bytes(16_000_000))  # more than fits on the way to somebody who does not read
        net.poll(timeout_ms=50)
        transport.close()
        net.close()


def test_a_reader_that_lost_its_broker_closes_all_that_it_opened(embedded: EmbeddedBroker) -> None:
    """The reader's client tries to reconnect in the background until it is closed."""
    with nothing_left_open(), TopicLog(embedded.bootstrap) as log:
        log.poll()
        embedded.kill()
        for _ in range(TRIES):
            log.poll(100)
