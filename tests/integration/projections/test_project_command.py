"""The projector as a process of its own, between a real broker and real read models."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from backoffice.running.database_and_mail_settings import ROOT
from backoffice.running.status_files import last_status
from events.store import EventStore, open_store
from projections.engine.models import Reader
from projections.engine.projection_positions_and_wait import wait_for
from projections.eventlog.models import EventLog
from projections.invariants import findings
from projections.registry import PROJECTORS
from projections.tables.projector import TablesProjector
from tests.servers.ports import free_port
from tests.support.houses.sample_event_streams import History, busy_floor, keep
from tests.support.processes.child_broker import EmbeddedBroker
from tests.support.processes.relays_and_topic_readers import DEADLINE_S, relaying, within
from tests.support.processes.scratch_databases import read_models
from tests.support.records import progressive_timeline_recorder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    store = open_store(f"sqlite:///{tmp_path / 'events.sqlite3'}")
    store.create()
    yield store
    store.close()


@pytest.fixture
def using(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    with django_db_blocker.unblock(), read_models(f"sqlite:///{tmp_path / 'read.sqlite3'}") as alias:
        yield alias


@contextmanager
def projector(data: Path, kafka: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run `manage.py project`, and always end it after the test."""
    env = {
        **os.environ,
        "PITLEDGER_DATA": str(data),
        "PITLEDGER_KAFKA": kafka,
        "DJANGO_SETTINGS_MODULE": "backoffice.settings",
    }
    for name in ("PITLEDGER_READ", "PITLEDGER_STORE"):
        env.pop(name, None)
    with (data / "project.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "project"], env=env, stdout=log, stderr=log
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def test_nothing_is_lost_or_doubled_whoever_is_killed(tmp_path: Path, store: EventStore, using: str) -> None:
    history = progressive_timeline_recorder.Recorder(progressive_timeline_recorder.cases()[8]["given"]).history
    keep(store, history)
    begun = len(history.events)
    list(busy_floor(history, tables=4, rounds=10))
    with EmbeddedBroker(tmp_path, free_port()) as broker, relaying(store, broker.bootstrap):
        with projector(tmp_path, broker.bootstrap) as first:
            assert wait_for(store.position(), DEADLINE_S, PROJECTORS, using=using)
            within(
                lambda: last_status("project", data=tmp_path).get("pid") == first.pid, "it never said that it is ready"
            )
            first.send_signal(signal.SIGKILL)
            first.wait()
        keep(store, history, after=begun)
        broker.kill()
        broker.start()
        with projector(tmp_path, broker.bootstrap) as second:
            assert wait_for(store.position(), DEADLINE_S, PROJECTORS, using=using)
            broker.kill()
            broker.start()
            count = len(history.events)
            list(busy_floor(history, tables=1, rounds=2))
            keep(store, history, after=count)
            assert wait_for(store.position(), DEADLINE_S, PROJECTORS, using=using)
            second.send_signal(signal.SIGTERM)
            assert second.wait(DEADLINE_S) == 0
    assert last_status("project", data=tmp_path)["stopped"] is True
    rows = EventLog.objects.using(using).order_by("position").values_list("position", "raw")
    assert [(position, bytes(raw)) for position, raw in rows] == [
        (event.position, event.raw) for event in store.after(0, 10_000)
    ]
    assert set(Reader.objects.using(using).filter(projection__in=PROJECTORS).values_list("position", flat=True)) == {
        store.position()
    }
    assert findings(using) == []


def test_read_models_of_another_version_end_the_process_with_a_clear_message(
    tmp_path: Path, store: EventStore, using: str
) -> None:
    history = History()
    list(busy_floor(history, tables=1, rounds=1))
    keep(store, history)
    Reader.objects.using(using).create(projection="tables", property="athens", version=99)
    with EmbeddedBroker(tmp_path, free_port()) as broker, projector(tmp_path, broker.bootstrap) as process:
        assert process.wait(DEADLINE_S) == 1
    assert (
        f"is of version 99, its projector of version {TablesProjector.version}: ./manage.py rebuild tables "
        in (tmp_path / "project.log").read_text()
    )
