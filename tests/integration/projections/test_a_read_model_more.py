"""A new read model needs one registration: it is built live, rebuilt, quarantined and released, and switched."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connections

from events.errors import Unknown
from projections import registry
from projections.engine.batch_applier import Applier, BatchResult, OtherVersion
from projections.engine.bulk_writer import WriteTarget
from projections.engine.models import PoisonedEvent, Reader, WaitingEvent
from projections.engine.projection_positions_and_wait import wait_for, watermark
from projections.engine.rebuild import Rebuild, RebuildDiffers
from projections.engine.worker_task_sending_after_batch import task
from tests.support.houses.sample_event_streams import History, HistoryStore, SampleTableDay
from tests.toys import read_model as toy

BIG = 700_000
TOO_BIG = 2_000_000


@pytest.fixture(autouse=True)
def registered(using: str) -> Iterator[None]:
    """The one registration; the house forgets it after the test."""
    registry.register(toy.DealersAtWork)
    with connections[using].schema_editor() as editor:
        editor.create_model(toy.DealerDay)
    yield
    del registry.PROJECTORS[toy.DealersAtWork.name]


def applier(using: str, *names: str) -> Applier:
    applier_ = Applier(registry.projectors(names, WriteTarget(using)), "athens")
    applier_.load()
    return applier_


def rebuild(using: str, history: History, *, approve: bool = False) -> Any:
    store: Any = HistoryStore(history)
    [done] = Rebuild([registry.PROJECTORS["dealers"]], store, "athens", using=using).run(approve=approve)
    return done


def rows(using: str) -> list[tuple[Any, ...]]:
    return list(toy.DealerDay._default_manager.using(using).order_by("id").values_list("id", "bets", "stakes_minor"))


def test_it_is_built_live_with_the_others(using: str) -> None:
    history = History()
    table = SampleTableDay(history, "R1").open()
    table.bet(1000, -1000)
    table.bet(500, 500)
    applier(using).apply(history.events)
    [(_, bets, stakes)] = rows(using)
    assert (bets, stakes) == (2, 1500)
    last = history.events[-1].position
    assert wait_for(last, 0, registry.PROJECTORS, using=using)
    assert watermark("dealers", using) == last
    assert Reader.objects.using(using).count() == len(registry.PROJECTORS)


def test_it_begins_at_the_beginning_beside_others_that_are_further(using: str) -> None:
    history = History()
    SampleTableDay(history, "R1").open().bet(1000, -1000)
    applier(using, "eventlog", "tables").apply(history.events)
    assert applier(using).position == 0
    applier(using).apply(history.events)
    assert [row[1] for row in rows(using)] == [1]


def test_its_tasks_are_sent_with_their_arguments(using: str) -> None:
    history = History()
    SampleTableDay(history, "R1").open().bet(BIG, -BIG)
    applied: BatchResult = applier(using, "dealers").apply(history.events)
    [day] = toy.DealerDay._default_manager.using(using).all()
    gaming_day, _, dealer = day.id.partition("/")
    assert applied.tasks == {task(toy.LOOK, dealer=dealer, gaming_day=gaming_day)}
    assert not applier(using, "dealers").apply(history.events).tasks


def test_what_it_cannot_take_waits_and_is_released(using: str, monkeypatch: pytest.MonkeyPatch) -> None:
    history = History()
    table = SampleTableDay(history, "R1").open()
    table.bet(1000, -1000)
    table.bet(TOO_BIG, -TOO_BIG)
    table.bet(500, -500)
    running = applier(using)
    assert running.apply(history.events).poisoned == 1
    assert PoisonedEvent.objects.using(using).get().projection == "dealers"
    assert watermark("dealers", using) < history.events[-1].position == watermark("tables", using)
    assert [row[1:] for row in rows(using)] == [(1, 1000)]
    monkeypatch.setattr(toy, "STAKE_MAX_MINOR", TOO_BIG)
    mine = next(projector for projector in running.projectors if projector.name == "dealers")
    assert running.release(mine)
    assert not PoisonedEvent.objects.using(using).exists()
    assert not WaitingEvent.objects.using(using).exists()
    assert [row[1:] for row in rows(using)] == [(3, 1500 + TOO_BIG)]


def test_it_is_built_again_and_switched(using: str) -> None:
    history = History()
    SampleTableDay(history, "R1").open().bet(1000, -1000)
    applier(using).apply(history.events)
    before = rows(using)
    assert rebuild(using, history).differences == []
    toy.DealerDay._default_manager.using(using).update(bets=7)
    with pytest.raises(RebuildDiffers):
        rebuild(using, history)
    assert [row[1] for row in rows(using)] == [7]
    rebuild(using, history, approve=True)
    assert rows(using) == before
    SampleTableDay(history, "R2").open().bet(500, 500)
    applier(using).apply(history.events)
    assert sum(row[1] for row in rows(using)) == 2


def test_another_version_asks_for_a_rebuild(using: str, monkeypatch: pytest.MonkeyPatch) -> None:
    history = History()
    SampleTableDay(history, "R1").open().bet(1000, -1000)
    applier(using).apply(history.events)
    monkeypatch.setattr(toy.DealersAtWork, "version", 2)
    with pytest.raises(OtherVersion, match="rebuild dealers"):
        applier(using)
    rebuild(using, history)
    assert applier(using).position == history.events[-1].position


def test_the_commands_know_it(using: str) -> None:
    assert [projector.name for projector in registry.projectors(["dealers"])] == ["dealers"]
    with pytest.raises(Unknown, match="dealers"):
        registry.projectors(["dealer"])
    with pytest.raises(CommandError, match="dealers"):
        call_command("rebuild", "nobody")


def test_two_of_one_name_are_refused(using: str) -> None:
    other: Any = type("Other", (toy.DealersAtWork,), {})
    with pytest.raises(AssertionError, match="two read models"):
        registry.register(other)
