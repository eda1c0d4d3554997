"""The topic `pitledger.events`: its records, and a log that is read to its certain end.

A record's key is the stream, its value the event's bytes. Its headers are `content-type`, `type` and `position`.
`previous` is the position of the event before it in the store. `incarnation` names one life of the topic. A reader that
applies a record only if `previous` is not after its last applied position has missed no event, in any state of the
broker.
"""

import secrets
import time
from collections.abc import Iterator, Mapping
from typing import Any

from kafka import TopicPartition
from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaError, TopicAlreadyExistsError

from events.error_codes import coded
from events.errors import Retry
from events.relay.leak_free_kafka_clients import UnthreadedLoop, connected
from events.relay.topic_records import EventConsumer, TopicRecord, parse
from events.settings.settings_from_environment import settings

TOPIC = "pitledger.events"
FETCH_WAIT_MS = 10  # the embedded broker does not wake a waiting fetch, so it must not wait long
BATCH_MAX = 1_000
RETENTION = {"retention.ms": "-1"}  # permanently
ANSWER_S = 10.0

# For any number of records after the end that the broker claims: the first guess is nearly always right.
_STEP_BACK = 100


def partition_of(property_: str) -> int:
    """Return the property's partition, by PITLEDGER_PARTITIONS ("athens=0,corfu=1"), else 0."""
    pairs = (pair.partition("=") for pair in settings().partitions.split(",") if pair)
    return {name.strip(): int(number) for name, _, number in pairs}.get(property_, 0)


def new_incarnation(offset: int) -> str:
    """A name for a life of the topic that begins with the store's first event at `offset`."""
    return f"{offset}.{secrets.token_hex(8)}"


def begins_at(incarnation: str) -> int | None:
    """Return the offset of the incarnation's first record, which is in its name; None for a foreign name."""
    offset = incarnation.partition(".")[0]
    return int(offset) if offset.isdecimal() else None


def ensure_topic(
    bootstrap: str,
    partition: int = 0,
    timeout_s: float = ANSWER_S,
    *,
    topic: str = TOPIC,
    configs: Mapping[str, str] = RETENTION,
) -> None:
    """Make the topic, or give it more partitions, if that is missing. Raises Retry."""
    try:
        admin = connected(KafkaAdminClient, bootstrap, bootstrap_timeout_ms=int(timeout_s * 1000))
    except KafkaError as error:
        raise Retry(coded("broker-silent", address=bootstrap, why=str(error))) from error
    try:
        _create(admin, topic, partition + 1, configs)
    except KafkaError as error:
        raise Retry(coded("topic-not-made", topic=topic, address=bootstrap, why=str(error))) from error
    finally:
        admin.close()


def _create(admin: KafkaAdminClient, topic: str, partitions: int, configs: Mapping[str, str]) -> None:
    if topic not in admin.list_topics():
        wanted = {
            "num_partitions": partitions,
            "replication_factor": settings().kafka_replicas or -1,
            "configs": dict(configs),
        }
        try:
            admin.create_topics({topic: wanted})
        except TopicAlreadyExistsError:  # another person was quicker
            return
    elif len(admin.describe_topics([topic])[0]["partitions"]) < partitions:
        admin.create_partitions({topic: partitions})


def is_there(bootstrap: str, partition: int = 0, timeout_s: float = ANSWER_S, *, topic: str = TOPIC) -> bool:
    """Return whether the topic has this partition. Nothing is made. Raises Retry."""
    try:
        admin = connected(KafkaAdminClient, bootstrap, bootstrap_timeout_ms=int(timeout_s * 1000))
    except KafkaError as error:
        raise Retry(coded("broker-silent", address=bootstrap, why=str(error))) from error
    try:
        return topic in admin.list_topics() and len(admin.describe_topics([topic])[0]["partitions"]) > partition
    except KafkaError as error:
        raise Retry(coded("topic-not-read", topic=topic, address=bootstrap, why=str(error))) from error
    finally:
        admin.close()


def empty(bootstrap: str, partition: int = 0) -> None:
    """Delete the partition's records, which can always be had again from their store. Raises Retry."""
    with TopicLog(bootstrap, partition) as log:
        for _ in log.until_end(log.bounds()[1]):
            pass
        end = log.end
    admin = connected(KafkaAdminClient, bootstrap)
    try:
        admin.delete_records({TopicPartition(TOPIC, partition): end})
    except KafkaError as error:
        raise Retry(coded("topic-not-emptied", topic=TOPIC, address=bootstrap, why=str(error))) from error
    finally:
        admin.close()


