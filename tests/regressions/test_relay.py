"""Fixed faults of the relay and of its readers."""

import threading
from contextlib import suppress
from typing import Any

import pytest
from kafka import TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient
from kafka.record.memory_records import MemoryRecords, MemoryRecordsBuilder
from structlog.testing import capture_logs

from events.envelope import Meta
from events.relay.event_sender_to_kafka import Sender, TooLarge
from events.relay.event_topic_reader_and_setup import TOPIC, TopicLog, ensure_topic
from events.relay.leak_free_kafka_clients import connected
from events.relay.relay import _Passage
from events.relay.topic_records import _FetchedRecords, headers, parse
from events.store import Append, EventStore, NewEvent, Stored
from events.store.in_memory_store import MemoryStore
from tests.support.processes.relays_and_topic_readers import Spun, relaying, spin, within

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
    records: list[Any] = _FetchedRecords(0, TopicPartition(TOPIC, 0), MemoryRecords(raw)).take()
    return records


@pytest.mark.parametrize("late", [63, 64, 1_000, 10**9])
@pytest.mark.parametrize("count", [1, 2, 900])
def test_records_with_times_of_their_own_are_read(late: int, count: int) -> None:
    times = [1_700_000_000_000] * count + [1_700_000_000_000 + late]
    records = [parse(record) for record in fetched(written_at(times))]
    assert [record.position for record in records if record is not None] == list(range(1, count + 2))


@pytest.mark.parametrize("length", range(4, 40))
def test_what_only_looks_like_the_end_of_a_record_is_not_taken_for_it(length: int) -> None:
    """If its time is read as one byte, the next 20 bytes look like its stream, and the event ends at its real end."""
    times, raw = [1_700_000_000_000] * 20 + [1_700_000_000_100], b"x" * length
    records = [parse(record) for record in fetched(written_at(times, raw))]
    assert {(record.stream, record.raw) for record in records if record is not None} == {(STREAM, raw)}


@pytest.fixture
def store() -> EventStore:
    return MemoryStore()


def limit_messages(bootstrap: str, limit: int) -> None:
    """Limit the size of messages. The broker may not know the settings of a new topic yet."""
    admin = connected(KafkaAdminClient, bootstrap)

    def limited() -> bool:
        with suppress(ValueError):
            admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, TOPIC, {"max.message.bytes": str(limit)})])
            return True
        return False

    try:
        within(limited, "the topic takes a limit")
    finally:
        admin.close()


def on_topic(bootstrap: str) -> list[int]:
    with TopicLog(bootstrap) as log:
        return [
            record.position
            for records in log.until_end(0)
            for record_ in records
            if (record := parse(record_)) is not None
        ]


def test_a_batch_that_the_broker_wants_in_parts_counts_when_all_its_parts_are_there(
    store: EventStore, kafka_bootstrap: str
) -> None:
    ensure_topic(kafka_bootstrap)
    limit_messages(kafka_bootstrap, 20_000)
    spin(store, 400)
    with _Passage(store, kafka_bootstrap, 0) as passage:
        passage.send_next(threading.Event())
        assert on_topic(kafka_bootstrap) == list(range(1, passage.position + 1)) == list(range(1, 401))


def test_nothing_is_sent_behind_a_part_that_the_broker_does_not_take(store: EventStore, kafka_bootstrap: str) -> None:
    ensure_topic(kafka_bootstrap)
    limit_messages(kafka_bootstrap, 20_000)
    spin(store, 300)
    head = store.head(STREAM)
    meta = Meta(time="2026-11-20T20:00:00.000Z", actor="p" * 21_000, actorrole="dealer")
    [too_large] = store.append([Append(STREAM, head, [NewEvent(Spun(round=1, number=1), meta)])]).stored
    spin(store, 300)
    for _ in range(3):
        with _Passage(store, kafka_bootstrap, 0) as passage:
            with pytest.raises(TooLarge, match=rf"^Event 301 .* has {len(too_large.raw)} bytes, more than the broker"):
                passage.send_next(threading.Event())
            assert passage.position <= 300
        sent = on_topic(kafka_bootstrap)
        assert sent == list(range(1, len(sent) + 1))
        assert len(sent) <= 300


def test_what_holds_the_relay_is_said_in_one_line_and_goes_out_when_it_fits(
    store: EventStore, kafka_bootstrap: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.relay.relay.BACK_OFF_S", (0.01, 0.05))
    ensure_topic(kafka_bootstrap)
    limit_messages(kafka_bootstrap, 20_000)
    meta = Meta(time="2026-11-20T20:00:00.000Z", actor="p" * 21_000, actorrole="dealer")
    store.append([Append(STREAM, store.head(STREAM), [NewEvent(Spun(round=1, number=1), meta)])])
    looks = count_looks(monkeypatch)
    with capture_logs() as lines, relaying(store, kafka_bootstrap) as relay:
        within(lambda: len(looks) > 5, "it looks again and again")
        limit_messages(kafka_bootstrap, 1_000_000)
        within(lambda: relay.position == 1, "it goes on by itself")
    [line] = [line for line in lines if line["log_level"] == "critical"]
    assert "Event 1 (roulette.spun.v1" in line["why"]
    assert "max.message.bytes" in line["why"]
    assert on_topic(kafka_bootstrap) == [1]


def count_looks(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    looks: list[None] = []
    send = Sender.send

    def counted(*arguments: Any) -> None:
        looks.append(None)
        send(*arguments)

    monkeypatch.setattr(Sender, "send", counted)
    return looks
