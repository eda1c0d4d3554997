"""However the log is cut into batches and however often parts of it are delivered, the read models are the same."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db.models import Model
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django.plugin import DjangoDbBlocker

from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.engine.models import PoisonedEvent, Reader, WaitingEvent
from projections.registry import PROJECTORS, projectors
from tests.support.houses.sample_event_streams import History, busy_floor
from tests.support.processes.scratch_databases import read_models
from tests.support.records import progressive_timeline_recorder


def _history() -> History:
    case = next(
        case for case in progressive_timeline_recorder.cases() if case["expect"]["envy"] and "void" in case["tags"]
    )
    history = progressive_timeline_recorder.Recorder(case["given"]).history
    list(busy_floor(history, tables=3, rounds=4))
    history.put("athens/tables/R2/2026-11-20", "robot.dealt.v9", b"{}")
    list(busy_floor(history, tables=2, rounds=1))
    return history


HISTORY = _history()


@pytest.fixture(scope="module")
def using(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    with (
        django_db_blocker.unblock(),
        read_models(f"sqlite:///{tmp_path_factory.mktemp('p') / 'read.sqlite3'}") as alias,
    ):
        yield alias


MODELS: list[type[Model]] = [Reader, *(model for kind in PROJECTORS.values() for model in kind.models)]


def rows(using: str) -> dict[str, list[Any]]:
    return {model.__name__: list(model._default_manager.using(using).order_by("pk").values_list()) for model in MODELS}


def project(using: str, deliveries: list[tuple[int, int]], *, restart: bool) -> dict[str, list[Any]]:
    """Deliver slices of the log to read models that are empty; `restart` makes a new process for each."""
    everything: list[type[Model]] = [*MODELS, PoisonedEvent, WaitingEvent]
    for model in everything:
        model._default_manager.using(using).all().delete()
    applier = None
    for first, last in deliveries:
        if applier is None or restart:
            applier = Applier(projectors(target=WriteTarget(using)), "athens")
            applier.load()
        applier.apply(HISTORY.events[first:last])
    return rows(using)


@st.composite
def deliveries(draw: st.DrawFn) -> list[tuple[int, int]]:
    """The whole log in batches of any size, each of which may begin again at an earlier offset."""
    size = len(HISTORY.events)
    cuts = sorted(draw(st.sets(st.integers(1, size - 1), max_size=12)))
    batches = []
    for first, last in zip([0, *cuts], [*cuts, size], strict=True):
        batches.append((draw(st.integers(0, first)) if draw(st.booleans()) else first, last))
    return batches


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(parts=deliveries(), restart=st.booleans())
def test_the_borders_of_batches_and_redelivery_change_nothing(
    using: str, parts: list[tuple[int, int]], restart: bool
) -> None:
    assert project(using, parts, restart=restart) == _whole(using)


_WHOLE: dict[str, dict[str, list[Any]]] = {}


def _whole(using: str) -> dict[str, list[Any]]:
    """Return the read models after one batch of all events."""
    if using not in _WHOLE:
        _WHOLE[using] = project(using, [(0, len(HISTORY.events))], restart=False)
    return _WHOLE[using]


def test_the_sample_has_everything_that_could_go_wrong(using: str, tmp_path: Path) -> None:
    rows = _whole(using)
    assert {row[4] for row in rows["Hit"]} >= {"paid", "void"}
    assert rows["Envy"]
    assert len(rows["EventLog"]) < len(HISTORY.events)
