"""Rows of several models are written together, in one statement where there is one for them."""

from typing import Any

import pytest

from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.progressives.models import ProgressiveLevel
from projections.registry import projectors
from projections.tables.models import TableDay, WagerDay
from tests.support.houses.sample_event_streams import History, busy_floor


def day(name: str, **fields: Any) -> TableDay:
    return TableDay(
        id=name, property="athens", table=name, gaming_day="2026-11-20", pit="A", ruleset="craps-gr", **fields
    )


def wager(name: str, **fields: Any) -> WagerDay:
    return WagerDay(
        id=name, stream=name, table=name, gaming_day="2026-11-20", ruleset="craps-gr", wager="pass", **fields
    )


def values(row: Any) -> list[Any]:
    return [getattr(row, field.attname) for field in row._meta.concrete_fields]


def test_rows_of_several_models_and_of_one_model_twice_are_all_written(using: str) -> None:
    target = WriteTarget(using)
    target.upsert(
        [
            (TableDay, [values(day("a", bets=1)), values(day("b"))]),
            (ProgressiveLevel, ()),
            (WagerDay, [values(wager("a", lost_minor=5))]),
            (TableDay, [values(day("a", bets=2))]),
        ]
    )
    assert dict(TableDay.objects.using(using).values_list("id", "bets")) == {"a": 2, "b": 0}
    assert dict(WagerDay.objects.using(using).values_list("id", "lost_minor")) == {"a": 5}
    target.upsert([(WagerDay, ()), (TableDay, ())])


def test_a_batch_waits_once_for_the_rows_of_all_read_models(using: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    ordinary = WriteTarget.upsert

    def upsert(self: WriteTarget, changes: Any) -> None:
        changes_ = [change for change in changes if change[1]]
        steps.extend(model.__name__ for model, _ in changes_)
        if changes_:
            steps.append("written")
        ordinary(self, changes_)

    monkeypatch.setattr(WriteTarget, "upsert", upsert)
    applier = Applier(projectors(target=WriteTarget(using)), "athens")
    applier.load()
    history = History()
    list(busy_floor(history, tables=2, rounds=2))
    applier.apply(history.events)
    assert steps.count("written") == 1
    assert {"TableDay", "WagerDay"} <= set(steps)
