"""The place where a reader begins and the events that it returns, on a topic in memory with any content."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.relay import gapless_event_topic_reader as tail_module
from events.relay.event_topic_reader_and_setup import BATCH_MAX, TopicLog
from events.relay.gapless_event_topic_reader import NEAR, Hint, TopicTail, offset_before
from events.relay.topic_records import TopicRecord, headers
from events.store import Stored
from tests.simulation.in_memory_kafka import ClientRecord
from tests.support.processes.relays_and_topic_readers import PROPERTY, stored


class Memory:
    """A partition in memory. `change` may be called between two fetches, as a broker may die between them."""

    def __init__(self, records: list[ClientRecord]) -> None:
        self.records = records
        self.offset = 0
        self.end: int | None = None
        self.seeks: list[int] = []

    def seek(self, offset: int) -> None:
        self.offset, self.end = offset, None
        self.seeks.append(offset)

    def poll(self, wait_ms: int = 0) -> list[ClientRecord]:
        records = self.records[self.offset : self.offset + BATCH_MAX]
        self.offset += len(records)
        self.end = len(self.records)
        return records

    def bounds(self) -> tuple[int, int]:
        return 0, len(self.records)

    def until_end(self, offset: int) -> Iterator[list[ClientRecord]]:
        self.seek(offset)
        while records := self.poll():
            yield records

    def close(self) -> None:
        pass


def send(events: list[Stored], incarnation: str = "0.a", at: int = 0, previous: int = 0) -> list[ClientRecord]:
    """The records that a relay makes of events, the first at an offset and after a position."""
    before = [previous, *(event.position for event in events)]
    return [
        ClientRecord(offset, event.stream.encode(), event.raw, headers(event, last, incarnation.encode()))
        for offset, (event, last) in enumerate(zip(events, before, strict=False), at)
    ]


def tail_of(memory: Memory) -> TopicTail:
    return TopicTail("", PROPERTY, connect=lambda _bootstrap, _partition: cast(TopicLog, memory))


def read(memory: Memory, last: int, after: int = 0, hint: Hint | None = None) -> list[TopicRecord]:
    got: list[TopicRecord] = []
    for turn, batch in enumerate(tail_of(memory).read(after, hint, wait_s=0.0)):
        got += batch
        if (got and got[-1].position >= last) or turn > 100:
            return got
    raise AssertionError("a tail never ends")


EVENTS = [stored(position) for position in range(1, 11)]


def positions(records: list[TopicRecord]) -> list[int]:
    return [record.position for record in records]


def test_from_nothing_everything_is_read() -> None:
    assert positions(read(Memory(send(EVENTS)), last=10)) == list(range(1, 11))


def test_a_hint_that_holds_is_where_reading_begins() -> None:
    memory = Memory(send(EVENTS))
    assert positions(read(memory, last=10, after=6, hint=("0.a", 5))) == [7, 8, 9, 10]
    assert 0 not in memory.seeks


@pytest.mark.parametrize(
    "hint",
    [("0.b", 5), ("0.a", 9), ("0.a", 999), None],
    ids=["another incarnation", "beyond the position", "beyond the end", "none"],
)
def test_a_hint_that_does_not_hold_loses_nothing(hint: Hint | None) -> None:
    assert positions(read(Memory(send(EVENTS)), last=10, after=6, hint=hint)) == [7, 8, 9, 10]


def test_the_new_incarnation_of_a_topic_that_was_emptied_is_read_from_the_beginning() -> None:
    memory = Memory(send(EVENTS))
    reader = tail_of(memory).read(0, wait_s=0.0)
    assert positions(next(reader)) == list(range(1, 11))
    further = [*EVENTS, *(stored(position) for position in range(11, 31))]
    memory.records = send(further, "0.b")
    memory.offset = 25  # as if there had been as much on the old one
    assert positions([record for _ in range(3) for record in next(reader)]) == list(range(11, 31))


def test_a_batch_without_what_comes_before_it_waits_for_that() -> None:
    memory = Memory(send(EVENTS[5:], "0.a", previous=5))
    reader = tail_of(memory).read(0, wait_s=0.0)
    assert [next(reader) for _ in range(3)] == [[], [], []]
    memory.records = memory.records + send(EVENTS, "5.b", at=5)
    assert positions([record for _ in range(3) for record in next(reader)]) == list(range(1, 11))


def test_a_record_that_no_relay_sent_is_left_out() -> None:
    records = send(EVENTS)
    foreign: list[Any] = [
        ClientRecord(10, b"k", b"v", []),
        ClientRecord(11, b"k", b"v", [("position", b"eleven"), ("previous", b"10")]),
        ClientRecord(
            12, b"\xff", b"v", [("position", b"11"), ("previous", b"10"), ("type", b"x"), ("incarnation", b"0.a")]
        ),
    ]
    further = send([stored(11)], at=13, previous=10)
    assert positions(read(Memory([*records, *foreign, *further]), last=11)) == list(range(1, 12))


@given(
    count=st.integers(1, 40),
    sent=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=6),
    after=st.integers(0, 40),
)
def test_whatever_was_sent_twice_or_too_early_each_event_comes_once_in_order(
    count: int, sent: list[tuple[int, int]], after: int
) -> None:
    """Pieces of the store in any order stand on the topic, and at last all of it."""
    events = [stored(position) for position in range(1, count + 1)]
    records: list[ClientRecord] = []
    for first, last in [*sent, (0, count)]:
        piece = events[first:last]
        records += send(piece, at=len(records), previous=piece[0].position - 1 if piece else 0)
    got = positions(read(Memory(records), last=count, after=after))
    assert got == list(range(after + 1, count + 1))


def test_gaps_in_the_stores_positions_are_none_on_the_topic() -> None:
    events = [stored(position) for position in (1, 2, 7, 8, 20)]
    got = read(Memory(send(events)), last=20, after=2)
    assert positions(got) == [7, 8, 20]
    assert [record.previous for record in got] == [2, 7, 8]
    assert all(last.position == record.previous for last, record in pairwise(got))


@pytest.mark.parametrize("position", [0, 1, 700, 4_999, 5_000])
def test_the_place_of_a_position_is_found_by_halving(position: int) -> None:
    memory = Memory(send([stored(each) for each in range(1, 5_001)]))
    offset = offset_before(cast(TopicLog, memory), position)
    assert max(position - 1 - NEAR, 0) <= offset <= max(position - 1, 0)
    assert len(memory.seeks) < 10


def foreign(position: int, previous: int, offset: int, raw: bytes = b"{}") -> ClientRecord:
    """Return a record of another sender, with all the headers of our records."""
    event = Stored(position, "athens/tables/Z/2026-01-01", 1, "x.y.v1", raw)
    return ClientRecord(offset, event.stream.encode(), raw, headers(event, previous, b"0.a"))


class Events:
    """A store of these events, to be read."""

    def __init__(self, events: list[Stored]) -> None:
        self.events = events

    def after(self, position: int, limit: int, types: Any = (), until: int | None = None) -> list[Stored]:
        return [e for e in self.events if position < e.position <= (until or 10**18)][:limit]

    def position(self) -> int:
        return self.events[-1].position


def read_checked(records: list[ClientRecord], events: list[Stored]) -> list[TopicRecord]:
    """Return all records that a tail with this store yields."""
    store = cast(Any, Events(events))
    tail = TopicTail("", PROPERTY, store, connect=lambda _bootstrap, _partition: cast(TopicLog, Memory(records)))
    records_read: list[TopicRecord] = []
    for batch in tail.read(0, wait_s=0.0):
        records_read += batch
        if not batch:
            return records_read
    raise AssertionError("a tail never ends")


@pytest.mark.parametrize("at", [0, 4, 10])
@pytest.mark.parametrize("jump", [1, 3, 10**15])
def test_a_record_that_the_store_does_not_hold_is_left_out_wherever_it_stands(at: int, jump: int) -> None:
    """The record looks right: it follows the position before it. The readers still leave it out."""
    before, after = send(EVENTS[:at]), send(EVENTS[at:], at=at + 1, previous=at)
    records = [*before, foreign(at + jump, at, at), *after]
    read = read_checked(records, EVENTS)
    assert [(record.position, record.raw) for record in read] == [(event.position, event.raw) for event in EVENTS]


def test_an_event_that_is_told_too_early_hides_none_before_it() -> None:
    """Its bytes are the store's own, but its header names a wrong previous position."""
    lie = send([EVENTS[7]], at=3, previous=1)
    records = [*send(EVENTS[:3]), *lie, *send(EVENTS[3:], at=4, previous=3)]
    assert positions(read_checked(records, EVENTS)) == list(range(1, 11))


