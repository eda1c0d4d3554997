"""The scheduled watch: it records facts that come with time, and judges closed shifts in another process."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from backoffice.house.celery_worker_wiring import WorkerParts
from backoffice.installation import dependency_injection
from events import catalogue
from events.accounting.event_types.day_close import DayClosed
from events.alerts.system_recorded_event_types import ChanceJudged, IntegrityFailed, TimePassed
from events.controls.slip_issued_event import SlipIssued
from events.errors import Retry
from events.relay import witness_delivery
from events.tables.event_types.session import SessionClosed
from tests.support.houses.sample_event_streams import DAY, PROPERTY, History, SampleTableDay, keep
from workers import tasks
from workers.celery_app import app, of_celery

parts = WorkerParts()
UNTIL_JUDGED_S = 60


@pytest.fixture(autouse=True)
def _own_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_PROPERTY", PROPERTY)
    monkeypatch.setenv("PITLEDGER_STORE", f"sqlite:///{tmp_path / 'events.sqlite3'}")
    monkeypatch.delenv("PITLEDGER_KAFKA", raising=False)
    dependency_injection.close()
    parts.store.create()
    yield
    dependency_injection.close()


def surveillance_events() -> list[Any]:
    stream = parts.store.stream(f"{PROPERTY}/surveillance")
    return [catalogue.decode(event.type, event.raw).data for event in stream]


def test_it_is_on_the_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    app.loader.import_default_modules()
    assert "pitledger.watch" in app.tasks
    monkeypatch.setenv("PITLEDGER_WATCH_S", "30")
    assert of_celery()["beat_schedule"]["watch"]["schedule"] == 30.0


def test_a_slip_of_long_ago_is_said_once() -> None:
    history = History()
    issued = SlipIssued(
        kind="fill", year="2026", slip=1, gaming_day=DAY, table="R1", request="r1", chips={}, amount_minor=0
    )
    history.append(f"cage/{DAY}", issued, actorrole="cage")
    keep(parts.store, history)
    with capture_logs() as logs:
        for _ in range(2):
            tasks.watch()
    assert [type(event) for event in surveillance_events()] == [TimePassed]
    assert [log["event"] for log in logs] == ["slips are open, or draws unrevealed, for too long"]


def test_what_was_closed_is_judged_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "backoffice.settings")  # those of the tests put our store aside
    history = History()
    table = SampleTableDay(history).open()
    table.bet(1_000, 1_000)
    table.say(SessionClosed, closer={}, amount_minor=0, expected_minor=0)
    closed = DayClosed(gaming_day=DAY, position=1, layout=2, digest="0" * 64)
    history.append(f"days/{DAY}", closed, actorrole="accountant")
    keep(parts.store, history)
    until = time.monotonic() + UNTIL_JUDGED_S
    while len(surveillance_events()) < 2 and time.monotonic() < until:
        tasks.watch()
        time.sleep(0.2)
    assert [(type(event), event.kind) for event in surveillance_events()] == [
        (ChanceJudged, "hold"),
        (ChanceJudged, "luck"),
    ]


def test_after_a_count_chips_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = list[int]()

    def judge(_parts: WorkerParts) -> bool:
        begun.append(1)
        return len(begun) > 1  # at first one is still at it

    monkeypatch.setattr(WorkerParts, "judge", judge)
    history = History()
    SampleTableDay(history).open()
    keep(parts.store, history)
    for _ in range(4):
        tasks.watch()
    assert len(begun) == 2, "again while the last one runs, and then no more"


def test_a_store_that_does_not_answer_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise Retry("away")

    monkeypatch.setattr(tasks, "say_late", fail)
    with capture_logs() as logs:
        tasks.watch()
    assert [(log["log_level"], log["why"]) for log in logs] == [("info", "away")]


def test_a_witness_that_was_never_reached_is_said_once_it_was_tried_for_long(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    where = (tmp_path / "drop").as_uri()
    monkeypatch.setenv("PITLEDGER_WITNESS", where)
    dependency_injection.close()
    (tmp_path / "drop").mkdir()
    (tmp_path / "drop" / f"heads.{PROPERTY}.jsonl").write_text("what?\n")
    tasks.hand_over()
    assert surveillance_events() == []
    first = witness_delivery.last_contact(where)
    assert first is not None
    assert (first.reached, first.since) == ("", first.tried)
    long_ago = "2026-01-01T00:00:00.000Z"
    witness_delivery.note(msgspec.structs.replace(first, since=long_ago))
    for _ in range(2):
        tasks.hand_over()
    [failure] = surveillance_events()
    assert (failure.kind, failure.thing) == ("witness", long_ago)


def test_a_witness_that_was_not_reached_for_long_is_said_once_for_each_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    where = (tmp_path / "drop").as_uri()
    monkeypatch.setenv("PITLEDGER_WITNESS", where)
    dependency_injection.close()
    (tmp_path / "drop").mkdir()
    (tmp_path / "drop" / f"heads.{PROPERTY}.jsonl").write_text("what?\n")
    for reached in ("2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"):
        witness_delivery.note(witness_delivery.Standing(where=where, last=1, reached=reached, tried=reached))
        tasks.hand_over()
    failures = surveillance_events()
    assert [type(failure) for failure in failures] == [IntegrityFailed, IntegrityFailed]
    assert [failure.thing for failure in failures] == ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"]
    assert failures[0].findings[0].startswith(f"the witness {where} was not reached since 2026-01-01")


def test_a_witness_that_was_reached_today_is_nobodys_alarm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    where = (tmp_path / "drop").as_uri()
    monkeypatch.setenv("PITLEDGER_WITNESS", where)
    dependency_injection.close()
    (tmp_path / "drop").mkdir()
    (tmp_path / "drop" / f"heads.{PROPERTY}.jsonl").write_text("what?\n")
    now = parts.store.clock()
    witness_delivery.note(witness_delivery.Standing(where=where, last=1, reached=now, tried=now))
    tasks.hand_over()
    assert surveillance_events() == []
