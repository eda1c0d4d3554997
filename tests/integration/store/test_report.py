"""The canonical report of the hand-calculated day, closed and restated, is the same bytes from every store."""

from pathlib import Path
from typing import Any

import pytest

from events.accounting.report import canonical_report_bytes, checklist_system_state_source, day_reports
from events.accounting.report.checklist_system_state_source import SystemState
from events.store import EventStore, open_store
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.houses.worked_day import WorkedDay


def reports(store: EventStore) -> list[bytes]:
    """Return the reports at every tenth position, and at the last one."""
    checklist_system_state_source.register_source(store, lambda: SystemState(readers={}, head=10**9, aside={}))
    house = WorkedDay(store)
    house.play()
    house.ok("days", "", "anna", house.action("day.close"))
    recount: Any = house.action("count.settle", table="FR1", drop_box="two", cash={"1000": 119})
    [_, settled, discrepancy] = house.agreed("days", "", ("cora", "carl"), recount)
    amend = house.action("day.amend", events=[settled.id, discrepancy.id], reason="the box was counted again")
    house.agreed("days", "", ("anna", "sid"), amend)
    last, first = store.position(), store.after(0, 1, ["session.opened.v1"])[0].position
    reports_ = [day_reports.make(store, PROPERTY, DAY, position) for position in (*range(first, last, 10), last)]
    house.desk.close()
    assert [report.basis.status for report in reports_][-1] == "restated"
    assert all(report.is_as_said for report in reports_)
    return [canonical_report_bytes.encode(report.figures) for report in reports_]


def test_every_store_says_the_same(store: EventStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    memory = open_store("memory://")
    memory.create()
    expected = reports(memory)
    memory.close()
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "other"))
    assert reports(store) == expected
