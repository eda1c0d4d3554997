"""Records as Kafka's bytes: our bytes equal those of kafka-python, and each program reads the other's."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka import TopicPartition
from kafka.consumer.fetcher import Fetcher
from kafka.record.memory_records import MemoryRecords, MemoryRecordsBuilder

from events.relay.topic_records import TopicRecord, _Batch, _FetchedRecords, decoded, encoded, headers, parse
from events.store import Stored

PLACE = TopicPartition("pitledger.events", 0)
names = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=80)


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Stored], int, bytes]:
    """Return events of any names and sizes, the position before them, and an incarnation."""
    gaps = draw(st.lists(st.integers(1, 2**40), min_size=1, max_size=12))
    previous = draw(st.integers(0, 2**40))
    events = [
        Stored(previous + sum(gaps[: place + 1]), draw(names), place, draw(names), draw(st.binary(max_size=20_000)))
        for place in range(len(gaps))
    ]
    return events, previous, draw(names).encode()


def own_batch(events: list[Stored], previous: int, incarnation: bytes) -> bytes:
    """A batch as the relay writes it."""
    return _closed(_Batch(len(events), encoded(events, previous, incarnation)))


def peer_batch(records: list[tuple[bytes | None, bytes, list[tuple[str, bytes]]]]) -> bytes:
    """A batch as kafka-python writes it, all at one time."""
    builder = MemoryRecordsBuilder(magic=2, compression_type=0, batch_size=10**7)
    for key, value, headers_ in records:
        builder.append(1_000, key, value, headers_)
    return _closed(builder)


def _closed(builder: Any) -> bytes:
    builder.set_producer_state(7, 0, 0, is_transactional=False)
    builder.close()
    return bytes(builder.buffer())


def as_records(
    events: list[Stored], previous: int, incarnation: bytes
) -> list[tuple[bytes | None, bytes, list[tuple[str, bytes]]]]:
    before = [previous, *(event.position for event in events)]
    return [
        (event.stream.encode(), event.raw, headers(event, last, incarnation))
        for event, last in zip(events, before, strict=False)
    ]


def expected(events: list[Stored], previous: int, incarnation: bytes) -> list[TopicRecord]:
    before = [previous, *(event.position for event in events)]
    return [
        TopicRecord(event.position, last, event.stream, event.type, event.raw, offset, incarnation.decode())
        for offset, (event, last) in enumerate(zip(events, before, strict=False))
    ]


def fetched(raw: bytes, kind: type[Fetcher.PartitionRecords] = _FetchedRecords) -> list[Any]:
    """Return the records that a consumer reads from the bytes of a fetch, in several turns."""
    part = kind(0, PLACE, MemoryRecords(raw))
    records: list[Any] = []
    while part:
        records += part.take(5)
        assert part.next_fetch_offset == (records[-1].offset + 1 if records else 0)
    return records


@given(histories())
def test_the_records_are_those_that_the_library_would_have_written(history: tuple[list[Stored], int, bytes]) -> None:
    after_the_batchs_own_times = 61
    written = own_batch(*history)
    assert written[after_the_batchs_own_times:] == peer_batch(as_records(*history))[after_the_batchs_own_times:]
    assert next(MemoryRecords(written)).validate_crc()


@given(histories())
def test_the_library_reads_what_we_wrote(history: tuple[list[Stored], int, bytes]) -> None:
    assert [parse(record) for record in fetched(own_batch(*history), Fetcher.PartitionRecords)] == expected(*history)


@given(histories())
def test_we_read_what_either_wrote(history: tuple[list[Stored], int, bytes]) -> None:
    for raw in (own_batch(*history), peer_batch(as_records(*history))):
        assert [parse(record) for record in fetched(raw)] == expected(*history)


def test_what_the_relay_writes_is_read_at_once() -> None:
    events = [Stored(place, f"athens/tables/R{place % 3}/2026-11-20", 1, "bet.placed.v1", b"x") for place in (1, 2, 9)]
    records = fetched(own_batch(events, 0, b"0.a"))
    assert all(isinstance(record, TopicRecord) for record in records)
    assert records == expected(events, 0, b"0.a")
    assert decoded(next(MemoryRecords(peer_batch(as_records(events, 0, b"0.a"))))) == records


@pytest.mark.parametrize(
    "headers_",
    [
        [],
        [("position", b"eleven"), ("previous", b"10")],
        [("type", b"x"), ("position", b"11"), ("previous", b"10"), ("incarnation", b"0.a")],
        [("content-type", b"text/plain"), ("type", b"x"), ("position", b"1"), ("previous", b"0"), ("incarnation", b"")],
    ],
)
def test_what_others_wrote_is_left_to_the_library(headers_: list[tuple[str, bytes]]) -> None:
    event = Stored(1, "s", 1, "x", b"y")
    raw = peer_batch([*as_records([event], 0, b"0.a"), (None, b"foreign", headers_)])
    own, foreign = fetched(raw)
    assert parse(own) == expected([event], 0, b"0.a")[0]
    assert (foreign.offset, foreign.value) == (1, b"foreign")


def test_a_key_that_is_no_text_is_not_ours() -> None:
    headers_ = headers(Stored(1, "s", 1, "x", b"y"), 0, b"0.a")
    [record] = fetched(peer_batch([(b"\xff", b"y", headers_)]))
    assert parse(record) is None


def test_a_batch_that_was_damaged_on_its_way_is_not_read() -> None:
    raw = bytearray(own_batch([Stored(1, "s", 1, "x", b"yyyy")], 0, b"0.a"))
    raw[raw.index(b"yyyy")] ^= 1
    assert decoded(next(MemoryRecords(bytes(raw)))) is None
