"""The topic against the store, record by record: events that a reader of Kafka saw, and the store does not hold.

It also finds records that would keep a reader from the store's events: a missing, foreign or edited record, or one
behind a later one. An identical second record is the trace of a relay that died.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from events.integrity.copy_comparison import FINDINGS_MAX, CopyComparison, name_of
from events.integrity.copy_comparison import compare as compared
from events.integrity.first_fault_of_each_kind import CopyDifference
from events.relay.event_topic_reader_and_setup import (
    TopicLog,
    begins_at,
    is_there,
    last_record,
    partition_of,
    record_at,
)
from events.relay.topic_records import TopicRecord, parse
from events.store import EventReader

ANSWER_S = 2.0
LATE_MAX = 100_000  # records behind a later one, in memory


def compare(store: EventReader, bootstrap: str, property_: str) -> CopyComparison:
    """Read the topic from the store's first event on, a batch at a time. Nothing is written. Raises Retry."""
    partition = partition_of(property_)
    if not is_there(bootstrap, partition, ANSWER_S):
        return CopyComparison(0, 0, [])
    with TopicLog(bootstrap, partition, answer_s=ANSWER_S) as log:
        begin = _beginning(log)
        if begin is None:
            return CopyComparison(0, 0, [])
        life = _TopicLife(store, begin.incarnation)
        return life.with_its_own(compared(store, life.in_order(log.until_end(begin.offset)), "topic"))


def _beginning(log: TopicLog) -> TopicRecord | None:
    """The first record of the topic's present life: the last record's, or where that is not the relay's, the last
    that is a beginning."""
    last = last_record(log)
    if last is None:
        return None
    at = begins_at(last.incarnation)
    first = None if at is None or at > last.offset else record_at(log, at)
    if first is not None and first.incarnation == last.incarnation and _begins(first):
        return first
    records = (
        record for batch in log.until_end(log.bounds()[0]) for raw in batch if (record := parse(raw)) is not None
    )
    first_record = None
    for record in records:
        first_record = record if _begins(record) else first_record
    return first_record


def _begins(record: TopicRecord) -> bool:
    return record.previous == 0 and begins_at(record.incarnation) == record.offset


class _TopicLife:
    """One life of the topic, in the order of its offsets, and its errors."""

    def __init__(self, store: EventReader, incarnation: str) -> None:
        self._store = store
        self._incarnation = incarnation
        self._last, self._end = 0, 0
        self._late_positions: dict[int, int] = {}  # by position: behind which event
        self._differences: list[CopyDifference] = []

    def in_order(self, batches: Iterator[list[Any]]) -> Iterator[dict[int, bytes]]:
        """The records that come one after the other, in batches."""
        for batch in batches:
            yield {record.position: record.raw for raw in batch if (record := self._next(raw)) is not None}

    def with_its_own(self, result: CopyComparison) -> CopyComparison:
        """Return the differences with those of the topic alone: an event that is missing in its place may come
        later."""
        missing = {difference.position for difference in result.differences if difference.way == "left out"}
        late = {at: behind for at, behind in self._late_positions.items() if at in missing}
        moved = [
            _shifted_difference(difference, late[difference.position]) if difference.position in late else difference
            for difference in result.differences
        ]
        differences = sorted([*moved, *self._differences], key=lambda difference: difference.position)[:FINDINGS_MAX]
        return msgspec.structs.replace(result, differences=differences, repeated=len(self._late_positions) - len(late))

    def _next(self, raw: Any) -> TopicRecord | None:
        """The record, where it is the next one."""
        record = parse(raw)
        if record is None:
            self._tell("foreign", self._last, f"record {raw.offset}", "was sent by no relay of this house")
        elif record.incarnation != self._incarnation or record.position <= self._last:
            self._take_late(record)
        else:
            if self._is_reached(record.position):
                self._compare_headers(record)
                self._last = record.position
            return record
        return None

    def _is_reached(self, position: int) -> bool:
        """Return whether the store, which may grow meanwhile, has reached this position."""
        if position > self._end:
            self._end = self._store.position()
        return position <= self._end

    def _take_late(self, record: TopicRecord) -> None:
        """An equal copy does no harm in any place."""
        stored = self._store.after(record.position - 1, 1, until=record.position)
        if stored and stored[0].raw == record.raw:
            if len(self._late_positions) < LATE_MAX:
                self._late_positions.setdefault(record.position, self._last)
        elif record.incarnation != self._incarnation:
            self._tell("foreign", self._last, f"record {record.offset}", "was sent by no relay of this house")
        else:
            message = f"stands on the topic once more, as another event (record {record.offset})"
            self._tell("doubled", record.position, name_of(record.raw), message)

    def _compare_headers(self, record: TopicRecord) -> None:
        """Readers go by them."""
        headers = _event_header(record)
        if record.previous != self._last and record.previous != self._before(record):
            message = f"has a header that says it follows {record.previous}"
        elif headers is not None and (headers.type, headers.id.rpartition("@")[0]) != (record.type, record.stream):
            message = f"has headers of {record.type} in {record.stream}"
        else:
            return
        self._tell("another", record.position, name_of(record.raw), message)

    def _before(self, record: TopicRecord) -> int:
        """The position of the event before it, where some are missing on the topic."""
        last = self._last
        while between := self._store.after(last, 5_000, until=record.position - 1):
            last = between[-1].position
        return last

    def _tell(self, way: str, position: int, event: str, message: str) -> None:
        if len(self._differences) < FINDINGS_MAX:
            self._differences.append(CopyDifference("topic", way, position, event, message))


class _EventHeader(msgspec.Struct):
    id: str
    type: str


_decoder = msgspec.json.Decoder(_EventHeader)


def _event_header(record: TopicRecord) -> _EventHeader | None:
    """Return the event's own statement; None where it cannot be read, which its bytes show."""
    try:
        return _decoder.decode(record.raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _shifted_difference(difference: CopyDifference, behind: int) -> CopyDifference:
    return msgspec.structs.replace(difference, way="out of order", message=f"stands on the topic behind event {behind}")
