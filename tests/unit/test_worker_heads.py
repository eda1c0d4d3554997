"""The task that publishes heads: on a schedule, harmless where the broker is away or the store was cut off."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from events.errors import Conflict, Retry
from tests.unit.integrity.test_heads import say
from workers import tasks
from workers.app import app, settings


@pytest.fixture(autouse=True)
def _own_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_STORE", f"sqlite:///{tmp_path / 'events.sqlite3'}")
    monkeypatch.delenv("PITLEDGER_KAFKA", raising=False)
    tasks.close_store()
    tasks.store().create()
    yield
    tasks.close_store()


def test_it_is_on_the_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    app.loader.import_default_modules()
    assert "pitledger.publish_head" in app.tasks
    monkeypatch.setenv("PITLEDGER_HEAD_S", "30")
    assert settings()["beat_schedule"]["head"]["schedule"] == 30.0


def test_a_head_is_kept_also_where_no_broker_runs() -> None:
    say(tasks.store(), 3)
    for _ in range(2):
        tasks.publish_head()
    assert len(tasks.heads().after(0)) == 1
    say(tasks.store(), 1)
    tasks.publish_head()
    assert len(tasks.heads().after(0)) == 2


@pytest.mark.parametrize(("error", "level"), [(Retry("away"), "info"), (Conflict("cut off"), "error")])
def test_what_goes_wrong_is_said(monkeypatch: pytest.MonkeyPatch, error: Exception, level: str) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(tasks, "make_head", fail)
    with capture_logs() as logs:
        tasks.publish_head()
    assert [one["log_level"] for one in logs] == [level]
