"""A table's gaming day is one row: its sums are those of its shifts, and a house that had two rows keeps them."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from events.accounting.table_shifts_fold import TableShifts
from projections.accounts.day_accounts_from_rows import table_state
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.registry import PROJECTORS, projectors
from projections.tables.models import TableDay
from tests.support.houses.small_house import PROPERTY
from tests.support.houses.worked_day import WorkedDay

SUMS = ("fills", "credits", "lost", "due", "paid", "commission")
TENDERS = ("cash", "marker", "promotional")
APP = "projections"
TWO_ROWS, ONE_ROW = "0019_journal_minor", "0020_one_row_of_a_table"


@pytest.fixture
def played() -> Iterator[WorkedDay]:
    house = WorkedDay()
    house.play()
    yield house
    house.close()


def sums_of(day: TableShifts) -> dict[str, int]:
    """The columns that are sums over shifts."""
    moved = {f"{name}_minor": sum(getattr(shift, name) for shift in day.shifts) for name in SUMS}
    return moved | {f"buyins_{name}_minor": sum(getattr(each.buyins, name) for each in day.shifts) for name in TENDERS}


def test_the_sums_of_a_day_are_those_of_its_shifts_at_every_position(using: str, played: WorkedDay) -> None:
    applier = Applier(projectors(["accounts"], WriteTarget(using)), PROPERTY)
    seen: set[str] = set()
    applier.load()
    for position in range(1, played.store.position() + 1):
        applier.apply(played.store.after(applier.position, 1))
        for row in TableDay.objects.using(using).exclude(state=""):
            day = table_state(row).day
            assert {name: getattr(row, name) for name in sums_of(day)} == sums_of(day), position
            assert (row.status == "open") == (not day.is_closed), position
            seen.update(name for name, amount in sums_of(day).items() if amount)
    assert {"lost_minor", "paid_minor", "buyins_cash_minor", "fills_minor"} <= seen


def test_no_other_read_model_has_a_row_of_a_tables_gaming_day() -> None:
    about = {"table", "gaming_day", "status", "closer_minor"}
    models = [model for kind in PROJECTORS.values() for model in kind.models]
    assert [model for model in models if about <= {field.name for field in model._meta.fields}] == [TableDay]
    assert TableDay in PROJECTORS["accounts"].models


def test_a_house_with_two_rows_of_a_day_keeps_both_in_one(using: str, played: WorkedDay) -> None:
    applier = Applier(projectors(["accounts"], WriteTarget(using)), PROPERTY)
    applier.load()
    applier.apply(played.store.after(0, 10_000))
    before: list[Any] = list(TableDay.objects.using(using).order_by("id").values())
    executor = MigrationExecutor(connections[using])
    executor.migrate([(APP, TWO_ROWS)])
    account = executor.loader.project_state([(APP, TWO_ROWS)]).apps.get_model(APP, "TableAccount")
    for row in before:
        names = ("id", "table", "gaming_day", "counted_at", "counted_before", "state")
        account.objects.using(using).create(is_open=row["status"] == "open", **{name: row[name] for name in names})
    MigrationExecutor(connections[using]).migrate([(APP, ONE_ROW)])
    assert list(TableDay.objects.using(using).order_by("id").values()) == before
    assert before
    assert all(msgspec.json.decode(row["state"])["day"] for row in before)
