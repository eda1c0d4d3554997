"""The task that publishes heads: on a schedule, harmless where the broker is away or the store was cut off."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from structlog.testing import capture_logs

from backoffice.house.celery_worker_wiring import WorkerParts
from backoffice.installation import dependency_injection
from events.errors import Conflict, Retry
from events.integrity import signing_stop_note
from tests.unit.integrity.test_heads import say
from workers import tasks
from workers.celery_app import app, of_celery

parts = WorkerParts()


@pytest.fixture(autouse=True)
def _own_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_STORE", f"sqlite:///{tmp_path / 'events.sqlite3'}")
    monkeypatch.delenv("PITLEDGER_KAFKA", raising=False)
    dependency_injection.close()
    parts.store.create()
    yield
    dependency_injection.close()


def test_it_is_on_the_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    app.loader.import_default_modules()
    assert "pitledger.publish_head" in app.tasks
    monkeypatch.setenv("PITLEDGER_HEAD_S", "30")
    assert of_celery()["beat_schedule"]["head"]["schedule"] == 30.0


def test_a_head_is_kept_also_where_no_broker_runs() -> None:
    say(parts.store, 3)
    for _ in range(2):
        tasks.publish_head()
    assert len(parts.heads.after(0)) == 1
    say(parts.store, 1)
    tasks.publish_head()
    assert len(parts.heads.after(0)) == 2


@pytest.mark.parametrize(("error", "level"), [(Retry("away"), "warning"), (Conflict("cut off"), "error")])
def test_what_goes_wrong_is_said(monkeypatch: pytest.MonkeyPatch, error: Exception, level: str) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(tasks, "make_head", fail)
    with capture_logs() as logs:
        tasks.publish_head()
    assert [log["log_level"] for log in logs] == [level]


def test_health_says_that_no_head_can_be_signed_until_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    say(parts.store, 3)
    tasks.publish_head()
    assert signing_stop_note.signer_refusal() == ""
    with monkeypatch.context() as broken:
        broken.setattr(parts.heads.__class__, "last", lambda _: None)
        tasks.publish_head()
    assert "./manage.py heads --accept-restored" in signing_stop_note.signer_refusal()
    tasks.publish_head()
    assert signing_stop_note.signer_refusal() == ""


def test_beat_signs_and_backs_up_nothing_where_the_signer_is_another_container(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without a task broker beat runs the tasks itself. That is no reason to doubt the store."""
    say(parts.store, 3)
    monkeypatch.setenv("PITLEDGER_SIGNER_AT", "worker")
    monkeypatch.setenv("PITLEDGER_BACKUP", str(tmp_path / "backups"))
    dependency_injection.close()
    monkeypatch.setattr(WorkerParts, "backup", lambda _: pytest.fail("a backup began"))
    with capture_logs() as logs:
        tasks.publish_head()
        tasks.backup()
    assert logs == []
    assert parts.heads.after(0) == []
    assert signing_stop_note.signer_refusal() == ""


def test_heads_are_handed_to_the_witness_and_it_is_written_down_when(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "witness" not in of_celery()["beat_schedule"]
    tasks.hand_over()
    assert not (tmp_path / "witness.json").exists()
    monkeypatch.setenv("PITLEDGER_WITNESS", (tmp_path / "drop").as_uri())
    dependency_injection.close()
    assert of_celery()["beat_schedule"]["witness"]["task"] == "pitledger.hand_over"
    say(parts.store, 3)
    tasks.publish_head()
    tasks.hand_over()
    call_command("heads")
    assert ", with head 1" in capsys.readouterr().out
    (tmp_path / "drop" / "heads.athens.jsonl").write_text("what?\n")
    with capture_logs() as logs:
        tasks.hand_over()
    assert [log["log_level"] for log in logs] == ["error"]
    call_command("heads")
    output = capsys.readouterr().out
    assert "last reached" in output, "it says when it was reached last, and why not since"
    assert "This is not a head: " in output
