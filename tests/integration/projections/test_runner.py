"""The projector's loop: tasks after the commit, a broken database or a rebuild on the way, a clean stop."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from django.db import OperationalError, connections

from backoffice.running.status_files import announce, last_status
from events.relay.topic_records import TopicRecord
from projections.engine.batch_applier import Applier, Hint
from projections.engine.bulk_writer import Changes, WriteTarget
from projections.engine.decoded_events import JustRead
from projections.engine.models import Reader
from projections.engine.runner import Runner
from projections.eventlog.models import EventLog
from projections.progressives.projector import RECONCILE
from projections.registry import PROJECTORS, projectors
from projections.tables.projector import TablesProjector
from tests.support.houses.sample_event_streams import History, SampleTableDay
from tests.support.records import progressive_timeline_recorder


class Topic:
    """A topic in memory: batches of seven; stops the runner when it was read to its end."""

    def __init__(self, history: History, stop: threading.Event) -> None:
        self.records = [
            TopicRecord(e.position, e.previous, e.stream, e.type, e.raw, e.offset, e.incarnation)
            for e in history.on_topic()
        ]
        self.queries: list[tuple[int, tuple[str, int] | None]] = []
        self.is_closed = False
        self._stop = stop

    def read(
        self, after_position: int, hint: tuple[str, int] | None = None, wait_s: float = 0.1
    ) -> Iterator[list[TopicRecord]]:
        self.queries.append((after_position, hint))
        records = [record for record in self.records if record.position > after_position]
        for first in range(0, len(records), 7):
            yield records[first : first + 7]
        self._stop.set()
        yield []

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def history() -> History:
    case = next(
        case for case in progressive_timeline_recorder.cases() if any("hit" in fact for fact in case["given"]["facts"])
    )
    return progressive_timeline_recorder.Recorder(case["given"]).history


class RecordingTaskPort:
    """A task port that keeps its tasks, and fails on demand."""

    def __init__(self, *, fail: bool = False) -> None:
        self.tasks: list[tuple[str, dict[str, str]]] = []
        self._fail = fail

    def __call__(self, name: str, /, **arguments: str) -> None:
        self.tasks.append((name, arguments))
        if self._fail:
            raise ConnectionError("nobody there")


def run(using: str, topic: Topic, stop: threading.Event, sent: RecordingTaskPort) -> Runner:
    applier = Applier(projectors(target=WriteTarget(using)), "athens")
    runner = Runner(applier, topic, sent, lambda **figures: announce("project", **figures))
    runner.run(stop)
    return runner


def test_reads_to_the_end_says_that_it_is_ready_and_stops(using: str, history: History, data: Path) -> None:
    stop = threading.Event()
    topic, sent = Topic(history, stop), RecordingTaskPort()
    runner = run(using, topic, stop, sent)
    last = history.events[-1].position
    assert runner.applier.position == last
    assert last_status("project", data=data)["position"] == last
    assert (topic.queries, topic.is_closed) == ([(0, None)], True)
    assert (RECONCILE, {"progressive": progressive_timeline_recorder.NAME}) in sent.tasks
    assert Reader.objects.using(using).filter(incarnation="0.first", offset=last - 1).count() == len(PROJECTORS)
    stop.clear()
    SampleTableDay(history, "R9").open()
    topic = Topic(history, stop)
    run(using, topic, stop, sent)
    assert topic.queries == [(last, ("0.first", last - 1))]


def test_a_task_that_cannot_be_sent_keeps_nothing_up(using: str, history: History, data: Path) -> None:
    stop = threading.Event()
    runner = run(using, Topic(history, stop), stop, RecordingTaskPort(fail=True))
    assert runner.applier.position == history.events[-1].position


def test_what_is_done_beside_waits_until_everything_is_read(using: str, history: History, data: Path) -> None:
    """The function between batches also gets the events read, each once."""
    stop, done, passed_on = threading.Event(), list[int](), list[int]()
    applier = Applier(projectors(target=WriteTarget(using)), "athens")

    def between_batches(*, is_idle: bool, read: JustRead | None = None) -> None:
        done.append(applier.position)
        passed_on.extend(event.position for event in (read.events if read is not None else []))

    Runner(applier, Topic(history, stop), RecordingTaskPort(), between_batches=between_batches).run(stop)
    assert done[-1:] == [history.events[-1].position]
    assert passed_on == [event.position for event in history.events][-len(passed_on) :] != []


def test_its_commits_do_not_wait_for_the_disk(using: str, history: History, data: Path) -> None:
    stop = threading.Event()
    run(using, Topic(history, stop), stop, RecordingTaskPort())
    with connections[using].cursor() as cursor:
        if connections[using].vendor == "postgresql":
            cursor.execute("SHOW synchronous_commit")
            assert cursor.fetchone() == ("off",)
        else:
            cursor.execute("PRAGMA synchronous")
            assert cursor.fetchone() == (1,), "NORMAL: a checkpoint waits, a commit does not"


def test_survives_a_database_that_goes_away(
    using: str, history: History, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = iter([True, False, True])
    ordinary = TablesProjector.changes

    def changes(self: TablesProjector) -> Sequence[Changes]:
        if next(failures, False):
            raise OperationalError("the connection is lost")
        return ordinary(self)

    monkeypatch.setattr(TablesProjector, "changes", changes)
    stop = threading.Event()
    topic = Topic(history, stop)
    run(using, topic, stop, RecordingTaskPort())
    assert [after for after, _ in topic.queries] == [0, 0, 7]
    assert EventLog.objects.using(using).count() == len(history.events)


def test_goes_on_where_somebody_else_has_moved_it(using: str, history: History, data: Path) -> None:
    stop = threading.Event()
    topic = Topic(history, stop)
    other = Applier(projectors(target=WriteTarget(using)), "athens")

    class MeddledTopic(Topic):
        def read(
            self, after_position: int, hint: tuple[str, int] | None = None, wait_s: float = 0.1
        ) -> Iterator[list[TopicRecord]]:
            if not self.queries:
                other.load()
                other.apply(topic.records[:8], Hint("0.first", 7))
            yield from super().read(after_position, hint, wait_s)

    meddled = MeddledTopic(history, stop)
    run(using, meddled, stop, RecordingTaskPort())
    assert meddled.queries == [(0, None), (8, ("0.first", 7))]
    assert EventLog.objects.using(using).count() == len(history.events)
