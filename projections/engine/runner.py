"""The projector's loop: events from Kafka, batch by batch, into the read models.

It survives the broker and the database going away and coming back, and somebody else switching a rebuilt projection
in. It ends on a stop, on too much poison, and where a read model belongs to another version.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

import structlog
from django.db import InterfaceError, OperationalError, connections

from events.collector import seldom_collected
from events.errors import Retry
from events.relay.records import Record
from projections.engine.apply import Applied, Applier, Hint, Moved
from projections.engine.tasks import TaskPort, send_all

log = structlog.get_logger(__name__)

BATCH_MAX = 1_000
ANNOUNCE_S = 1.0
BACK_OFF_S = (0.1, 5.0)


class Source(Protocol):
    """Where events come from: `events.relay.tail.Tail`, or a list in a test."""

    def read(
        self, after_position: int, hint: tuple[str, int] | None = None, wait_s: float = 0.1
    ) -> Iterable[list[Record]]:
        """Batches beyond a position, in the store's order; an empty one when there is nothing to read for now."""

    def close(self) -> None:
        """Hang up."""


Tell = Callable[..., None]  # says to whoever keeps the projector running how far it has come


def tell_nobody(**_: object) -> None:
    """For a projector that nobody watches."""


class Runner:
    """One process's projectors."""

    def __init__(self, applier: Applier, source: Source, send: TaskPort, tell: Tell = tell_nobody) -> None:
        self.applier = applier
        self._source = source
        self._send = send
        self._tell = tell
        self._said = 0.0
        self._is_ready = False

    def run(self, stop: threading.Event) -> None:
        """Until `stop`. Raises TooMuchPoison, OtherVersion and OtherHistory, for whoever keeps the system."""
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
                for _ in self._follow(stop):
                    back_off = BACK_OFF_S[0]
            except Moved as moved:
                log.info("the read models are read again", why=str(moved))
            except (OperationalError, InterfaceError, Retry) as error:
                log.warning("a database does not answer", error=str(error), in_s=back_off)
                connections[self.applier.target.using].close()
                stop.wait(back_off)
                back_off = min(back_off * 2, BACK_OFF_S[1])

    def _follow(self, stop: threading.Event) -> Iterator[int]:
        """Apply batch after batch; gives the position after each."""
        hint = self.applier.hint
        start = (hint.incarnation, hint.offset) if hint.offset >= 0 else None
        for batch in self._source.read(self.applier.position, start):
            for records in _parts(batch):
                self.step(records)
                yield self.applier.position
            self._report(caught_up=len(batch) < BATCH_MAX)
            if stop.is_set():
                return

    def step(self, records: Sequence[Record]) -> Applied:
        """One batch: applied and committed, then the tasks are sent."""
        last = records[-1]
        applied = self.applier.apply(records, Hint(last.incarnation, last.offset))
        if applied.poisoned:
            log.error("events were put aside", events=applied.poisoned, position=self.applier.position)
        send_all(self._send, applied.tasks)
        return applied

    def _report(self, *, caught_up: bool) -> None:
        """The status file: written when everything is read for the first time, then about once a second."""
        now = time.monotonic()
        if not self._is_ready and not caught_up:
            return
        if not self._is_ready or now - self._said >= ANNOUNCE_S:
            self._tell(position=self.applier.position, caught_up=caught_up)
            self._said, self._is_ready = now, True


def _parts(batch: list[Record]) -> Iterator[list[Record]]:
    for first in range(0, len(batch), BATCH_MAX):
        yield batch[first : first + BATCH_MAX]
