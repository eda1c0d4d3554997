"""The projector's loop: events from Kafka, batch by batch, into the read models.

It survives an outage of the broker or the database, and the switch to a rebuilt projection. It ends on a stop, on too
many quarantined events, and where a read model belongs to another version.
"""

import re
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Protocol

import msgspec
import structlog
from django.db import InterfaceError, OperationalError, ProgrammingError, connections

from events.error_codes import coded
from events.errors import Conflict, Damaged, Retry
from events.relay.topic_records import TopicRecord
from events.runtime import clock, metric_counters, tracing
from events.runtime.garbage_collection import seldom_collected
from projections.engine.batch_applier import Applier, BatchResult, Hint, ReaderMoved
from projections.engine.decoded_events import JustRead
from projections.engine.worker_task_sending_after_batch import TaskSender, send_all

log = structlog.get_logger(__name__)

BATCH_MAX = 1_000
ANNOUNCE_S = 1.0
BACK_OFF_S = (0.1, 5.0)
_NO_ROOM = re.compile(r"disk is full|could not extend file|No space left on device")
_NO_TABLES = re.compile(r'no such table|relation "\S+" does not exist')  # error texts of SQLite and PostgreSQL


class EventSource(Protocol):
    """Source of events: `events.relay.gapless_event_topic_reader.TopicTail`, or a list in a test."""

    def read(
        self, after_position: int, hint: tuple[str, int] | None = None, wait_s: float = 0.1
    ) -> Iterable[list[TopicRecord]]:
        """Yield batches after a position, in the store's order; an empty one while no event is available."""

    def close(self) -> None:
        """Hang up."""


class ProjectorProgress(Protocol):
    """Report to the projector's supervisor: its position, whether it has read everything, whether it has stopped."""

    def __call__(self, *, position: int, caught_up: bool = False, stopped: bool = False) -> object: ...


def tell_nobody(**_: object) -> None:
    """Announce nothing, for a projector without a supervisor."""


class BetweenBatches(Protocol):
    """Work done when everything is read: short, unless no event came for a while (`is_idle`).

    `read` holds the events of the last batch.
    """

    def __call__(self, *, is_idle: bool, read: JustRead | None = None) -> None: ...


def do_nothing(*, is_idle: bool, read: JustRead | None = None) -> None:
    """Do nothing between batches."""


