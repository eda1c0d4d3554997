"""Work without a task broker: beat runs the due tasks itself, and a sender of tasks does not wait."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from celery.beat import ScheduleEntry, SchedulingError
from celery.worker.consumer import Consumer
from structlog.testing import capture_logs

from backoffice.installation.non_blocking_task_sender import Outbox
from tests.support.processes.relays_and_topic_readers import within
from workers import worker_and_beat_during_broker_outage
from workers.celery_app import app, of_celery
from workers.worker_and_beat_during_broker_outage import PatientConsumer, Scheduler, reached


class Errand:
    """A task that counts how often it was done at once."""

    def __init__(self) -> None:
        self.done = 0

    def apply(self) -> None:
        self.done += 1


@pytest.fixture
def errand(monkeypatch: pytest.MonkeyPatch) -> Errand:
    errand_ = Errand()
    monkeypatch.setitem(app.tasks, "toy.errand", errand_)
    return errand_


@pytest.fixture
def beat(tmp_path: Path) -> Scheduler:
    return Scheduler(app, schedule_filename=str(tmp_path / "schedule"), lazy=True)


def entry() -> ScheduleEntry:
    return ScheduleEntry(name="errand", task="toy.errand", schedule=1.0, app=app)


def sending(monkeypatch: pytest.MonkeyPatch, beat: Scheduler, *answers: Exception | None) -> list[str]:
    """Give the broker's answers to beat, one for each task, and return the sent tasks."""
    sent: list[str] = []
    remaining = list(answers)

    def apply_async(entry: ScheduleEntry, **_: object) -> None:
        sent.append(entry.task)
        if (error := remaining.pop(0)) is not None:
            raise error

    monkeypatch.setattr(beat, "apply_async", apply_async)
    return sent


WAITS = "it waits for the task broker (PITLEDGER_CELERY): refused"


@contextmanager
def hearing() -> Iterator[list[tuple[str, str]]]:
    """Collect the senders and reasons of the broker's signals during the block."""
    signals: list[tuple[str, str]] = []

    def hear(sender: str, why: str, **_: object) -> None:
        signals.append((sender, why))

    reached.connect(hear, weak=False, dispatch_uid="test")
    try:
        yield signals
    finally:
        reached.disconnect(hear, dispatch_uid="test")


AWAY = SchedulingError("refused")


def test_beat_does_what_it_cannot_send_and_says_so_once(
    monkeypatch: pytest.MonkeyPatch, beat: Scheduler, errand: Errand
) -> None:
    monkeypatch.setattr(worker_and_beat_during_broker_outage, "LATER_S", 0.0)
    sent = sending(monkeypatch, beat, None, AWAY, AWAY, None, None)
    with capture_logs() as logs, hearing() as heard:
        for _ in range(5):
            beat.apply_entry(entry())
    assert (len(sent), errand.done) == (5, 2)
    assert heard == [("beat", WAITS), ("beat", "")]
    assert [log["log_level"] for log in logs] == ["warning", "info"]
    assert "refused" in logs[0]["why"]


def test_a_broker_that_was_away_is_left_alone_for_a_while(
    monkeypatch: pytest.MonkeyPatch, beat: Scheduler, errand: Errand
) -> None:
    sent = sending(monkeypatch, beat, AWAY)
    for _ in range(4):
        beat.apply_entry(entry())
    assert (len(sent), errand.done) == (1, 4)


class RefusedConnection:
    """One that is refused twice."""

    def ensure_connection(self, errback: Callable[[Exception, float], None], **_: Any) -> "RefusedConnection":
        for _number in range(2):
            errback(OSError("refused"), 2.0)
        return self


def test_the_worker_says_for_what_it_waits_and_when_no_longer() -> None:
    connection = RefusedConnection()
    with hearing() as heard:
        assert PatientConsumer.ensure_connected(PatientConsumer.__new__(PatientConsumer), connection) is connection
    assert heard == [("worker", WAITS)] * 2 + [("worker", "")]


def test_a_task_that_cannot_be_struck_off_is_a_lost_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """If tasks hid the error, the worker would wait permanently and take no other task."""
    worker, swallowed = PatientConsumer.__new__(PatientConsumer), list[tuple[type[Exception], ...]]()
    worker.connection_errors = (OSError,)
    monkeypatch.setattr(Consumer, "update_strategies", lambda self: swallowed.append(self.connection_errors))
    worker.update_strategies()
    assert (swallowed, worker.connection_errors) == ([()], (OSError,))


def test_worker_and_beat_are_these(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_CELERY", "redis://127.0.0.1:6379/0")
    options = of_celery()
    assert (options["worker_consumer"], options["beat_scheduler"]) == (
        "workers.worker_and_beat_during_broker_outage:PatientConsumer",
        "workers.worker_and_beat_during_broker_outage:Scheduler",
    )
    assert options["broker_transport_options"]["socket_timeout"] == 5.0


def test_who_sends_a_task_waits_for_no_broker(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hangs, asked_event = threading.Event(), threading.Event()

    def send_task(name: str, kwargs: dict[str, str]) -> None:
        asked_event.set()
        hangs.wait(60.0)
        raise OSError("refused")

    monkeypatch.setattr(app, "send_task", send_task)
    outbox = Outbox(room=2)
    with caplog.at_level(logging.WARNING, "backoffice.installation.non_blocking_task_sender"):
        outbox.put("toy", {"number": "0"})
        assert asked_event.wait(60.0)
        for number in range(1, 4):
            outbox.put("toy", {"number": str(number)})
        assert [record.getMessage() for record in caplog.records] == [
            "task toy was not sent, the sweep will do its work: too many tasks wait"
        ]
        hangs.set()
        within(lambda: len(caplog.records) == 4, "they are not given up")
