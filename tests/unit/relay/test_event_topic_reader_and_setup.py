"""Names, headers, batches and locks of the relay."""

import itertools
import os
import threading
from pathlib import Path
from typing import NamedTuple

import pytest
from kafka import TopicPartition

from backoffice.running import embedded_kafka_broker_process, status_files
from events.relay import event_topic_reader_and_setup, topic_records
from events.relay.event_sender_to_kafka import RECORD_OVERHEAD_BYTES, REQUEST_BYTES, batches
from events.relay.relay_lock_by_store import FileLock, LocalLock, RelayLock, lock_for
from tests.support.processes.relays_and_topic_readers import stored


def test_a_property_has_a_partition_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert event_topic_reader_and_setup.partition_of("athens") == 0
    monkeypatch.setenv("PITLEDGER_PARTITIONS", "athens=0, corfu=1")
    assert [event_topic_reader_and_setup.partition_of(name) for name in ("athens", "corfu", "rhodes")] == [0, 1, 0]


def test_an_incarnation_tells_where_it_begins() -> None:
    first, second = event_topic_reader_and_setup.new_incarnation(0), event_topic_reader_and_setup.new_incarnation(4711)
    assert (event_topic_reader_and_setup.begins_at(first), event_topic_reader_and_setup.begins_at(second)) == (0, 4711)
    assert event_topic_reader_and_setup.new_incarnation(0) != first
    assert event_topic_reader_and_setup.begins_at("somebody else's") is None


def test_headers_say_what_the_record_is() -> None:
    assert dict(topic_records.headers(stored(42), 40, b"0.a")) == {
        "content-type": b"application/cloudevents+json",
        "type": b"roulette.spun.v1",
        "position": b"42",
        "previous": b"40",
        "incarnation": b"0.a",
    }


def test_batches_keep_order_and_fit_a_request() -> None:
    events = [stored(position, size=REQUEST_BYTES // 4) for position in range(1, 12)]
    cut = batches(events)
    assert [event for batch in cut for event in batch] == events
    assert len(cut) == 4
    assert all(sum(len(event.raw) + RECORD_OVERHEAD_BYTES for event in batch) < REQUEST_BYTES for batch in cut)


def test_an_event_larger_than_a_request_stands_alone() -> None:
    events = [stored(1), stored(2, size=2 * REQUEST_BYTES), stored(3)]
    assert [[event.position for event in batch] for batch in batches(events)] == [[1], [2], [3]]
    assert batches([]) == []


def check_lock(lock: RelayLock, other: RelayLock) -> None:
    assert lock.acquire()
    assert lock.acquire(), "it is ours already"
    assert not other.acquire()
    assert (lock.held(), other.held()) == (True, False)
    lock.release()
    assert other.acquire()
    assert not lock.acquire()
    other.release()
    other.release()


def test_one_relay_holds_the_lock_of_a_store_in_memory() -> None:
    shared = threading.Lock()
    check_lock(LocalLock(shared), LocalLock(shared))


def test_one_relay_holds_the_lock_file_of_an_sqlite_store(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/events%20of%20athens.sqlite3"
    lock, other = lock_for(url), lock_for(url)
    assert isinstance(lock, FileLock)
    check_lock(lock, other)
    assert (tmp_path / "events of athens.sqlite3.relay-lock").exists()


def test_a_status_is_what_was_said_last(tmp_path: Path) -> None:
    assert status_files.last_status("relay", data=tmp_path) == {}
    status_files.announce("relay", data=tmp_path, position=1)
    status_files.announce("relay", data=tmp_path, position=2)
    assert status_files.last_status("relay", data=tmp_path)["position"] == 2
    (tmp_path / "run" / "relay.json").write_text("{")
    assert status_files.last_status("relay", data=tmp_path) == {}


def test_the_embedded_brokers_port_is_below_those_of_outgoing_connections() -> None:
    ports = [embedded_kafka_broker_process.free_port() for _ in range(20)]
    assert all(port < 32_768 for port in ports)
    assert len(set(ports)) == 20


def test_the_embedded_broker_takes_no_other_port_of_its_house(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_kafka_broker_process, "_numbers", itertools.count())
    first, second = embedded_kafka_broker_process.free_port(), embedded_kafka_broker_process.free_port()
    monkeypatch.setattr(embedded_kafka_broker_process, "_numbers", itertools.count())
    assert embedded_kafka_broker_process.free_port((first, second)) not in (first, second)


def test_two_processes_that_start_together_choose_different_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    ports = []
    for pid in (70_000, 70_001, 70_096):
        monkeypatch.setattr(embedded_kafka_broker_process, "_numbers", itertools.count())
        monkeypatch.setattr(os, "getpid", lambda pid=pid: pid)
        ports += [embedded_kafka_broker_process.free_port(), embedded_kafka_broker_process.free_port()]
    assert len(set(ports)) == len(ports)


class FetchedRecord(NamedTuple):
    """A record of an answer, of which only its place matters."""

    offset: int


class PartitionConsumer:
    """A consumer of one partition: each answer's records, and the end as it was when the broker began to read.

    None: no answer in time.
    """

    def __init__(self, *answers: tuple[list[int], int] | None) -> None:
        self._answers, self._high_water, self._at = list(answers), -1, 0

    def unsubscribe(self) -> None:
        """Do nothing: no subscription is kept."""

    def assign(self, partitions: list[object]) -> None:
        """There is one."""

    def seek(self, partition: object, offset: int) -> None:
        self._at = offset

    def poll(self, timeout_ms: int) -> dict[object, list[FetchedRecord]]:
        if (answer := self._answers.pop(0)) is None:
            return {}
        offsets, self._high_water = answer
        self._at = max([self._at, *(offset + 1 for offset in offsets)])
        return {TopicPartition(event_topic_reader_and_setup.TOPIC, 0): [FetchedRecord(offset) for offset in offsets]}

    def highwater(self, partition: object) -> int | None:
        return None if self._high_water < 0 else self._high_water

    def position(self, partition: object, timeout_ms: int) -> int:
        return self._at


def ends_and_offsets(
    monkeypatch: pytest.MonkeyPatch, *answers: tuple[list[int], int] | None
) -> list[tuple[int | None, int]]:
    """Return the end of the topic and the next offset after each answer."""
    monkeypatch.setattr(
        event_topic_reader_and_setup, "connected", lambda *_args, **_options: PartitionConsumer(*answers)
    )
    log, places = event_topic_reader_and_setup.TopicLog(""), []
    for _ in answers:
        log.poll()
        places.append((log.end, log.offset))
    return places


def test_what_is_appended_while_the_broker_answers_makes_no_topic_that_ends_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ends_and_offsets(monkeypatch, None, ([0, 1, 2], 2), None, ([3], 4)) == [(None, 0), (3, 3), (3, 3), (4, 4)]


def test_an_answer_that_tells_an_end_before_ours_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ends_and_offsets(monkeypatch, ([0, 1, 2], 3), ([], 1)) == [(3, 3), (1, 3)]
