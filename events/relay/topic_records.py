"""The records of `pitledger.events`: the content of one, and many at once as Kafka's bytes.

kafka-python writes and reads records of any kind, one after the other. It took 14 us to send a record and 10 us to read
it: half of the relay's time and a third of the projector's. The project's records are all alike, so they are written
and read a batch at a time, in 1 and 4 us. All else stays the library's: connections, retries, the idempotent producer,
checksums. The library itself reads foreign records.
"""

import re
import time
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

import msgspec
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.consumer.fetcher import Fetcher
from kafka.producer.future import FutureRecordMetadata
from kafka.producer.producer_batch import ProducerBatch
from kafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder
from kafka.record.memory_records import MemoryRecords, MemoryRecordsBuilder
from kafka.record.util import decode_varint, encode_varint

from events.runtime import tracing
from events.store import Stored

CONTENT_TYPE = b"application/cloudevents+json"
_MAGIC = 2  # the format of records since Kafka 0.11


class TopicRecord(msgspec.Struct, frozen=True, gc=False):
    """One event in the form of the topic. `raw` is byte for byte the stored event."""

    position: int
    previous: int
    stream: str
    type: str
    raw: bytes
    offset: int
    incarnation: str
    trace: str = ""  # the header `traceparent`, where the relay makes traces


def headers(event: Stored, previous: int, incarnation: bytes) -> list[tuple[str, bytes]]:
    """The headers of an event's record."""
    return [
        ("content-type", CONTENT_TYPE),
        ("type", event.type.encode()),
        ("position", b"%d" % event.position),
        ("previous", b"%d" % previous),
        ("incarnation", incarnation),
    ]


def parse(record: Any) -> TopicRecord | None:
    """Return a consumed message as one of our records; None where its headers are not the relay's."""
    if isinstance(record, TopicRecord):
        return record
    by_name = dict(record.headers)
    try:
        return TopicRecord(
            position=int(by_name["position"]),
            previous=int(by_name["previous"]),
            stream=record.key.decode(),
            type=by_name["type"].decode(),
            raw=record.value,
            offset=record.offset,
            incarnation=by_name["incarnation"].decode(),
            trace=by_name.get(tracing.HEADER, b"").decode(),
        )
    except (KeyError, ValueError, AttributeError, TypeError):
        return None


# --- writing ------------------------------------------------------------------------------------------------------


def _varint(number: int) -> bytes:
    """A number that is not negative, as Kafka writes it: seven bits a byte, the sign in the lowest."""
    written = bytearray()
    encode_varint(number, written.append)
    return bytes(written)


_VARINTS = tuple(map(_varint, range(8_192)))  # nearly every length and place


def _sized(value: bytes) -> bytes:
    """Bytes behind their length."""
    length = len(value)
    return (_VARINTS[length] if length < len(_VARINTS) else _varint(length)) + value


# Attributes, none; and how much later than the batch, not at all: an event has a time of its own.
_BEFORE = b"\x00\x00"
_CONTENT_TYPE = _sized(b"content-type") + _sized(CONTENT_TYPE)
_COUNT, _COUNT_TRACED = _varint(5), _varint(6)  # of the headers
_TRACE, _TRACE_LENGTH = _sized(tracing.HEADER.encode()), 55
_TYPE, _POSITION, _PREVIOUS, _INCARNATION = map(_sized, (b"type", b"position", b"previous", b"incarnation"))


def encoded(events: Sequence[Stored], previous: int, incarnation: bytes) -> bytes:
    """Return the events' records, one after the other, in the form of a batch."""
    records: list[bytes] = []
    streams: dict[str, bytes] = {}
    types: dict[str, bytes] = {}
    last, count = _INCARNATION + _sized(incarnation), _COUNT_TRACED if tracing.is_on() else _COUNT
    before = _sized(b"%d" % previous)
    for place, event in enumerate(events):
        stream, kind, position = streams.get(event.stream), types.get(event.type), _sized(b"%d" % event.position)
        if stream is None:
            stream = streams[event.stream] = _sized(event.stream.encode())
        if kind is None:
            kind = types[event.type] = count + _CONTENT_TYPE + _TYPE + _sized(event.type.encode())
        fields = (kind, _POSITION, position, _PREVIOUS, before, last, _traced(event) if tracing.is_on() else b"")
        records.append(_sized(b"".join((_BEFORE, _VARINTS[place], stream, _sized(event.raw), *fields))))
        before = position
    return b"".join(records)


def _traced(event: Stored) -> bytes:
    """Return the header with the event's trace and the relay's span in it."""
    return _TRACE + _sized(tracing.place("relay", event.raw).header.encode())


class _Builder(DefaultRecordBatchBuilder):  # type: ignore[misc]  # the library has no types
    """Puts a head before records that are written already."""

    def __init__(self, count: int, records: bytes) -> None:
        unset = {"producer_id": -1, "producer_epoch": -1, "base_sequence": -1}  # the producer fills them in
        super().__init__(magic=_MAGIC, compression_type=0, is_transactional=False, batch_size=0, **unset)
        self._buffer += records
        self._num_records, self._last_offset = count, count - 1
        self._first_timestamp = self._max_timestamp = int(time.time() * 1000)


