"""Kafka's client library in memory, as far as the relay and its readers use it, with a broker that fails.

`broker.installed()` replaces the three classes of clients, so that all other code is the product's own.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

from kafka import TopicPartition
from kafka.errors import KafkaError, KafkaTimeoutError

from events.relay import event_sender_to_kafka, event_topic_reader_and_setup, gapless_event_topic_reader, relay
from events.relay.topic_records import headers
from events.store import Stored
from tests.simulation.fault_rates import Faults
from tests.simulation.seeded_process_scheduler import Scheduler

GIVE_UP_S = 1.0  # how long a sender waits for an acknowledgement
AWAY_S = 2.0
POLL_SLOWER = (2, 20, 40)  # fewer turns in which nothing happens, and batches of more than an event
FETCH_MAX = 40  # records in one answer: many batches also on a short day


class ClientRecord(NamedTuple):
    """A record as the client returns it."""

    offset: int
    key: bytes
    value: bytes
    headers: list[tuple[str, bytes]]


class SimulatedBroker:
    """A broker with one partition.

    With `is_embedded`, it reports no error after the end, and its end may be too low.
    """

    def __init__(self, scheduler: Scheduler, faults: Faults, *, is_embedded: bool) -> None:
        self.scheduler = scheduler
        self.faults = faults
        self.is_embedded = is_embedded
        self.records: list[ClientRecord] | None = None  # None: there is no such topic
        self.away_until = 0.0
        self.emptied = 0
        self.poll_slower = scheduler.random.choice(POLL_SLOWER)
        self._late: list[tuple[float, list[tuple[bytes, bytes, Any]]]] = []

    def answers(self) -> bool:
        """Tell whether the broker answers. At this call it may go away, and late batches arrive."""
        now = self.scheduler.now
        if self.scheduler.happens(self.faults.broker_emptied):
            self.come_back_empty()
        elif self.scheduler.happens(self.faults.broker_away):
            self.away_until = now + self.scheduler.random.uniform(0.0, AWAY_S)
        if now < self.away_until:
            return False
        for due, batch in [late for late in self._late if late[0] <= now]:
            self._late.remove((due, batch))
            if self.records is not None:
                self.append(batch)
        return True

    def come_back_empty(self) -> None:
        """Kill and restart the broker, with an empty topic or without one. Earlier requests may still arrive."""
        random = self.scheduler.random
        self.records = random.choice(([], None))
        self._late = random.choice(([], self._late))
        self.away_until = self.scheduler.now + random.choice((0.0, random.uniform(0.0, AWAY_S)))
        self.emptied += 1

    def append(self, batch: list[tuple[bytes, bytes, Any]]) -> int:
        """All of a batch, one after the other; the first offset."""
        assert self.records is not None
        first = len(self.records)
        self.records += [ClientRecord(first + number, *record) for number, record in enumerate(batch)]
        return first

    def land_later(self, batch: list[tuple[bytes, bytes, Any]]) -> None:
        """The request is still on its way when its sender has given up."""
        self._late.append((self.scheduler.now + self.scheduler.random.uniform(0.0, 2.0), batch))

    def no_batch_is_on_its_way(self) -> bool:
        """Tell whether no batch is in transit."""
        return not self._late

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Clients of this broker, and the simulated clock, instead of the real ones."""
        with ExitStack() as stack:
            stack.enter_context(
                patch.object(
                    event_topic_reader_and_setup, "EventConsumer", lambda **settings: Consumer(self, **settings)
                )
            )
            stack.enter_context(patch.object(event_topic_reader_and_setup, "KafkaAdminClient", lambda **_: Admin(self)))
            stack.enter_context(patch.object(event_sender_to_kafka, "EventProducer", lambda **_: Producer(self)))
            for module in (relay, gapless_event_topic_reader, event_topic_reader_and_setup):
                stack.enter_context(patch.object(module, "time", self.scheduler))
            yield


class Admin:
    """Makes the topic."""

    def __init__(self, broker: SimulatedBroker) -> None:
        self._broker = broker
        broker.scheduler.sleep(0.01)
        if not broker.answers():
            raise KafkaError("no broker")

    def list_topics(self) -> list[str]:
        return [] if self._broker.records is None else [event_topic_reader_and_setup.TOPIC]

    def create_topics(self, topics: dict[str, Any]) -> None:
        if self._broker.records is None:
            self._broker.records = []

    def describe_topics(self, names: list[str]) -> list[dict[str, Any]]:
        return [{"partitions": [0]}]

    def close(self) -> None:
        pass


