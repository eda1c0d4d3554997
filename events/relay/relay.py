"""The relay: event store to Kafka, the same bytes in the same order, one relay at a time.

It continues after the topic's last record. A topic that comes back empty, as the embedded broker does after a crash,
is filled again from the store under a new incarnation. The relay stores no position: the topic itself shows it.
"""

import contextlib
import logging
import signal
import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

import structlog

from events.envelope import digest
from events.error_codes import coded
from events.errors import Conflict, Damaged, Retry
from events.relay.event_sender_to_kafka import Sender, TooLarge, batches
from events.relay.event_topic_reader_and_setup import (
    TopicLog,
    begins_at,
    ensure_topic,
    last_record,
    new_incarnation,
    partition_of,
    record_at,
)
from events.relay.polling_intervals import RelayPace, TopicChecks, seconds_to_next_look
from events.relay.relay_lock_by_store import RelayLock, lock_for
from events.relay.topic_records import TopicRecord
from events.runtime import metric_counters, tracing
from events.runtime.garbage_collection import seldom_collected
from events.store import MAX_BATCH, EventStore, Stored, open_store
from events.store.property_owner_check import must_be_of
from events.store.wakeup_on_append_across_processes import News, NoNews, news_of

CHECK_S = 0.5  # interval between checks of the lock
BACK_OFF_S = (0.1, 5.0)
LOCK_AGAIN_S = 0.25

log = structlog.get_logger(__name__)


class RelayProgress(Protocol):
    """Report to the relay's supervisor: it works, and this is its last event with its place on the topic."""

    def __call__(self, *, position: int, offset: int, incarnation: str, events_per_s: int) -> object: ...


def tell_nobody(**_: object) -> None:
    """Do nothing, for a relay without an observer."""


class Relay:
    """Sender of one store's events to its property's partition, until its stop."""

    def __init__(
        self,
        store: EventStore,
        bootstrap: str,
        property_: str,
        lock: RelayLock,
        tell: RelayProgress = tell_nobody,
        news: Callable[[], News] = NoNews,
    ) -> None:
        self._store = store
        self._bootstrap = bootstrap
        self._partition = partition_of(property_)
        self._lock = lock
        self._tells = tell
        self._news = news
        self.position = 0

    def run(self, stop: threading.Event) -> None:
        """Work until `stop`. Raises Conflict where topic and store do not agree, Damaged; survives all else."""
        back_off, last_error = BACK_OFF_S[0], ""
        try:
            while self._wait_for_lock(stop):
                began_s = time.monotonic()
                try:
                    with (
                        _Passage(self._store, self._bootstrap, self._partition) as passage,
                        contextlib.closing(self._news()) as news,
                    ):
                        self._pass_on(passage, news, stop)
                except TooLarge as error:
                    if last_error != str(error):  # once: the check is repeated until it fits
                        last_error = str(error)
                        log.critical("the relay stands still: an event does not go out", why=last_error)
                    stop.wait(BACK_OFF_S[1])
                except Damaged:  # waiting makes nothing whole
                    raise
                except Retry as error:
                    if time.monotonic() - began_s > BACK_OFF_S[1]:
                        back_off = BACK_OFF_S[0]
                    metric_counters.server_is_away("store" if "store" in str(error) else "kafka", str(error))
                    log.warning("the relay starts again", why=str(error), in_s=back_off, position=self.position)
                    stop.wait(back_off)
                    back_off = min(back_off * 2, BACK_OFF_S[1])
        finally:
            self._lock.release()

    def _wait_for_lock(self, stop: threading.Event) -> bool:
        """True when we may work, False when we are to stop."""
        is_logged = False
        while not stop.is_set():
            try:
                if self._lock.acquire():
                    return True
            except Retry as error:
                log.warning("the relay's lock cannot be had", why=str(error))
            if not is_logged:
                log.info("another relay is at work: waiting")
                is_logged = True
            stop.wait(LOCK_AGAIN_S)
        return False

    def _pass_on(self, passage: "_Passage", news: News, stop: threading.Event) -> None:
        """Send stored and new events, until `stop` or until the topic or the lock has changed."""
        self._tell(passage)
        for server in ("store", "kafka"):
            metric_counters.server_answers(server)
        checked_s, sent_count, is_notified = time.monotonic(), 0, False
        pace = RelayPace(is_told=not isinstance(news, NoNews))
        topic = TopicChecks(checked_s)
        while not stop.is_set():
            looked = time.monotonic()
            count = passage.send_next(stop)
            sent_count += count
            if count:
                metric_counters.count(metric_counters.RELAYED, amount=count)
            self.position = passage.position
            if (now := time.monotonic()) - checked_s > CHECK_S:
                if not self._lock.held():
                    raise Retry(coded("relay-lock-lost"))
                if sent_count:
                    self._tell(passage, events_per_s=round(sent_count / (now - checked_s)))
                checked_s, sent_count = now, 0
            if topic.is_due(now, is_pause=not count):
                passage.check()
            pause = pace.after(is_told=is_notified, has_found=bool(count))
            if count < MAX_BATCH:  # a full one is followed by the next at once
                is_notified = news.wait(pause, stop)
                stop.wait(max(looked + seconds_to_next_look(count) - time.monotonic(), 0.0))

    def _tell(self, passage: "_Passage", events_per_s: int = 0) -> None:
        self.position = passage.position
        position, offset, incarnation = passage.position, passage.offset, passage.incarnation
        log.info("relayed", events_per_s=events_per_s, position=position, offset=offset, incarnation=incarnation)
        self._tells(events_per_s=events_per_s, position=position, offset=offset, incarnation=incarnation)


