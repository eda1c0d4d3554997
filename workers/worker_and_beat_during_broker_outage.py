"""Behaviour of worker and beat while the task broker does not answer.

The worker logs it and retries every two seconds; beat does the due work itself. So jackpots are locked without a
broker, too, and heads are signed where beat has the signer's key.
"""

import time
from functools import cached_property
from typing import Any

import structlog
from celery.beat import PersistentScheduler, ScheduleEntry, SchedulingError
from celery.utils.dispatch import Signal
from celery.worker.consumer import Consumer
from celery.worker.state import maybe_shutdown

AGAIN_S = 2.0
LATER_S = 5.0  # beat asks again; with a broker that hangs, each question takes a while

log = structlog.get_logger(__name__)
reached = Signal(name="reached", providing_args={"why"})  # by the worker or by beat; or not, and `why`


class PatientConsumer(Consumer):  # type: ignore[misc]  # the library has no types
    """Consumer that tries to reach the broker without end. (The library's gives up, and tries ever more seldom.)"""

    connection_errors: tuple[type[Exception], ...]

    def ensure_connected(self, conn: Any) -> Any:
        connection = conn.ensure_connection(
            _is_away, interval_start=AGAIN_S, interval_step=0, interval_max=AGAIN_S, callback=maybe_shutdown
        )
        self.first_connection_attempt = False
        reached.send(sender="worker", why="")
        return connection

    def update_strategies(self) -> None:
        """Treat a finished task that cannot be acknowledged as a lost connection.

        The library logs that and continues, and waits permanently for the acknowledgement: no other task is taken. So
        tasks never see an error that they should ignore.
        """
        errors, self.connection_errors = self.connection_errors, ()
        try:
            super().update_strategies()
        finally:
            self.connection_errors = errors


def _is_away(error: Exception, _: float) -> None:
    _log_outage("worker", error)


def _log_outage(part: str, error: Exception) -> None:
    reached.send(sender=part, why=f"it waits for the task broker (PITLEDGER_CELERY): {error}")


class Scheduler(PersistentScheduler):  # type: ignore[misc]  # the library has no types
    """Scheduler that sends a due task, or runs it without a broker. Tasks may run anywhere, twice, at any time."""

    _away_until = 0.0  # no answer is expected earlier; 0 while the broker answers

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        """Send or run an entry that is due."""
        if not self._is_sent(entry, producer):
            self.app.tasks[entry.task].apply()

    @cached_property
    def producer(self) -> Any:
        """Return a producer that connects on first use. (The library's waits here until there is a broker.)"""
        return self.Producer(self.connection, auto_declare=False)

    def _is_sent(self, entry: ScheduleEntry, producer: Any) -> bool:
        if time.monotonic() < self._away_until:
            return False
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as error:
            if not self._away_until:
                log.warning("the task broker does not answer: beat does itself what is due", why=str(error))
                _log_outage("beat", error)
            self._away_until = time.monotonic() + LATER_S
            return False
        if self._away_until:
            log.info("the task broker answers again")
            reached.send(sender="beat", why="")
        self._away_until = 0.0
        return True
