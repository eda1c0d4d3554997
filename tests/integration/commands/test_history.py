"""`demo --days`: closed gaming days one after another, the same days after any interruption."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import pytest
from pytest_django.plugin import DjangoDbBlocker

from events import catalogue
from events.accounting.event_types.day_close import DayClosed
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.rules.chip_sums_by_denomination import worth
from events.store import EventStore, everything, open_store
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.figures_of_all_read_models_with_digest import books
from projections.invariants import findings
from projections.registry import projectors
from tests.support.processes.scratch_databases import read_models
from tools.demo.history import state_between_gaming_days as keeping
from tools.demo.history.consecutive_gaming_days import NEW, nights, set_up
from tools.demo.history.gaming_day_of_history import FLOATS, in_tray
from tools.demo.history.history_run import Pace
from tools.demo.history.state_between_gaming_days import HistoryPlan, HistoryState, SavedHistory
from tools.demo.history.terminal_without_network import AtDesk, SetClock
from tools.demo.http_terminal import TurnedDown
from tools.demo.invented_players import at_edge

PROPERTY = "athens"
PLAN = HistoryPlan(seed=3, hours=0.2, tables=("FR1", "BJ1"))
DAYS = 3


def played(store: EventStore, days: int, state: HistoryState = NEW) -> list[HistoryState]:
    """Play this number of further days, and return the state after each."""
    return list(islice(nights(store, PROPERTY, PLAN, state), days))


def opened(url: str, at: str = "") -> EventStore:
    """Open a store with the clock of the history."""
    store = open_store(url, SetClock(at or set_up(PLAN)))
    store.create()
    return store


@pytest.fixture(scope="module")
def whole() -> Iterator[SimpleNamespace]:
    """Yield three days without an interruption."""
    store = opened("memory://")
    yield SimpleNamespace(store=store, days=played(store, DAYS))
    store.close()


def test_every_day_is_closed_and_the_next_begins_with_what_it_left(whole: SimpleNamespace) -> None:
    closed = [
        catalogue.decode(event.type, event.raw).data for event in everything(whole.store, types=(DayClosed.TYPE,))
    ]
    assert [day.gaming_day for day in closed] == ["2026-01-01", "2026-01-02", "2026-01-03"]
    assert not any(day.overridden for day in closed)
    discrepancies = [
        catalogue.decode(event.type, event.raw).data
        for event in everything(whole.store, types=(DiscrepancyFound.TYPE,))
    ]
    assert not [discrepancy for discrepancy in discrepancies if discrepancy.kind in ("opener", "cage")]
    assert whole.days[-1].days == DAYS
    assert whole.days[-1].position == whole.store.position()


def test_every_invariant_holds(whole: SimpleNamespace, tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> None:
    with django_db_blocker.unblock(), read_models(f"sqlite:///{tmp_path / 'read.sqlite3'}") as alias:
        applier = Applier(projectors(target=WriteTarget(alias)), PROPERTY)
        applier.load()
        applier.apply(list(everything(whole.store)))
        assert findings(alias) == []
        tables = books(using=alias)["tables"]
        assert {table["gaming_day"] for table in tables} == {"2026-01-01", "2026-01-02", "2026-01-03"}
        assert sum(table["net_drop_minor"] for table in tables) > 0


def test_a_day_that_is_broken_off_leaves_nothing_in_a_file_and_is_played_once(
    whole: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(f"sqlite:///{tmp_path / 'events.sqlite3'}")
    [first] = played(store, 1)
    broken_off(store, first, monkeypatch)
    assert store.position() == first.position
    store.close()
    again = opened(f"sqlite:///{tmp_path / 'events.sqlite3'}", first.time)
    assert played(again, DAYS - 1, first) == whole.days[1:]
    again.close()


def test_what_is_stored_of_a_day_is_answered_when_it_is_played_again(
    whole: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened("memory://")
    [first] = played(store, 1)
    broken_off(store, first, monkeypatch)
    assert store.position() > first.position
    assert played(store, DAYS - 1, first) == whole.days[1:]


def broken_off(store: EventStore, state: HistoryState, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of the next day."""
    sends, send = iter(range(30)), AtDesk.send

    def sent(self: AtDesk, *arguments: object, **options: object) -> object:
        if next(sends, None) is None:
            raise KeyboardInterrupt
        return send(self, *arguments, **options)  # type: ignore[arg-type]  # as it came

    with monkeypatch.context() as patched:
        patched.setattr(AtDesk, "send", sent)
        with pytest.raises(KeyboardInterrupt):
            played(store, 1, state)


def test_another_s_action_is_no_part_of_a_history(whole: SimpleNamespace) -> None:
    store = opened("memory://")
    [first] = played(store, 1)
    assert isinstance(store.clock, SetClock)
    store.clock.advance("2026-01-02T17:00:00.000Z")
    other = AtDesk(store, PROPERTY, store.clock)
    counted = {"gaming_day": "2026-01-02", "chips": {}, "cash_minor": first.cash}
    action = {"type": "cage.open", "key": "by-hand", "time": "2026-01-02T17:00:00.000Z", "data": counted}
    other.send("cage", "c-401", [action])
    with pytest.raises(TurnedDown, match="The cage is open"):
        played(store, 1, first)


def test_what_is_kept_is_that_of_one_plan(tmp_path: Path) -> None:
    assert keeping.load(tmp_path) is None
    assert not keeping.goes_on(tmp_path, PLAN)
    state = HistoryState(days=2, gaming_day="2026-01-02", trays={"FR1": {500: 3}}, walking=[("g-1", 500)])
    keeping.save(tmp_path, PLAN, state)
    assert keeping.load(tmp_path) == SavedHistory(PLAN, state)
    assert keeping.goes_on(tmp_path, PLAN)
    assert not keeping.goes_on(tmp_path, HistoryPlan(seed=4))


@pytest.mark.parametrize("amount", [0, 12_345, *FLOATS.values()])
def test_a_tray_holds_small_chips(amount: int) -> None:
    chips = {int(denomination): count for denomination, count in in_tray(amount).items()}
    assert worth(chips) == amount
    assert all(count > 0 for count in chips.values())
    assert amount < 100_000 or chips[100] == 400


def test_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter((100.0, 110.0))
    monkeypatch.setattr("tools.demo.history.history_run.time.monotonic", lambda: next(now))
    pace = Pace(30, HistoryState(days=10, position=1_000))
    line = pace.line(HistoryState(days=20, gaming_day="2026-01-20", position=11_000, rounds=600))
    assert line == "2026-01-20: 20 of 30 days, 600 rounds, 11,000 events, 1,000 a second, 10 s left "


def test_roulette_with_one_zero_holds_about_half_of_what_two_would() -> None:
    """Published holds, over 38 pockets with two zeros; the same players at 37 with one."""
    assert at_edge((15.2, 24.6, 34.1), 100 * 2 / 38) == (15.2, 24.6, 34.1)
    assert at_edge((15.2, 24.6, 34.1), 100 * 1 / 37) == (7.8, 12.6, 17.5)
