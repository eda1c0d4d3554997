"""A new alert over several streams needs one read model: it is raised once, with evidence, also after a rebuild."""

from collections.abc import Iterator

import pytest
from django.db import connections

from events.tables.event_types.session import SessionClosed, StaffAssigned
from projections import registry
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.engine.rebuild import Rebuild
from projections.engine.worker_task_sending_after_batch import WorkerTask, task
from tests.support.houses.sample_event_streams import History, HistoryStore, SampleTableDay
from tests.toys import alert as toy


@pytest.fixture(autouse=True)
def registered(using: str) -> Iterator[None]:
    """The one registration; the house forgets it after the test."""
    registry.register(toy.TwoPosts)
    with connections[using].schema_editor() as editor:
        for model in toy.TwoPosts.models:
            editor.create_model(model)
    yield
    del registry.PROJECTORS[toy.TwoPosts.name]


def posted(history: History, table: str, person: str) -> tuple[SampleTableDay, int]:
    """A table that opens, with this dealer."""
    table_ = SampleTableDay(history, table).open()
    return table_, table_.say(StaffAssigned, post="dealer", person=person)


def apply(history: History, using: str) -> set[WorkerTask]:
    applier = Applier(registry.projectors((toy.TwoPosts.name,), WriteTarget(using)), "athens")
    applier.load()
    return set(applier.apply(history.events).tasks)


def alerts(using: str) -> list[tuple[str, str, int, list[str]]]:
    alerts_ = toy.TwoPostsAlert._default_manager.using(using).order_by("raised_at")
    return [(alert.id, alert.person, alert.raised_at, alert.events.split("\n")) for alert in alerts_]


def test_two_tables_at_once_raise_it_with_both_proofs_and_somebody_is_told(using: str) -> None:
    history = History()
    posted(history, "R1", "dora")
    _table, position = posted(history, "R2", "dora")
    tasks = apply(history, using)
    [(key, person, raised_at, proofs)] = alerts(using)
    assert (person, raised_at) == ("dora", position)
    assert [proof.split("/")[2] for proof in proofs] == ["R1", "R2"]
    assert tasks == {task(toy.LOOK, alert=key)}


def test_it_is_raised_once_however_often_the_events_come(using: str) -> None:
    history = History()
    posted(history, "R1", "dora")
    posted(history, "R2", "dora")
    apply(history, using)
    assert apply(history, using) == set()
    assert len(alerts(using)) == 1


def test_one_table_after_the_other_raises_nothing(using: str) -> None:
    history = History()
    first, _ = posted(history, "R1", "dora")
    first.say(StaffAssigned, post="dealer", person="dora")
    first.say(SessionClosed, closer={}, amount_minor=0, expected_minor=0, dealer="dora")
    posted(history, "R2", "dora")
    posted(history, "R3", "dino")
    assert apply(history, using) == set()
    assert alerts(using) == []


def test_a_rebuild_raises_the_same_with_the_same_ids(using: str) -> None:
    history = History()
    posted(history, "R1", "dora")
    posted(history, "R2", "dora")
    posted(history, "R3", "dora")
    apply(history, using)
    before = alerts(using)
    assert len(before) == 2
    store: HistoryStore = HistoryStore(history)
    [done] = Rebuild([toy.TwoPosts], store, "athens", using=using).run(approve=True)  # type: ignore[arg-type]
    assert done.differences == []
    assert alerts(using) == before
