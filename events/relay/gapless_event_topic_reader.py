"""The reader's end of the topic: batches of records after a position, nothing left out, nothing twice.

A record is issued if it is after the position and the one before it is not (`previous`). That holds after any event at
the broker. The start only affects speed: a still valid hint, else the topic's beginning.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any

import structlog

from events.errors import Retry
from events.relay.event_topic_reader_and_setup import FETCH_WAIT_MS, TopicLog, partition_of, record_at
from events.relay.polling_intervals import ReaderPace
from events.relay.topic_records import TopicRecord, parse
from events.runtime import metric_counters
from events.store import EventReader, Stored
from events.store.wakeup_on_append_across_processes import News, NoNews

LOOK_BACK_S = 0.5  # the interval at which an idle reader checks its last record again
BACK_OFF_S = (0.1, 2.0)
REWIND_S = (1.0, 60.0)  # how soon the beginning is read again where it did not help
NEAR = 1_000  # records that are read over rather than halved

log = structlog.get_logger(__name__)

Hint = tuple[str, int]  # incarnation and offset of the last record that was applied


class TopicTail:
    """Follows a property's events. Survives restarts of the broker, and one that comes back empty.

    With a `store`, only its own events are issued, byte for byte and in its order. A record of another writer, or of a
    history that the store has lost, is left out with a line in the log.
    """

    def __init__(
        self,
        bootstrap: str,
        property_: str,
        store: EventReader | None = None,
        connect: Callable[[str, int], TopicLog] = TopicLog,
        news: News | None = None,
    ) -> None:
        """Make a reader. `news`: news of appends to the store; without them the broker is polled."""
        self._bootstrap = bootstrap
        self._news = news or NoNews()
        self._store = store
        self._connect = connect
        self._partition = partition_of(property_)
        self._log: TopicLog | None = None
        self._reported_record: TopicRecord | None = None
        self._position = 0
        self._hint: Hint | None = None

    def __enter__(self) -> "TopicTail":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Hang up. A generator of `read` must not be used any more."""
        if self._log is not None:
            self._log.close()
            self._log = None

    def read(self, after_position: int, hint: Hint | None = None, wait_s: float = 0.1) -> Iterator[list[TopicRecord]]:
        """Yield batches of 1 to 1,000 records after `after_position`, as they arrive, without end.

        An empty batch means no record for `wait_s`, or no answer of a broker for now: a chance to stop.
        """
        self._position, self._hint = after_position, hint
        back_off = BACK_OFF_S[0]
        while True:
            try:
                if self._log is None:
                    self._log = self._connect(self._bootstrap, self._partition)
                for batch in self._follow(self._log, wait_s):
                    back_off = BACK_OFF_S[0]
                    metric_counters.server_answers("kafka")
                    yield batch
            except Retry as error:
                metric_counters.server_is_away("store" if "event store" in str(error) else "kafka", str(error))
                log.warning("the topic is read again", why=str(error), in_s=back_off, position=self._position)
                self.close()
                yield []
                time.sleep(back_off)
                back_off = min(back_off * 2, BACK_OFF_S[1])

    def _follow(self, source: TopicLog, wait_s: float) -> Iterator[list[TopicRecord]]:
        """Read on permanently, from where the next record should be, and from the beginning where it is not there."""
        source.seek(self._start(source))
        rewind_from, rewind_pause = 0.0, REWIND_S[0]
        news = looked = time.monotonic()
        idle = ReaderPace(self._news, looked)
        while True:
            polled = source.poll(FETCH_WAIT_MS)
            batch, gap = self._records_in_sequence(polled)
            now = time.monotonic()
            if batch:
                rewind_pause = REWIND_S[0]
                idle.came(now)
                yield batch
            elif now - news > wait_s:
                yield []
            if polled:
                looked = now
            if batch or now - news > wait_s:
                news = time.monotonic()
            is_other_topic = source.end is not None and source.end < source.offset
            if gap or is_other_topic:
                if now >= rewind_from:
                    log.warning("the topic is read from its beginning", position=self._position, gap=gap)
                    source.seek(0)
                    rewind_from, rewind_pause = now + rewind_pause, min(rewind_pause * 2, REWIND_S[1])
            elif now - looked > LOOK_BACK_S:
                # Reading on from the present record is right; on an emptied topic the reader would wait in vain.
                source.seek(max(source.offset - 1, 0))
                looked = now
            if not polled and not gap:
                idle.rest(now)

    def _records_in_sequence(self, polled: list[Any]) -> tuple[list[TopicRecord], bool]:
        """Return the records that come next, in sequence; and whether others would leave a gap."""
        beyond = self._beyond(polled)
        stored_events = self._store.after(self._position, len(beyond)) if self._store is not None and beyond else []
        batch: list[TopicRecord] = []
        foreign: list[TopicRecord] = []
        gap = False
        for record in beyond:
            if record.position <= self._position:  # it was sent twice
                continue
            if record.previous > self._position:
                is_ours = gap = gap or self._is_stored(record)
            elif is_ours := self._store is None or _is_next(record, stored_events, len(batch)):
                batch.append(record)
                self._position, self._hint = record.position, (record.incarnation, record.offset)
            if not is_ours:
                foreign.append(record)
        if foreign:
            self._tell_of(foreign)
        return batch, gap

    def _beyond(self, polled: list[Any]) -> list[TopicRecord]:
        """Return our records after the position."""
        records = []
        for raw in polled:
            record = parse(raw)
            if record is None:
                log.warning("a record that no relay of ours has sent is left out", offset=raw.offset)
            elif record.position > self._position:
                records.append(record)
        return records

    def _is_stored(self, record: TopicRecord) -> bool:
        """Return whether the store has this record, so that something before it is missing on the topic."""
        stored = [] if self._store is None else self._store.after(record.position - 1, 1, until=record.position)
        return self._store is None or _is_next(record, stored, 0)

    def _tell_of(self, foreign: list[TopicRecord]) -> None:
        """Report it once: an idle reader reads the topic's last record repeatedly."""
        assert self._store is not None
        if self._reported_record == foreign[-1]:
            return
        self._reported_record = foreign[-1]
        first, end = foreign[0], self._store.position()
        fields = {
            "offset": first.offset,
            "position": first.position,
            "stream": first.stream[:200],
            "store_ends_at": end,
        }
        log.error("records that the store does not hold are left out", records=len(foreign), **fields)

    def _start(self, source: TopicLog) -> int:
        """An offset that is not beyond the next record: by the hint, by looking, or the very first."""
        if self._position == 0:
            return 0
        if self._hint is not None:
            incarnation, offset = self._hint
            record = record_at(source, offset)
            if record is not None and record.incarnation == incarnation and record.position <= self._position:
                return offset
            log.info("the hint does not hold any more", position=self._position, incarnation=incarnation)
        return offset_before(source, self._position)


def _is_next(record: TopicRecord, stored: Sequence[Stored], place: int) -> bool:
    """Return whether the record is the event at this place, in each of its parts."""
    if place >= len(stored):
        return False
    event = stored[place]
    parts = (record.position, record.stream, record.type, record.raw)
    return parts == (event.position, event.stream, event.type, event.raw)


def offset_before(source: TopicLog, position: int) -> int:
    """Return an offset whose record is not after `position`, found by bisection; 0 without such a record."""
    low, high = source.bounds()
    while high - low > NEAR:
        middle = (low + high) // 2
        record = record_at(source, middle)
        if record is not None and record.position <= position:
            low = middle
        else:
            high = middle
    record = record_at(source, low)
    return low if record is not None and record.position <= position else 0