class _Batch(MemoryRecordsBuilder):  # type: ignore[misc]  # the library has no types
    """A batch that is complete, so that the producer sends it at once."""

    def __init__(self, count: int, records: bytes) -> None:
        super().__init__(magic=_MAGIC, compression_type=0, batch_size=0)
        self._builder = _Builder(count, records)
        self._next_offset = count


class SentBatch:
    """Future offsets of a batch's records: of the first, and of those that were asked for.

    The library asks for all of them where the broker takes the batch only in parts: each has an answer of its own.
    """

    def __init__(self, count: int, batch: ProducerBatch) -> None:
        self._count = count
        self._batch = batch
        self.offsets = {0: self._new(0)}

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: int) -> FutureRecordMetadata:
        if place not in self.offsets:
            self.offsets[place] = self._new(place)
        return self.offsets[place]

    def _new(self, place: int) -> FutureRecordMetadata:
        return FutureRecordMetadata(self._batch.produce_future, place, None, None, -1, -1, -1)


class EventProducer(KafkaProducer):  # type: ignore[misc]  # the library has no types
    """Sends events a batch at a time."""

    def send_batch(
        self, topic: str, partition: int, events: Sequence[Stored], previous: int, incarnation: bytes
    ) -> SentBatch:
        """Send these, at most 8,192, behind the event at `previous`; return their future offsets.

        Raises kafka.errors.KafkaError where no leader of the topic is known.
        """
        self.partitions_for(topic)
        place = TopicPartition(topic, partition)
        batch = ProducerBatch(place, _Batch(len(events), encoded(events, previous, incarnation)))
        batch._record_futures = sent = SentBatch(len(events), batch)
        with self._accumulator._tp_lock(place):
            self._accumulator._batches[place].append(batch)
            self._accumulator._incomplete.add(batch)
        self._sender.wakeup()
        return sent


# --- reading ------------------------------------------------------------------------------------------------------


_TEXT, _NUMBER = rb"([^\x00-\x1f]{1,63})", rb"([0-9]{1,19})"


def _header(name: bytes, value: bytes) -> bytes:
    """The pattern of a header. Its value is shorter than 64 bytes, so that its length is one of them."""
    return re.escape(name) + b"." + value


_HEADERS = re.compile(
    rb"[%s%s]" % (re.escape(_COUNT), re.escape(_COUNT_TRACED))
    + re.escape(_CONTENT_TYPE)
    + _header(_TYPE, _TEXT)
    + _header(_POSITION, _NUMBER)
    + _header(_PREVIOUS, _NUMBER)
    + _header(_INCARNATION, _TEXT)
    + rb"(?:%s([0-9a-f-]{%d}))?" % (re.escape(_TRACE + _varint(_TRACE_LENGTH)), _TRACE_LENGTH),
    re.DOTALL,
)


def decoded(batch: DefaultRecordBatch) -> list[TopicRecord] | None:
    """The records of a batch, if the relay wrote them and they are whole; else None."""
    if batch.magic != _MAGIC or batch.compression_type or batch.is_control_batch or not batch.validate_crc():
        return None
    try:
        return _batch_records(batch)
    except (IndexError, ValueError):  # of another shape, or no text
        return None


def _batch_records(batch: DefaultRecordBatch) -> list[TopicRecord] | None:
    """Return the records; None where one has another form than `encoded`. Raises IndexError, ValueError for no
    batch.
    """
    records: list[TopicRecord] = []
    data, base, end = bytes(batch._buffer), batch.base_offset, batch.HEADER_STRUCT.size
    for _ in range(batch.records_count):
        size, at = decode_varint(data, end)
        end = at + size
        if not data.startswith(_BEFORE, at):  # a time of its own may be longer: all behind it would be misread
            return None
        place, at = decode_varint(data, at + len(_BEFORE))
        size, at = decode_varint(data, at)
        stream = data[at : at + size]
        size, at = decode_varint(data, at + size)
        raw = data[at : at + size]
        match = _HEADERS.fullmatch(data, at + size, end)
        if match is None:
            return None
        names = (stream.decode(), match[1].decode(), match[4].decode())
        trace = (match[5] or b"").decode()
        records.append(
            TopicRecord(int(match[2]), int(match[3]), names[0], names[1], raw, base + place, names[2], trace)
        )
    return records


class _FetchedRecords(Fetcher.PartitionRecords):  # type: ignore[misc]  # the library has no types
    """Records of a fetch: the project's as `TopicRecord`, all others in the library's form."""

    def _unpack_records(self, place: TopicPartition, records: MemoryRecords, *deserializers: Any) -> Iterator[Any]:
        batches = list(copy(records))
        read = [decoded_records for batch in batches if (decoded_records := decoded(batch)) is not None]
        if len(read) < len(batches):
            yield from super()._unpack_records(place, records, *deserializers)
            return
        for batch, batch_records in zip(batches, read, strict=True):
            self.leader_epoch = batch.leader_epoch
            for record in batch_records:
                self.next_fetch_offset = record.offset + 1
                yield record
            self.next_fetch_offset = batch.next_offset
        self.drain()


class EventConsumer(KafkaConsumer):  # type: ignore[misc]  # the library has no types
    """Gives a `TopicRecord` for the relay's records, and the library's own for all others."""

    def __init__(self, **configs: Any) -> None:
        super().__init__(**configs)
        self._fetcher.PartitionRecords = _FetchedRecords