class TopicLog:
    """One partition of the topic, read from any offset. `end` is that of the last fetch's answer, never a guess.

    Apache Kafka reads the end before the records, so its answer may have records after its stated end. So the end is at
    least the end of those records.
    """

    def __init__(self, bootstrap: str, partition: int = 0, *, topic: str = TOPIC, answer_s: float = ANSWER_S) -> None:
        """Connect. Raises Retry where no broker answers within `answer_s`."""
        self._partition = TopicPartition(topic, partition)
        self._reported_end: int | None = None  # the end, by the answer whose records reach so far
        self._reached = 0
        try:
            self._consumer = connected(
                EventConsumer,
                bootstrap,
                UnthreadedLoop,
                enable_auto_commit=False,
                auto_offset_reset="earliest",
                allow_auto_create_topics=False,
                # Every answer has the end, also an answer without records.
                enable_incremental_fetch_sessions=False,
                fetch_max_wait_ms=FETCH_WAIT_MS,
                max_poll_records=BATCH_MAX,
                metrics_enabled=False,
                bootstrap_timeout_ms=int(answer_s * 1000),
                request_timeout_ms=int(ANSWER_S * 1000),
                reconnect_backoff_max_ms=500,
                metadata_max_age_ms=30_000,
            )
        except KafkaError as error:
            raise Retry(coded("broker-silent", address=bootstrap, why=str(error))) from error
        self.seek(0)

    def __enter__(self) -> "TopicLog":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        self._consumer.close()

    def seek(self, offset: int) -> None:
        """Continue reading there. Until the first answer `end` is unknown."""
        self._reported_end, self._reached = None, 0
        self._consumer.unsubscribe()  # or records fetched before would still count
        self._consumer.assign([self._partition])
        self._consumer.seek(self._partition, offset)

    def poll(self, wait_ms: int = FETCH_WAIT_MS) -> list[Any]:
        """The next records, as `parse` takes them, at most BATCH_MAX; none where none came in time."""
        try:
            polled: list[Any] = self._consumer.poll(timeout_ms=wait_ms).get(self._partition, [])
        except KafkaError as error:
            raise Retry(coded("topic-unreadable", topic=TOPIC, why=str(error))) from error
        if polled:
            self._reported_end, self._reached = self._consumer.highwater(self._partition), polled[-1].offset + 1
        return polled

    @property
    def end(self) -> int | None:
        """One past the last offset, by the last answer since `seek`; None before it."""
        highwater: int | None = self._consumer.highwater(self._partition)
        return max(highwater, self._reached) if highwater is not None and highwater == self._reported_end else highwater

    @property
    def offset(self) -> int:
        """Return the next offset."""
        try:
            offset: int = self._consumer.position(self._partition, timeout_ms=int(ANSWER_S * 1000))
        except KafkaError as error:
            raise Retry(coded("broker-silent-about-topic", topic=TOPIC, why=str(error))) from error
        return offset

    def bounds(self) -> tuple[int, int]:
        """The first offset, and the end that the broker claims: the embedded one's may be too low."""
        try:
            begin = self._consumer.beginning_offsets([self._partition])[self._partition]
            end = self._consumer.end_offsets([self._partition])[self._partition]
        except KafkaError as error:
            raise Retry(coded("topic-bounds-unknown", topic=TOPIC, why=str(error))) from error
        return begin, end

    def until_end(self, offset: int) -> Iterator[list[Any]]:
        """Yield everything from `offset` to the present end, batch by batch. Raises Retry where no answer comes."""
        self.seek(offset)
        deadline = time.monotonic() + ANSWER_S
        while self.end is None or self.offset < self.end:
            if records := self.poll():
                yield records
                deadline = time.monotonic() + ANSWER_S
            elif time.monotonic() > deadline:
                raise Retry(coded("broker-silent-within", topic=TOPIC, seconds=f"{ANSWER_S:g}"))


def last_record(log: TopicLog) -> TopicRecord | None:
    """Return the last of our records, found by reading; None without a record.

    The search starts a little before the end that the broker claims, and goes further back until it finds one. It is
    quick with millions of records, and right also where the claim is wrong.
    """
    begin, claimed = log.bounds()
    back = 1
    while True:
        start = max(begin, claimed - back)
        last = None
        for records in log.until_end(start):
            last = next((own_record for record in reversed(records) if (own_record := parse(record))), last)
        if last is not None or start == begin:
            return last
        back *= _STEP_BACK


def record_at(log: TopicLog, offset: int) -> TopicRecord | None:
    """Return our record at exactly this offset; None without a record of ours. Raises Retry."""
    for records in log.until_end(offset):
        return parse(records[0]) if records[0].offset == offset else None
    return None