class Runner:
    """Loop of one process's projectors, and of the work between their batches."""

    def __init__(
        self,
        applier: Applier,
        source: EventSource,
        send: TaskSender,
        tell: ProjectorProgress = tell_nobody,
        between_batches: BetweenBatches = do_nothing,
    ) -> None:
        self.applier = applier
        self._between_batches = between_batches
        self._source = source
        self._send = send
        self._tell = tell
        self._announced_at = 0.0
        self._is_ready = False
        self._has_no_room = False

    def run(self, stop: threading.Event) -> None:
        """Project until `stop`. Raises TooMuchPoison, OtherVersion and OtherHistory, which need an operator."""
        with seldom_collected():
            self._run(stop)
        self._source.close()
        if self._is_ready:
            self._tell(position=self.applier.position, stopped=True)

    def _run(self, stop: threading.Event) -> None:
        back_off = BACK_OFF_S[0]
        while not stop.is_set():
            try:
                self.applier.target.commit_without_waiting()
                self.applier.load()
                for server in ("store", "read"):
                    metric_counters.server_answers(server)
                for _ in self._follow(stop):
                    back_off, self._has_no_room = BACK_OFF_S[0], False
                    metric_counters.server_answers("read")
            except ReaderMoved as moved:
                log.info("the read models are read again", why=str(moved))
            except (OperationalError, InterfaceError, ProgrammingError, Retry) as error:
                _must_be_passing(error)
                metric_counters.server_is_away(
                    "store" if isinstance(error, Retry) else "read", str(error).partition("\n")[0]
                )
                self._complain(error, back_off)
                connections[self.applier.target.using].close()
                stop.wait(back_off)
                back_off = min(back_off * 2, BACK_OFF_S[1])

    def _complain(self, error: Exception, in_s: float) -> None:
        """Log a full disk once, with its remedy; other errors pass by themselves."""
        if not _NO_ROOM.search(str(error)):
            log.warning("a database does not answer", error=str(error), in_s=in_s)
        elif not self._has_no_room:
            self._has_no_room = True
            remedy = "make room on the disk of the read models (PITLEDGER_READ): the projector goes on by itself"
            log.error("the read models have no room", error=str(error).partition("\n")[0], then=remedy)

    def _follow(self, stop: threading.Event) -> Iterator[int]:
        """Apply batch after batch; gives the position after each."""
        hint = self.applier.hint
        start = (hint.incarnation, hint.offset) if hint.offset >= 0 else None
        for batch in self._source.read(self.applier.position, start):
            read = None
            for records in _batch_parts(batch):
                read = self.step(records).read
                yield self.applier.position
            self._report(caught_up=len(batch) < BATCH_MAX)
            if len(batch) < BATCH_MAX:
                self._between_batches(is_idle=not batch, read=read)
            if stop.is_set():
                return

    def step(self, records: Sequence[TopicRecord]) -> BatchResult:
        """Apply and commit one batch, then send its tasks."""
        last = records[-1]
        began_ns = time.time_ns()
        with tracing.working_for(tracing.parsed(last.trace) if tracing.is_on() else None):
            applied = self.applier.apply(records, Hint(last.incarnation, last.offset))
        _measure(records, applied.new)
        if tracing.is_on():
            _trace(records, began_ns)
        if applied.poisoned:
            log.error("events were put aside", events=applied.poisoned, position=self.applier.position)
        send_all(self._send, applied.tasks)
        return applied

    def _report(self, *, caught_up: bool) -> None:
        """The status file: written when everything is read for the first time, then about once a second."""
        now = time.monotonic()
        if not self._is_ready and not caught_up:
            return
        if not self._is_ready or now - self._announced_at >= ANNOUNCE_S:
            self._tell(position=self.applier.position, caught_up=caught_up)
            self._announced_at, self._is_ready = now, True


class _RecordingTime(msgspec.Struct):
    recordedat: datetime


_moment = msgspec.json.Decoder(_RecordingTime)


def _trace(records: Sequence[TopicRecord], began_ns: int) -> None:
    """A span for each append that the batch holds events of, below the relay's."""
    appends = {record.trace: record for record in records if record.trace}
    for header, record in appends.items():
        if (relayed := tracing.parsed(header)) is not None:
            span = tracing.SpanPlace(relayed.trace, tracing.place("project", record.raw).span)
            tracing.emit("project", span, began_ns, relayed.span, position=records[-1].position)


def _measure(records: Sequence[TopicRecord], new: int) -> None:
    """Count the applied events, and measure the present age of the oldest one, on the house's clock."""
    if not new:
        return
    metric_counters.count(metric_counters.PROJECTED, amount=new)
    try:
        oldest = _moment.decode(records[-new].raw).recordedat
    except msgspec.MsgspecError:  # it was quarantined
        return
    metric_counters.observe(metric_counters.END_TO_END, (clock.moment() - oldest).total_seconds())


def _must_be_passing(error: Exception) -> None:
    """Raise Conflict for missing tables, Damaged for a damaged database: waiting repairs neither."""
    if isinstance(error, Damaged):
        raise error
    if _NO_TABLES.search(str(error)):
        why = str(error).partition("\n")[0]
        raise Conflict(coded("read-models-missing", why=why)) from error
    if isinstance(error, ProgrammingError):
        raise error


def _batch_parts(batch: list[TopicRecord]) -> Iterator[list[TopicRecord]]:
    for first in range(0, len(batch), BATCH_MAX):
        yield batch[first : first + BATCH_MAX]