class _Passage:
    """The relay's work from one read of the topic's last record to the first failure."""

    def __init__(self, store: EventStore, bootstrap: str, partition: int) -> None:
        self._store = store
        ensure_topic(bootstrap, partition)
        self._log = TopicLog(bootstrap, partition)
        try:
            self._find_start()
            self._sender = Sender(bootstrap, partition)
        except BaseException:
            self._log.close()
            raise

    def __enter__(self) -> "_Passage":
        return self

    def __exit__(self, *_: object) -> None:
        self._sender.close()
        self._log.close()

    def _find_start(self) -> None:
        last = last_record(self._log)
        end = self._log.end or 0
        self.offset = end - 1  # of the last record, the project's or not
        self._last_offset: int | None
        self._last_digest: bytes
        if last is None:
            self._begin(end, "the topic is empty")
            return
        self._must_be_ours(last)
        if not self._is_whole(last.incarnation):
            self._begin(end, "the topic has lost its beginning")
            return
        self.position, self.incarnation = last.position, last.incarnation
        self._last_offset, self._last_digest = last.offset, digest(last.raw)

    def _begin(self, offset: int, reason: str) -> None:
        self.position, self.incarnation = 0, new_incarnation(offset)
        self._last_offset, self._last_digest = None, b""
        if self._store.position():
            log.info("the topic is filled from the store", why=reason, incarnation=self.incarnation)

    def _must_be_ours(self, record: TopicRecord) -> None:
        """Both are read, the record and the event: the relay never adds to another store's topic."""
        stored = self._store.after(record.position - 1, 1, until=record.position)
        if not stored or stored[0].raw != record.raw:
            raise Conflict(coded("topic-of-another-store", position=record.position, stream=record.stream))

    def _is_whole(self, incarnation: str) -> bool:
        """Return whether this life of the topic still has its first record, which is the store's first event."""
        offset = begins_at(incarnation)
        first = None if offset is None else record_at(self._log, offset)
        return first is not None and first.incarnation == incarnation and first.previous == 0

    def send_next(self, stop: threading.Event) -> int:
        """Send the store's next events, at most MAX_BATCH; returns how many. Raises Retry, Conflict."""
        events = self._next()
        for batch in batches(events):
            began_ns = time.time_ns()
            self._sender.send(batch, self.position, self.offset + 1, self.incarnation, stop)
            if tracing.is_on():
                _trace(batch, began_ns)
            self.position, self.offset = batch[-1].position, self.offset + len(batch)
            self._last_offset, self._last_digest = self.offset, digest(batch[-1].raw)
        return len(events)

    def _next(self) -> list[Stored]:
        """Return the next events of the store after the last one sent, which must still be there.

        It is gone where a person has restored the store from a backup meanwhile: the next events are another history.
        """
        if self.position == 0:
            return self._store.after(0, MAX_BATCH)
        events = self._store.after(self.position - 1, MAX_BATCH + 1)
        if not events or events[0].position != self.position or digest(events[0].raw) != self._last_digest:
            raise Conflict(coded("sent-event-missing", position=self.position))
        return events[1:]

    def check(self) -> None:
        """Raise Retry where our last record is not on the topic any more: it was emptied, or begun again."""
        if self._last_offset is None:
            return
        record = record_at(self._log, self._last_offset)
        if record is None or (record.position, record.incarnation) != (self.position, self.incarnation):
            raise Retry(coded("topic-lost-last-record"))


def _trace(batch: Sequence[Stored], began_ns: int) -> None:
    """A span for each append that the batch holds events of."""
    appends = {tracing.place("relay", event.raw): event.raw for event in batch}
    for span, raw in appends.items():
        tracing.emit("relay", span, began_ns, tracing.place("append", raw).span, position=batch[-1].position)


def serve(
    bootstrap: str,
    property_: str,
    store_url: str | None = None,
    tell: RelayProgress = tell_nobody,
    stop: threading.Event | None = None,
) -> None:
    """Relay the store (default: PITLEDGER_STORE) until SIGTERM or Ctrl-C. Raises Conflict as `Relay.run` does.

    `stop` is called in every turn of its loop, which also shows its owner that the relay makes progress.
    """
    stop = stop or threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    # The library's messages about an absent broker come several times a second; the relay's own are enough.
    logging.getLogger("kafka").setLevel(logging.CRITICAL)
    store = open_store(store_url)
    try:
        must_be_of(store, property_)
        with seldom_collected():
            Relay(store, bootstrap, property_, lock_for(store_url), tell, lambda: news_of(store_url)).run(stop)
    finally:
        store.close()
