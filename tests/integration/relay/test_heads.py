"""The heads on their topic: sent once and in order, sent again to a topic that lost them, never over another's."""

from pathlib import Path

import pytest
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient

from events.errors import Conflict, Retry
from events.integrity.audit import audit, kept_by_house
from events.integrity.head_signing import last_head, make_head
from events.integrity.heads_consistency import Witness
from events.integrity.signed_head_format import decode
from events.integrity.signed_head_stores import MemoryHeads
from events.relay.integrity_heads_topic import TOPIC, is_given_up, left_behind, publish, published
from events.relay.leak_free_kafka_clients import connected
from events.signing import house_signing_key
from events.store.in_memory_store import MemoryStore
from tests.servers.ports import free_port
from tests.support.processes.relays_and_topic_readers import PROPERTY
from tests.unit.integrity.test_heads import say


def heads_of(count: int, data: Path) -> tuple[MemoryStore, MemoryHeads]:
    store, heads = MemoryStore(), MemoryHeads()
    for _ in range(count):
        add_head(store, heads, data)
    return store, heads


def add_head(store: MemoryStore, heads: MemoryHeads, data: Path) -> None:
    say(store, 3)
    assert make_head(store, heads, PROPERTY, house_signing_key.signer(data))[0] is not None


def test_heads_are_sent_once_and_in_order(bootstrap: str, tmp_path: Path) -> None:
    store, heads = heads_of(3, tmp_path)
    assert [publish(heads, bootstrap, PROPERTY) for _ in range(2)] == [3, 0]
    add_head(store, heads, tmp_path)
    assert publish(heads, bootstrap, PROPERTY) == 1
    assert list(published(bootstrap, PROPERTY)) == heads.after(0)
    partition = TopicPartition(TOPIC, 0)
    consumer = connected(KafkaConsumer, bootstrap, auto_offset_reset="earliest", enable_auto_commit=False)
    consumer.assign([partition])
    consumer.seek_to_beginning(partition)
    record = consumer.poll(timeout_ms=60_000)[partition][0]
    consumer.close()
    assert (record.key, record.value) == (b"athens@1", heads.after(0, 1)[0])


def test_heads_that_a_backup_lacks_are_given_up_whatever_the_clock_says(bootstrap: str, tmp_path: Path) -> None:
    """The clock was set back between the last head and the restore, so the heads seem later than the decision."""
    (store, heads), early, late = heads_of(1, tmp_path), "2026-11-20T18:00:00.000Z", "2026-11-20T23:00:00.000Z"
    heads_ = MemoryHeads()
    assert heads_.add(1, heads.after(0, 1)[0])
    store.clock = lambda: late
    for _ in range(2):
        add_head(store, heads, tmp_path)
    publish(heads, bootstrap, PROPERTY)
    memory, left = (
        house_signing_key.memory(tmp_path),
        left_behind(heads_, bootstrap, PROPERTY, early, house_signing_key.trusted(tmp_path)),
    )
    others = left_behind(heads_, bootstrap, PROPERTY, early, {"00" * 32})
    assert others is not None
    assert others.time == early, "whoever has another key says nothing of the time"
    assert left is not None
    assert (left.last_kept, left.last.number, left.time) == (1, 3, late)
    memory.accept(PROPERTY, last_head(decode(heads_.after(0)[0])), early, left)
    given_up = memory.given_up(PROPERTY)
    assert all(
        is_given_up(raw, [given_up_head]) is given_up_head for given_up_head in given_up for raw in heads.after(1)
    )
    assert len(given_up) == 2
    assert is_given_up(heads_.after(0)[0], given_up) is None
    assert publish(heads_, bootstrap, PROPERTY, given_up) == 0


@pytest.mark.kafka
def test_the_topic_is_compacted(kafka_bootstrap: str, tmp_path: Path) -> None:
    publish(heads_of(1, tmp_path)[1], kafka_bootstrap, PROPERTY)
    admin = connected(KafkaAdminClient, kafka_bootstrap)
    try:
        text = str(admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, TOPIC)]))
    finally:
        admin.close()
    assert "compact" in text


def test_what_nobody_signed_holds_up_no_head(bootstrap: str, tmp_path: Path) -> None:
    """Otherwise any writer of the topic could stop its heads permanently, with one record."""
    store, heads = heads_of(2, tmp_path)
    publish(heads, bootstrap, PROPERTY)
    edited = heads.after(1, 1)[0].replace(b'"number":', b'"number":9')
    producer = connected(KafkaProducer, bootstrap, acks="all")
    for value in (b"what?", edited, None):
        producer.send(TOPIC, value, b"theirs", partition=0)
    producer.flush()
    producer.close()
    add_head(store, heads, tmp_path)
    assert publish(heads, bootstrap, PROPERTY) == 1
    assert publish(heads, bootstrap, PROPERTY) == 0
    assert list(published(bootstrap, PROPERTY)) == [*heads.after(0, 2), b"what?", edited, b"", *heads.after(2)]
    assert left_behind(heads, bootstrap, PROPERTY, "2026-11-20T22:00:00.000Z") is None
    audit_ = audit(store, PROPERTY, [kept_by_house(heads), Witness("topic", list(published(bootstrap, PROPERTY)))])
    assert [finding.kind for finding in audit_.findings] == ["head"]


def test_another_houses_head_is_never_written_over(bootstrap: str, tmp_path: Path) -> None:
    publish(heads_of(2, tmp_path)[1], bootstrap, PROPERTY)
    _, other = heads_of(5, tmp_path / "other")
    with pytest.raises(Conflict, match="not the one kept here"):
        publish(other, bootstrap, PROPERTY)
    assert len(list(published(bootstrap, PROPERTY))) == 2


def test_without_a_broker_the_heads_wait(tmp_path: Path) -> None:
    _, heads = heads_of(1, tmp_path)
    with pytest.raises(Retry):
        publish(heads, f"127.0.0.1:{free_port()}", PROPERTY)