class Consumer:
    """Reads the partition."""

    def __init__(self, broker: SimulatedBroker, *, max_poll_records: int, **_: Any) -> None:
        self._broker = broker
        self._max = min(max_poll_records, FETCH_MAX)
        self._offset = 0
        self._end: int | None = None
        broker.scheduler.sleep(0.005)
        if not broker.answers():
            raise KafkaError("no broker")

    def unsubscribe(self) -> None:
        self._end = None

    def assign(self, partitions: list[TopicPartition]) -> None:
        self._partition = partitions[0]

    def seek(self, partition: TopicPartition, offset: int) -> None:
        self._offset = offset

    def poll(self, timeout_ms: int) -> dict[TopicPartition, list[ClientRecord]]:
        broker = self._broker
        broker.scheduler.sleep(timeout_ms / 1000 * broker.poll_slower)
        if not broker.answers() or broker.records is None:
            return {}
        if broker.scheduler.happens(broker.faults.fetch_fails):
            raise KafkaError("the fetch failed")
        self._end = len(broker.records)
        if self._offset > self._end and not broker.is_embedded:
            self._offset = 0  # auto_offset_reset
        records = broker.records[self._offset : self._offset + broker.scheduler.random.randint(1, self._max)]
        self._offset += len(records)
        return {self._partition: records} if records else {}

    def highwater(self, partition: TopicPartition) -> int | None:
        return self._end

    def position(self, partition: TopicPartition, timeout_ms: int = 0) -> int:
        return self._offset

    def beginning_offsets(self, partitions: list[TopicPartition]) -> dict[TopicPartition, int]:
        return {self._partition: 0}

    def end_offsets(self, partitions: list[TopicPartition]) -> dict[TopicPartition, int]:
        broker = self._broker
        broker.scheduler.sleep(0.002)
        if not broker.answers() or broker.records is None:
            raise KafkaError("no answer")
        low = broker.scheduler.random.randint(0, 30) if broker.is_embedded else 0
        return {self._partition: max(0, len(broker.records) - low)}

    def close(self) -> None:
        pass


class Producer:
    """Sends a batch as one request. A batch without an acknowledgement is lost with its process."""

    def __init__(self, broker: SimulatedBroker) -> None:
        self._broker = broker
        broker.scheduler.sleep(0.005)
        if not broker.answers():
            raise KafkaError("no broker")

    def send_batch(
        self, name: str, partition: int, events: Sequence[Stored], previous: int, incarnation: bytes
    ) -> "BatchInTransit":
        before = [previous, *(event.position for event in events)]
        return BatchInTransit(
            self._broker,
            [
                (event.stream.encode(), event.raw, headers(event, last, incarnation))
                for event, last in zip(events, before, strict=False)
            ],
        )

    def close(self, timeout: float) -> None:
        pass


class BatchInTransit:
    """A batch in transit, and its result."""

    def __init__(self, broker: SimulatedBroker, batch: list[tuple[bytes, bytes, Any]]) -> None:
        self._broker = broker
        self._batch = batch
        self._waited = 0.0
        self.is_done = False
        self.offset = -1
        self.offsets = {0: self}

    def __getitem__(self, place: int) -> "BatchInTransit":
        return self.offsets[place]

    def get(self, timeout: float) -> "BatchInTransit":
        """Itself, with the offset of the first record. Raises KafkaError."""
        broker = self._broker
        broker.scheduler.sleep(0.002)
        if not broker.answers() or broker.records is None:
            broker.scheduler.sleep(timeout)
            self._waited += timeout
            if self._waited < GIVE_UP_S:
                raise KafkaTimeoutError("not sent yet")
            raise self._failed("the broker does not answer")
        if broker.scheduler.happens(broker.faults.kill):
            broker.append(self._batch)
            broker.scheduler.kill()
        if broker.scheduler.happens(broker.faults.record_refused):
            raise self._failed("the batch was refused")
        if broker.scheduler.happens(broker.faults.record_late):
            broker.land_later(self._batch)
            raise self._failed("no answer in time")
        first = broker.append(self._batch)
        if broker.scheduler.happens(broker.faults.record_unheard):
            raise self._failed("the answer is lost")
        self.is_done, self.offset = True, first
        broker.scheduler.sleep(0.002)
        return self

    def _failed(self, why: str) -> KafkaError:
        self.is_done = True
        return KafkaError(why)
