"""Sends events to the topic, a batch at a time, and counts only acknowledged ones.

One batch is one request: nothing is queued behind it. Kafka's client sends queued batches even after one has failed,
which would leave a gap on the topic.
"""

import contextlib
import threading
from collections.abc import Sequence
from typing import Any

from kafka.errors import KafkaError, KafkaTimeoutError, MessageSizeTooLargeError, RecordListTooLargeError

from events.error_codes import ErrorText, coded
from events.errors import Retry
from events.relay.event_topic_reader_and_setup import TOPIC
from events.relay.leak_free_kafka_clients import connected
from events.relay.topic_records import EventProducer
from events.store import Stored

REQUEST_BYTES = 900_000  # below the 1 MiB that brokers accept by default
RECORD_OVERHEAD_BYTES = 250  # headers and framing, generously
REQUEST_S = 10.0
ANSWER_LOOK_S = 0.25


class TooLarge(Retry):
    """An event is larger than the broker takes: nothing behind it goes out until a person raises the broker's bound."""


class Sender:
    """Appends events to one partition, where the next record must get the offset that we expect."""

    def __init__(self, bootstrap: str, partition: int) -> None:
        """Connect. Raises Retry where no broker answers."""
        self._partition = partition
        try:
            self._producer = connected(
                EventProducer,
                bootstrap,
                acks="all",
                enable_idempotence=True,
                allow_auto_create_topics=False,
                metrics_enabled=False,
                request_timeout_ms=int(REQUEST_S * 1000),
                delivery_timeout_ms=int(REQUEST_S * 1000) + 1_000,
                bootstrap_timeout_ms=int(REQUEST_S * 1000),
                max_block_ms=int(REQUEST_S * 1000),
                reconnect_backoff_max_ms=500,
                retry_backoff_ms=20,
            )
        except KafkaError as error:
            raise Retry(coded("broker-silent", address=bootstrap, why=str(error))) from error

    def send(
        self, events: Sequence[Stored], previous: int, offset: int, incarnation: str, stop: threading.Event
    ) -> None:
        """Append the output of `batches`; the first record must get `offset`. Raises Retry where anything else happens,
        TooLarge where the broker does not take the largest of them.

        The fate of a failed batch is unknown until the topic is read again, with a new sender.
        """
        try:
            sent = self._producer.send_batch(TOPIC, self._partition, events, previous, incarnation.encode())
            got = [_acknowledged(sent[0], stop)]
            # Where the broker took the batch in parts, all were asked for before the first part was sent.
            got += [_acknowledged(record, stop) - place for place, record in sent.offsets.items() if place]
        except (MessageSizeTooLargeError, RecordListTooLargeError) as error:
            raise TooLarge(_too_large(max(events, key=lambda event: len(event.raw)))) from error
        except KafkaError as error:
            raise Retry(coded("batch-not-acknowledged", why=str(error))) from error
        if others := [got_offset for got_offset in got if got_offset != offset]:
            raise Retry(coded("batch-at-another-offset", got=others[0], offset=offset))

    def close(self) -> None:
        """Stop sending at once, also records on their way."""
        with contextlib.suppress(KafkaError):
            self._producer.close(timeout=0)
            return
        # `close` waits for unsent records, and gives up before it has closed any connection.
        self._producer._sender.force_close()


def _too_large(event: Stored) -> ErrorText:
    return coded(
        "event-above-broker-limit",
        position=event.position,
        event_type=event.type,
        event=f"{event.stream}@{event.version}",
        size=len(event.raw),
        topic=TOPIC,
    )


def _acknowledged(sent: Any, stop: threading.Event) -> int:
    """The offset of a record that was sent. Raises KafkaError; on `stop` after a last look."""
    while True:
        try:
            offset: int = sent.get(timeout=ANSWER_LOOK_S).offset
            return offset
        except KafkaTimeoutError:
            if sent.is_done or stop.is_set():
                raise


def batches(events: Sequence[Stored]) -> list[Sequence[Stored]]:
    """Cut events into batches of which each fits one request."""
    cut: list[Sequence[Stored]] = []
    start = size = 0
    for index, event in enumerate(events):
        needs = len(event.raw) + len(event.stream) + len(event.type) + RECORD_OVERHEAD_BYTES
        if size + needs > REQUEST_BYTES and index > start:
            cut.append(events[start:index])
            start, size = index, 0
        size += needs
    if start < len(events):
        cut.append(events[start:])
    return cut
