"""Nothing is dropped in silence: facts that do not fit are exceptions, a level that waits too long is an alert."""

from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs

from events.progressives import due_lock_and_lapse_appending, progressive_state_following_store
from tests.simulation.progressives.linked_tables_day import Worker
from tests.support.houses.progressive_house import NAME, PROPERTY, Casino


@pytest.fixture
def casino() -> Iterator[Casino]:
    built = Casino()
    yield built
    built.close()


def alert(casino: Casino, after_s: float) -> int:
    return due_lock_and_lapse_appending.alert_waiting(casino.store, PROPERTY, NAME, after_s=after_s)


def test_a_fact_that_does_not_fit_is_an_exception(casino: Casino) -> None:
    casino.arm("BJ1", (1, "ann", 700))
    at = casino.store.position()
    number = casino.arm("BJ2", (1, "ann", 500))
    casino.hit("BJ2", number, 9)
    with capture_logs() as logs:
        misfits = due_lock_and_lapse_appending.refused_facts(casino.store, PROPERTY, NAME)
    assert [(misfit.position, misfit.type, misfit.clause) for misfit in misfits] == [
        (at, "progressive.armed.v1", "blazing7s L.1"),
        (at + 3, "hit.declared.v1", "blazing7s P.1"),
    ]
    assert [log["event"] for log in logs] == ["a fact does not fit the progressive"] * 2
    assert due_lock_and_lapse_appending.refused_facts(casino.store, PROPERTY, NAME) == misfits, "each once"


def test_exceptions_survive_a_restart(casino: Casino, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progressive_state_following_store, "SNAPSHOT_EVERY", 1)
    casino.arm("BJ1", (1, "ann", 700))
    misfits = due_lock_and_lapse_appending.refused_facts(casino.store, PROPERTY, NAME)
    casino.reconcile()
    other_process = Worker(casino.store)
    assert due_lock_and_lapse_appending.refused_facts(other_process, PROPERTY, NAME) == misfits != []


def test_a_level_that_waits_too_long_is_told_once(casino: Casino) -> None:
    number = casino.arm("BJ1", (1, "ann", 500), (2, "bob", 500))
    first = casino.hit("BJ1", number, 1)
    assert alert(casino, after_s=60) == 0
    with capture_logs() as logs:
        assert [alert(casino, after_s=-1) for _ in range(3)] == [1, 0, 0]
    assert [log["event"] for log in logs] == ["a level waits for an undealt round"]
    live = progressive_state_following_store.live(casino.store, PROPERTY, NAME)
    assert live.fold is not None
    assert live.fold.state.alerted == {first}
    casino.hit("BJ1", number, 2, "minor")
    assert alert(casino, after_s=-1) == 1, "another level"
    casino.dealt("BJ1", number)
    assert casino.reconcile() == 2
    assert alert(casino, after_s=-1) == 0
    assert len(casino.store.after(0, 100, ["level.waiting.v1"])) == 2


def test_two_workers_tell_it_once(casino: Casino) -> None:
    number = casino.arm("BJ1", (1, "ann", 500))
    casino.hit("BJ1", number, 1)
    other = Worker(casino.store)
    assert (
        alert(casino, after_s=-1) + due_lock_and_lapse_appending.alert_waiting(other, PROPERTY, NAME, after_s=-1) == 1
    )


def test_nothing_waits_where_nothing_is_open() -> None:
    casino = Casino(is_open=False)
    assert alert(casino, after_s=-1) == 0
    assert due_lock_and_lapse_appending.refused_facts(casino.store, PROPERTY, NAME) == []
    casino.close()
