"""An event of one stream restated a closed day without the event of another stream that it needs.

Examples are a received credit that no table sent, a count of a box that was never put, and an explanation of no
discrepancy.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from events.accounting.report import checklist_system_state_source, day_reports
from events.accounting.report.checklist_system_state_source import SystemState
from events.accounting.report.closing_checklist import checklist
from events.store import open_store
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.houses.worked_day import WorkedDay, chips

EVERYTHING = SystemState(readers={}, head=10**9, aside={})


@pytest.fixture(params=["sqlite", "postgresql"])
def house(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    new_database: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[WorkedDay]:
    """A house that closed its day in the middle of the second shift, with overridden items."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    url = new_database() if request.param == "postgresql" else f"sqlite:///{tmp_path / 'events.sqlite3'}"
    made_ = WorkedDay(open_store(url))
    checklist_system_state_source.register_source(made_.store, lambda: EVERYTHING)
    made_.begin()
    made_.first_shift()
    made_.count_first()
    for item in (item_.item for item_ in checklist(report(made_).ledger, DAY, EVERYTHING) if item_.holds is False):
        made_.agreed("days", "", ("anna", "sid"), made_.action("day.override", item=item, reason="we go home"))
    made_.ok("days", "", "anna", made_.action("day.close"))
    yield made_
    made_.close()


def report(house: WorkedDay) -> day_reports.MadeReport:
    return day_reports.make(house.store, PROPERTY, DAY, house.store.position())


def amending(house: WorkedDay, *events: Any) -> Any:
    return house.action("day.amend", events=[event.id for event in events], reason="found later")


def needs(house: WorkedDay, event: Any, earlier: Any) -> None:
    """Assert that the amendment is refused without the earlier event, and accepted with it."""
    assert earlier.id in house.no("days", "", "anna", amending(house, event)).detail
    house.agreed("days", "", ("anna", "sid"), amending(house, earlier, event))


def test_a_credit_is_received_only_with_its_sending(house: WorkedDay) -> None:
    slip = house.slip("credit", 5_000)
    issued = house.store.stream(f"{PROPERTY}/cage/{DAY}", 0, 100)[-1]
    [sent] = house.lead("credit.send", slip=slip, chips=chips(5_000))
    [received] = house.cage("credit.receive", slip=slip, chips=chips(5_000))
    assert f"{issued.stream}@{issued.version}" in house.no("days", "", "anna", amending(house, sent, received)).detail
    refused = house.no("days", "", "anna", house.action("day.amend", events=[received.id], reason="x"))
    assert "rests on it" in refused.detail
    event_ids = [f"{issued.stream}@{issued.version}", sent.id, received.id]
    house.agreed("days", "", ("anna", "sid"), house.action("day.amend", events=event_ids, reason="found later"))
    assert report(house).figures["slips"][0]["status"] == "received"


def test_a_box_is_counted_only_with_its_putting(house: WorkedDay) -> None:
    house.lead("drop.remove", drop_box="two", witness="sid")
    [put] = house.lead("drop.put", drop_box="three")
    [removed] = house.lead("drop.remove", drop_box="three", witness="sid")
    house.count("count.enter", "cora", "three", cash={"1000": 1})
    settled, _ = house.count("count.verify", "carl", "three", cash={"1000": 1})
    assert put.id in house.no("days", "", "anna", amending(house, removed, settled)).detail
    assert removed.id in house.no("days", "", "anna", amending(house, put, settled)).detail
    house.agreed("days", "", ("anna", "sid"), amending(house, put, removed, settled))


def test_an_explanation_needs_what_it_explains(house: WorkedDay) -> None:
    _, discrepancy = house.lead("table.count", chips=chips(1_853_000 - 5_000), witness="sid")
    asking = house.action("discrepancy.explain", discrepancy=discrepancy.id, reason="a chip fell")
    explained = house.agreed("days", "", ("anna", "sven"), asking)[-1]
    needs(house, explained, discrepancy)
    assert report(house).figures["discrepancies"][-1]["explained"]
