"""`report DAY --json`, field by field: the fields, their types and order, and the fields that may be null.

Programs of other authors read the fields of the table below. The test fails if a field is missing, new or renamed, or
if it is null although its value is known.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from backoffice.days import report_json_and_csv
from events import catalogue
from events.accounting.report import day_reports
from events.accounting.report.checklist_system_state_source import SystemState
from events.store import everything
from tests.accountant.random_gaming_days import RandomFloor
from tests.accountant.random_jackpot_events import DAYS
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.houses.worked_day import WorkedDay

Json = dict[str, Any]

TEXT, WHOLE, YES_NO, DECIMAL = "text", "whole", "yes or no", "decimal"
# Marked with "?": null where it is not known (yet), or of nothing.
AMOUNTS = {
    "begin_minor": WHOLE,
    "end_minor": f"{WHOLE}?",
    "expected_minor": f"{WHOLE}?",
    "fills_minor": WHOLE,
    "credits_minor": WHOLE,
    "drop": {f"{name}_minor": WHOLE for name in ("cash", "marker", "promotional", "chips")} | {"counted": YES_NO},
    "buyins": {f"{name}_minor": WHOLE for name in ("cash", "marker", "promotional")},
    **{f"{name}_minor": f"{WHOLE}?" for name in ("lost", "due", "paid", "commission", "promotional_stakes")},
    **{f"{name}_minor": f"{WHOLE}?" for name in ("undecided", "inventory_win", "event_win")},
    "parts": {f"{name}_minor": f"{WHOLE}?" for name in ("mispay", "promotional", "drop", "inventory", "rest")},
}
SHIFT = {"shift": TEXT, **AMOUNTS}
TABLE = {"table": TEXT, "game": TEXT, "pit": TEXT, "recorded": YES_NO, "shifts": [SHIFT], "day": AMOUNTS}
SLIP = {"kind": TEXT, "number": WHOLE, "status": TEXT, "table": f"{TEXT}?", "issued_minor": WHOLE}
DISCREPANCY = {"kind": TEXT, "table": f"{TEXT}?", "expected_minor": WHOLE, "found_minor": WHOLE, "band": TEXT}
TENDER = {"expected_minor": f"{WHOLE}?", "counted_minor": f"{WHOLE}?"}
LEVEL = {"level": TEXT, **dict.fromkeys(("begin", "fed", "seeds", "adjusted", "locked", "meter"), DECIMAL)}
PROGRESSIVE = {"progressive": TEXT, "reserve": DECIMAL, "unpaid_jackpots_minor": WHOLE, "levels": [LEVEL]}
REPORT = {
    "layout": WHOLE,
    "day": TEXT,
    "currency": f"{TEXT}?",
    "as_of": WHOLE,
    "restatement": WHOLE,
    "status": TEXT,
    "digest": TEXT,
    "tables": [TABLE],
    "slips": [SLIP | {"received_minor": f"{WHOLE}?"}],
    "discrepancies": [DISCREPANCY | {"explained": YES_NO}],
    "cage": dict.fromkeys(("chips_minor", "cash_minor", "marker_minor"), TENDER),
    "chips": {f"{name}_minor": f"{WHOLE}?" for name in ("issued", "tables", "cage", "transit", "players")},
    "progressives": [PROGRESSIVE],
    "journal": {...: DECIMAL},
    "checklist": [{"item": TEXT, "holds": f"{YES_NO}?", "detail": TEXT, "code": TEXT, "params": {}}],
}
KINDS = {
    *("opener", "table_count", "shift_count", "closer", "fill", "credit", "unknown_slip", "exchange"),
    *("counters", "box", "cage"),
}
ITEMS = [
    *("sessions_closed", "boxes_counted", "slips_settled", "discrepancies_explained", "hits_locked"),
    *("variances_closed", "no_rest", "cage_closed", "nothing_aside", "journal_balanced"),
    *("readers_beyond", "heads_beyond"),
]


def unlike(expected: Any, value: Any, place: str = "") -> Iterator[str]:
    """Yield the differences between a report and the table."""
    if isinstance(expected, dict) and ... in expected:
        for name, part in value.items():
            yield from unlike(expected[...], part, f"{place}/{name}")
    elif expected == {}:  # parameters of a code, as `events/error_codes` has them
        if not isinstance(value, dict):
            yield f"{place}: {value!r} is not an object"
    elif isinstance(expected, dict):
        if {*expected} != {*value}:
            yield f"{place}: {sorted({*expected} ^ {*value})}"
        for name in (key for key in expected if key in value):
            yield from unlike(expected[name], value[name], f"{place}/{name}")
    elif isinstance(expected, list):
        for number, part in enumerate(value):
            yield from unlike(expected[0], part, f"{place}/{number}")
    elif not _is(expected.removesuffix("?"), value) and not (value is None and expected.endswith("?")):
        yield f"{place}: {value!r} is not {expected}"


def _is(expected: str, value: Any) -> bool:
    if expected == DECIMAL:
        return isinstance(value, str) and value.lstrip("-").replace(".", "", 1).isdigit()
    return type(value) is {TEXT: str, WHOLE: int, YES_NO: bool}[expected]


def report(house: Any, day: str = DAY) -> Json:
    """Return the report as the command prints it."""
    made = day_reports.make(house.store, PROPERTY, day, house.store.position())
    report_ = report_json_and_csv.report_json(made, SystemState())
    whole: Json = json.loads(msgspec.json.encode(report_))
    return whole


@pytest.fixture
def worked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    made = WorkedDay()
    yield made
    made.close()


STEPS = ("begin", "first_shift", "count_first", "second_shift", "count_boxes", "close_cage")


def test_every_field_at_every_step_of_the_day_that_is_worked_out(worked: WorkedDay) -> None:
    for step in STEPS:
        getattr(worked, step)()
        report_ = report(worked)
        assert [*unlike(REPORT, report_)] == [], step
        assert [*report_] == [*REPORT], "people find things where they were"
        assert [item["item"] for item in report_["checklist"]] == ITEMS


def nulls(value: Any, place: str = "") -> Iterator[str]:
    """Yield the places of null values."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in inside:
        yield from nulls(part, f"{place}/{name}")
    if value is None:
        yield place


