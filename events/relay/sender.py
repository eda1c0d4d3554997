"""Sends events to the topic, a batch at a time, and believes nothing that was not acknowledged.

One batch is one request: nothing is queued behind it. Kafka's client goes on with what is queued after a batch has
failed, which would leave a gap on the topic.
"""

import contextlib
import threading
from collections.abc import Sequence

from kafka import KafkaProducer
from kafka.errors import KafkaError, KafkaTimeoutError

from events.errors import Retry
from events.relay.topic import TOPIC, headers
from events.store import Stored

REQUEST_BYTES = 900_000  # below the 1 MiB that brokers accept by default
RECORD_OVERHEAD_BYTES = 250  # headers and framing, generously
LINGER_MS = 2_000  # the flush sends; nothing may leave before the batch is complete
REQUEST_S = 10.0
FLUSH_LOOK_S = 0.25


class Sender:
    """Appends events to one partition, where the next record must get the offset that we expect."""

    def __init__(self, bootstrap: str, partition: int) -> None:
        """Connect. Raises Retry where no broker answers."""
        self._partition = partition
        try:
            self._producer = KafkaProducer(
                bootstrap_servers=bootstrap,
                acks="all",
                enable_idempotence=True,
                allow_auto_create_topics=False,
                batch_size=REQUEST_BYTES,
                linger_ms=LINGER_MS,
                request_timeout_ms=int(REQUEST_S * 1000),
                delivery_timeout_ms=int(REQUEST_S * 1000) + 2 * LINGER_MS,
                bootstrap_timeout_ms=int(REQUEST_S * 1000),
                max_block_ms=int(REQUEST_S * 1000),
                reconnect_backoff_max_ms=500,
                retry_backoff_ms=20,
            )
        except KafkaError as error:
            raise Retry(f"the broker at {bootstrap} does not answer: {error}") from error

    def send(
        self, events: Sequence[Stored], previous: int, offset: int, incarnation: str, stop: threading.Event
    ) -> None:
        """Append what `batches` gave; the first record must get `offset`. Raises Retry where anything else happens.

        What became of a failed batch is unknown until the topic is read again, with a new sender.
        """
        name = incarnation.encode()
        futures = []
        try:
            for event in events:
                futures.append(
                    self._producer.send(
                        TOPIC,
                        value=event.raw,
                        key=event.stream.encode(),
                        headers=headers(event, previous, name),
                        partition=self._partition,
                    )
                )
                previous = event.position
            self._flush(stop)
            for number, future in enumerate(futures):
                got = future.get(timeout=0).offset
                if got != offset + number:
                    raise Retry(f"a record got the offset {got} instead of {offset + number}: the topic has changed")
        except KafkaError as error:
            raise Retry(f"a batch was not acknowledged: {error}") from error

    def _flush(self, stop: threading.Event) -> None:
        while True:
            try:
                self._producer.flush(timeout=FLUSH_LOOK_S)
                return
            except KafkaTimeoutError:
                if stop.is_set():
                    raise

    def close(self) -> None:
        """Stop sending at once, whatever is still on its way."""
        with contextlib.suppress(KafkaError):
            self._producer.close(timeout=0)
            return
        # `close` waits for what is on its way and gives up before it has closed anything.
        self._producer._sender.force_close()


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
