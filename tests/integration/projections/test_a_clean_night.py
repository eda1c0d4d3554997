"""A night without faults raises no alert: a hundred thousand events at eight tables, counted and closed."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from pytest_django.plugin import DjangoDbBlocker

from events.alerts.overdue_and_luck_event_recorder import judge, of_house, say_late
from events.store import EventStore, everything, open_store
from projections.alerts.models import Alert
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.registry import projectors
from tests.support.processes.scratch_databases import read_models
from tools.demo.history import gaming_day_of_history
from tools.demo.history.consecutive_gaming_days import NEW, nights, set_up
from tools.demo.history.state_between_gaming_days import HistoryPlan
from tools.demo.history.terminal_without_network import SetClock

PROPERTY = "athens"
PLAN = HistoryPlan(seed=3, hours=13)
EVENTS = 100_000
WARNING_MINOR = 800_000  # of a player's cash of a day: the house's own bound


def played(store: EventStore) -> None:
    next(nights(store, PROPERTY, PLAN, NEW))
    watchman = of_house(store, PROPERTY)
    say_late(store, watchman)
    assert judge(store, watchman) > 8, "every shift at every table, and the day"


def test_nothing_is_raised_but_what_a_compliance_officer_is_to_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
) -> None:
    monkeypatch.setattr(gaming_day_of_history, "OFTEN", dict.fromkeys(gaming_day_of_history.OFTEN, 0.0))
    store = open_store("memory://", SetClock(set_up(PLAN)))
    store.create()
    played(store)
    stored = list(everything(store))
    assert len(stored) > EVENTS
    with django_db_blocker.unblock(), read_models(f"sqlite:///{tmp_path / 'read.sqlite3'}") as alias:
        applier = Applier(projectors(["alerts"], WriteTarget(alias)), PROPERTY)
        applier.load()
        applier.apply(stored)
        alerts = list(Alert.objects.using(alias).values_list("name", "person", "data"))
    assert {name for name, _person, _data in alerts} <= {"cash"}
    for (_, person), times in Counter(alert[:2] for alert in alerts).items():
        assert times <= 2, f"{person}: once for the warning, once over the bound"
    assert all(msgspec.json.decode(data)["sum"] >= WARNING_MINOR for _name, _person, data in alerts)