def test_what_is_not_known_yet_is_null_and_nothing_else_is(worked: WorkedDay) -> None:
    worked.begin()
    worked.first_shift()
    unknown = ("end_minor", "inventory_win_minor", "parts/drop_minor", "parts/inventory_minor", "parts/rest_minor")
    running = {f"/tables/0/{place}/{name}" for place in ("shifts/0", "day") for name in unknown}
    uncounted = {f"/cage/{name}_minor/counted_minor" for name in ("chips", "cash", "marker")}
    figures = {name: value for name, value in report(worked).items() if name != "checklist"}
    assert {*nulls(figures)} == running | uncounted
    for step in STEPS[2:]:
        getattr(worked, step)()
    whole = {name: value for name, value in report(worked).items() if name != "checklist"}
    assert [*nulls(whole)] == []


@pytest.mark.parametrize("seed", [2, 9])
def test_every_field_and_every_order_of_days_as_they_come(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    floor = RandomFloor(seed)
    for _ in range(150):
        floor.step()
    for day in {
        day_ for day_ in DAYS if any(f"/{day_}" in stored_event.stream for stored_event in everything(floor.store))
    }:
        report_ = report(floor, day)
        assert [*unlike(REPORT, report_)] == [], day
        names = [table["table"] for table in report_["tables"]]
        assert names == sorted(names)
        slips = [(slip["kind"], slip["number"]) for slip in report_["slips"]]
        assert slips == sorted(slips)
        assert {discrepancy["kind"] for discrepancy in report_["discrepancies"]} <= KINDS
        if report_["status"] == "open":
            assert [_as_found(discrepancy) for discrepancy in report_["discrepancies"]] == _in_the_store(floor, day)
        for table in (table for table in report_["tables"] if not table["recorded"]):
            bets = ("lost", "due", "paid", "commission", "promotional_stakes", "undecided", "event_win", "expected")
            assert {table["day"][f"{name}_minor"] for name in bets} == {None}
            assert {table["day"]["parts"][f"{name}_minor"] for name in ("mispay", "inventory", "rest")} == {None}
    floor.close()


def _as_found(discrepancy: Json) -> tuple[Any, ...]:
    return discrepancy["kind"], discrepancy["table"], discrepancy["expected_minor"], discrepancy["found_minor"]


def _in_the_store(floor: RandomFloor, day: str) -> list[tuple[Any, ...]]:
    """Discrepancies by their positions."""
    stored = everything(floor.store, types=("discrepancy.found.v1",))
    discrepancies: list[Any] = [catalogue.decode(stored_event.type, stored_event.raw).data for stored_event in stored]
    return [
        (discrepancy.kind, discrepancy.table, discrepancy.expected_minor, discrepancy.found_minor)
        for discrepancy in discrepancies
        if discrepancy.gaming_day == day
    ]
