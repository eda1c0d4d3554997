"""Foreign view of the topic: an ordinary consumer that counts distinct event ids."""

import time

import msgspec
from kafka import KafkaConsumer, TopicPartition

from events.relay.event_topic_reader_and_setup import TOPIC, partition_of
from events.relay.leak_free_kafka_clients import connected

QUIET_SECONDS = 1.0


class _Id(msgspec.Struct):
    id: str


def count_distinct(bootstrap: str, property_: str) -> int:
    """Distinct ids in the property's partition, read from its beginning until nothing more comes."""
    decode = msgspec.json.Decoder(_Id).decode
    consumer = connected(KafkaConsumer, bootstrap, enable_auto_commit=False, auto_offset_reset="earliest")
    try:
        partition = TopicPartition(TOPIC, partition_of(property_))
        consumer.assign([partition])
        consumer.seek_to_beginning(partition)
        seen_ids: set[str] = set()
        quiet_since = time.monotonic()
        while time.monotonic() - quiet_since < QUIET_SECONDS:
            for records in consumer.poll(timeout_ms=200, max_records=5_000).values():
                seen_ids.update(decode(record.value).id for record in records)
                quiet_since = time.monotonic()
        return len(seen_ids)
    finally:
        consumer.close()
