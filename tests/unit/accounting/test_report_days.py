"""Gaming days side by side and in sequence: each has its own figures, and an event of one day changes no other day."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.accounting.report import checklist_system_state_source, day_reports
from events.accounting.report.checklist_system_state_source import SystemState
from events.accounting.report.day_reports import MadeReport
from events.desk.command_and_answer_structs import Command
from events.envelope import Who
from events.streams.stream_kind_declaration import Target
from tests.support.houses.small_house import DAY, PROPERTY, events_of
from tests.support.houses.worked_day import CASH, WorkedDay, chips

NEXT = "2026-11-21"
IN_CAGE: dict[str, Any] = {"chips": {"100": 10_000, "500": 15_900, "2500": 1_000}, "marker_minor": 50_000}


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    made_ = WorkedDay()
    checklist_system_state_source.register_source(made_.store, lambda: SystemState(readers={}, head=10**9, aside={}))
    yield made_
    made_.close()


def report(house: WorkedDay, day: str = DAY, position: int | None = None) -> MadeReport:
    return day_reports.make(house.store, PROPERTY, day, position or house.store.position())


def next_day(house: WorkedDay) -> None:
    house.cage("cage.open", gaming_day=NEXT, cash_minor=CASH + 420_000, **IN_CAGE)
    house.lead("session.open", gaming_day=NEXT, opener=chips(1_630_500))


def test_the_next_day_begins_where_the_last_one_ended(house: WorkedDay) -> None:
    house.play()
    before = report(house).figures
    next_day(house)
    after = report(house).figures
    assert {**after, "as_of": 0} == {**before, "as_of": 0}
    figures = report(house, NEXT).figures
    assert figures["tables"][0]["day"]["begin_minor"] == before["tables"][0]["day"]["end_minor"]
    assert figures["cage"]["cash_minor"] == {"expected_minor": CASH + 420_000, "counted_minor": None}
    assert (figures["slips"], figures["discrepancies"]) == ([], [])
    assert figures["chips"] == before["chips"]


def test_a_day_is_closed_while_another_is_open(house: WorkedDay) -> None:
    house.play()
    next_day(house)
    target, anna = Target("days", "", DAY), Who(person="anna", roles=frozenset(), factor_s=0)
    [closed] = events_of(house.desk.do(Command(target, (house.action("day.close"),), anna)))
    assert (closed.type, closed.data.gaming_day) == ("day.closed.v1", DAY)
    assert (report(house).basis.status, report(house, NEXT).basis.status) == ("closed", "open")


def test_a_fill_that_crosses_midnight_stands_on_both_days(house: WorkedDay) -> None:
    """Issued on one day, received on the next: the cage's is the first, the table's the second."""
    house.begin()
    slip = house.slip("fill", 5_000)
    house.lead("session.close", closer=chips(2_000_000))
    held = {"100": 10_000, "500": 15_990, "2500": 1_000}
    house.cage("cage.close", chips=held, cash_minor=CASH)
    issued = {"kind": "fill", "number": 1, "table": "FR1", "issued_minor": 5_000}
    before = report(house).figures
    assert before["slips"] == [{**issued, "status": "open", "received_minor": None}]
    assert before["chips"]["transit_minor"] == 5_000
    house.cage("cage.open", gaming_day=NEXT, chips=held, cash_minor=CASH)
    house.lead("session.open", gaming_day=NEXT, opener=chips(2_000_000))
    house.lead("staff.assign", post="dealer", person="dora")
    house.lead("staff.assign", post="inspector", person="ines")
    house.lead("fill.receive", slip=slip, chips=chips(5_000))
    received = {**issued, "status": "received", "received_minor": 5_000}
    first, second = report(house).figures, report(house, NEXT).figures
    assert (first["slips"], second["slips"]) == ([received], [received])
    fills = [report_["tables"][0]["day"]["fills_minor"] for report_ in (first, second)]
    assert (fills, second["chips"]["transit_minor"], second["discrepancies"]) == ([0, 5_000], 0, [])


def test_what_the_cage_does_after_its_close_is_the_next_days(house: WorkedDay) -> None:
    house.play()
    issue = house.action("chips.issue", chips={"100": 50}, way="brought in", reason="a new series")
    house.agreed("house", "", ("cage", "sven"), issue)
    chips = report(house).figures["cage"]["chips_minor"]
    assert chips["expected_minor"] == chips["counted_minor"]
    held = {**IN_CAGE, "chips": {**IN_CAGE["chips"], "100": 10_050}}
    house.cage("cage.open", gaming_day=NEXT, cash_minor=CASH + 420_000, **held)
    expected = report(house, NEXT).figures["cage"]["chips_minor"]["expected_minor"]
    assert expected == chips["counted_minor"] + 5_000


def test_a_shortage_of_the_cage_is_in_no_days_expectation(house: WorkedDay) -> None:
    house.begin()
    held = {"100": 10_000, "500": 16_000, "2500": 1_000}
    house.cage("cage.count", chips=held, cash_minor=CASH - 1_000)
    house.cage("cage.close", chips=held, cash_minor=CASH - 1_500)
    figures = report(house).figures
    assert figures["cage"]["cash_minor"] == {"expected_minor": CASH, "counted_minor": CASH - 1_500}
    differences = [
        discrepancy["found_minor"] - discrepancy["expected_minor"] for discrepancy in figures["discrepancies"]
    ]
    assert differences == [-1_000, -500]


def test_chips_that_walk_are_with_the_players(house: WorkedDay) -> None:
    house.begin()
    before = report(house).figures["chips"]["players_minor"]
    house.buy(100_000)
    house.cage("cage.cash_out", chips=chips(20_000), player="Ann")
    shares = report(house).figures["chips"]
    assert (before, shares["players_minor"]) == (0, 80_000)
    assert shares["issued_minor"] == sum(value for name, value in shares.items() if name != "issued_minor")


def test_a_count_in_between_moves_the_tray_and_not_the_expectation(house: WorkedDay) -> None:
    house.begin()
    house.lead("table.count", chips=chips(1_999_000), witness="sid")
    figures = report(house).figures
    assert figures["chips"]["tables_minor"] == 1_999_000
    assert figures["tables"][0]["day"]["expected_minor"] == 2_000_000
