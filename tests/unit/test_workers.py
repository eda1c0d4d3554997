"""The tasks: thin, tried again where that helps, and never waiting for one another."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from celery.signals import worker_shutdown

from backoffice.house.celery_worker_wiring import WorkerParts
from backoffice.installation import dependency_injection
from events.errors import Conflict, Invalid, PitledgerError, Retry, Stale
from events.progressives import due_lock_and_lapse_appending, history_reader
from events.progressives.progressive_state_following_store import is_at_hand
from events.store import EventStore
from events.store.in_memory_store import MemoryStore
from workers import tasks
from workers.celery_app import app, of_celery


class Reconciler:
    """`due_lock_and_lapse_appending`, but it raises the given errors, then succeeds, and notes calls."""

    def __init__(self, *errors: PitledgerError, bad: str = "") -> None:
        self.requests: list[tuple[str, str]] = []
        self._errors = list(errors)
        self._bad = bad

    def __call__(self, store: EventStore, property_: str, progressive: str) -> int:
        self.requests.append((property_, progressive))
        if self._errors:
            raise self._errors.pop(0)
        if progressive == self._bad:
            raise Invalid("progressive", "bad")
        return 0


@pytest.fixture(autouse=True)
def _own_store(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PITLEDGER_STORE", "memory://")
    monkeypatch.setattr(tasks, "PAUSE_S", 0.0)
    dependency_injection.close()
    yield
    dependency_injection.close()


@pytest.fixture
def two_progressives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_reader, "names", lambda _store, _property: ["blazing", "trilux"])


def test_the_tasks_have_their_names() -> None:
    app.loader.import_default_modules()
    assert {"pitledger.reconcile", "pitledger.sweep"} <= set(app.tasks)


def test_reconcile_looks_at_the_propertys_progressive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_PROPERTY", "corfu")
    monkeypatch.setattr(due_lock_and_lapse_appending, "reconcile", reconciler := Reconciler())
    tasks.reconcile("blazing")
    assert reconciler.requests == [("corfu", "blazing")]


def test_reconcile_is_tried_again_where_somebody_else_wrote_first(monkeypatch: pytest.MonkeyPatch) -> None:
    reconciler = Reconciler(Stale("first"), Retry("no answer"))
    monkeypatch.setattr(due_lock_and_lapse_appending, "reconcile", reconciler)
    tasks.reconcile("blazing")
    assert reconciler.requests == [("athens", "blazing")] * 3


def test_reconcile_is_not_tried_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = [Conflict(str(number)) for number in range(20)]
    monkeypatch.setattr(due_lock_and_lapse_appending, "reconcile", reconciler := Reconciler(*errors))
    with pytest.raises(Conflict, match="4"):
        tasks.reconcile("blazing")
    assert len(reconciler.requests) == tasks.ATTEMPTS_MAX


@pytest.mark.usefixtures("two_progressives")
def test_the_sweep_looks_at_all_whatever_one_of_them_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due_lock_and_lapse_appending, "reconcile", reconciler := Reconciler(bad="blazing"))
    tasks.sweep()
    assert [progressive for _, progressive in reconciler.requests] == ["blazing", "trilux"]


def test_a_process_opens_its_store_once_and_closes_it() -> None:
    parts = WorkerParts()
    first = parts.store
    assert parts.store is first
    worker_shutdown.send(None)
    worker_shutdown.send(None)
    assert parts.store is not first


def test_on_files_everything_is_in_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.delenv("PITLEDGER_CELERY", raising=False)
    celery_options = of_celery()
    options = celery_options["broker_transport_options"]
    assert (celery_options["broker_url"], options["polling_interval"]) == ("filesystem://localhost//", 0.1)
    folders = [Path(options[name]) for name in ("data_folder_in", "data_folder_out", "control_folder")]
    assert all(folder.is_dir() and folder.is_relative_to(tmp_path) for folder in folders)
    assert Path(celery_options["beat_schedule_filename"]).is_relative_to(tmp_path)


def test_redis_by_its_address(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    monkeypatch.setenv("PITLEDGER_CELERY", "redis://127.0.0.1:6379/0")
    monkeypatch.setenv("PITLEDGER_SWEEP_S", "2.5")
    options = of_celery()
    assert options["broker_url"] == "redis://127.0.0.1:6379/0"
    assert options["beat_schedule"]["sweep"]["schedule"] == 2.5
    assert (options["accept_content"], options["task_acks_late"], options["worker_prefetch_multiplier"]) == (
        ["json"],
        True,
        1,
    )
    assert "result_backend" not in options


def test_tasks_about_what_does_not_exist_leave_nothing_behind() -> None:
    store = MemoryStore()
    for number in range(100):
        assert due_lock_and_lapse_appending.reconcile(store, "athens", f"nothing-{number}") == 0
    assert not is_at_hand(store, "athens", "nothing-0")
