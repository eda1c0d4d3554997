"""Faults of the relay and of its readers that were found once."""

from typing import Any

import pytest
from kafka import TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient
from kafka.record.memory_records import MemoryRecords, MemoryRecordsBuilder

from events.relay.clients import connected
from events.relay.records import Record, _Fetched, headers, parse
from events.relay.relay import _Passage
from events.relay.tail import Tail
from events.relay.topic import TOPIC, ensure_topic
from events.store import EventStore, Stored
from events.store.memory import MemoryStore
from tests.relaying import PROPERTY, as_stored, in_store, read_until, relayed, relaying, spin

STREAM = "athens/tables/R1/2026-11-20"


def written_at(times: list[int], raw: bytes = b"{}") -> bytes:
    """A batch of our records as kafka-python writes it, with a time for each: as the relay did before ADR 0021."""
    builder = MemoryRecordsBuilder(magic=2, compression_type=0, batch_size=10**7)
    for place, time in enumerate(times):
        event = Stored(place + 1, STREAM, place + 1, "roulette.spun.v1", raw)
        builder.append(time, STREAM.encode(), raw, headers(event, place, b"0.a"))
    builder.set_producer_state(7, 0, 0, is_transactional=False)
    builder.close()
    return bytes(builder.buffer())


def fetched(raw: bytes) -> list[Any]:
    return _Fetched(0, TopicPartition(TOPIC, 0), MemoryRecords(raw)).take()


@pytest.mark.parametrize("late", [63, 64, 1_000, 10**9])
@pytest.mark.parametrize("count", [1, 2, 900])
def test_records_with_times_of_their_own_are_read(late: int, count: int) -> None:
    times = [1_700_000_000_000] * count + [1_700_000_000_000 + late]
    found = [parse(record) for record in fetched(written_at(times))]
    assert [record.position for record in found if record is not None] == list(range(1, count + 2))


def test_what_only_looks_like_the_end_of_a_record_is_not_taken_for_it() -> None:
    """Read as if its time took one byte, the record's stream would begin early and its event in its own middle."""
    for places in range(2, 90):
        raw = b'{"' + b"x" * places + b'"}'
        found = [parse(record) for record in fetched(written_at([1_700_000_000_000] * 64 + [1_700_000_000_100], raw))]
        assert {(record.stream, record.raw) for record in found if record is not None} == {(STREAM, raw)}


@pytest.fixture
def store() -> EventStore:
    return MemoryStore()


def limit_messages(bootstrap: str, limit: int) -> None:
    admin = connected(KafkaAdminClient, bootstrap)
    try:
        admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, TOPIC, {"max.message.bytes": str(limit)})])
    finally:
        admin.close()