def test_what_a_restored_store_has_lost_is_not_given_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert positions(read_checked(send(EVENTS), EVENTS[:6])) == list(range(1, 7))
    output = capsys.readouterr().out
    assert "records that the store does not hold are left out" in output
    assert "store_ends_at=6" in output
    assert "records=4" in output


def test_a_foreign_record_is_told_once_however_often_it_is_seen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tail_module, "LOOK_BACK_S", 0.0)
    memory = Memory([*send(EVENTS), foreign(10**15, 10, 10)])
    tail = TopicTail(
        "", PROPERTY, cast(Any, Events(EVENTS)), connect=lambda _bootstrap, _partition: cast(TopicLog, memory)
    )
    reader = tail.read(0, wait_s=0.0)
    assert positions([record for _ in range(20) for record in next(reader)]) == list(range(1, 11))
    assert memory.seeks.count(10) > 2, "it was not looked at again"
    assert capsys.readouterr().out.count("are left out") == 1


def test_a_foreign_gap_does_not_send_the_reader_back_to_the_beginning() -> None:
    memory = Memory([*send(EVENTS), foreign(10**15, 10**14, 10)])
    store = cast(Any, Events(EVENTS))
    tail = TopicTail("", PROPERTY, store, connect=lambda _bootstrap, _partition: cast(TopicLog, memory))
    reader = tail.read(0, wait_s=0.0)
    assert positions([record for _ in range(3) for record in next(reader)]) == list(range(1, 11))
    assert memory.seeks == [0]
