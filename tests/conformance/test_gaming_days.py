"""Requirements of regulators for a whole gaming day, clause by clause.

They cover the formula of the win, the series of slips, the accounting copy and adjustments. Invariants of the trade are
tested too.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.accounting import win_report_lines
from events.accounting.journal import balances
from events.accounting.report import checklist_system_state_source, day_reports
from events.accounting.report.checklist_system_state_source import SystemState
from events.accounting.report.property_ledger_fold import NotingLedger, accounting_event
from events.accounting.table_shifts_fold import TableShifts
from events.store import everything
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.houses.worked_day import WorkedDay, chips


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    made_ = WorkedDay()
    checklist_system_state_source.register_source(made_.store, lambda: SystemState(readers={}, head=10**9, aside={}))
    yield made_
    made_.close()


def report(house: WorkedDay) -> dict[str, Any]:
    return day_reports.make(house.store, PROPERTY, DAY, house.store.position()).figures


def rows(house: WorkedDay) -> list[dict[str, Any]]:
    [table] = report(house)["tables"]
    return [*table["shifts"], table["day"]]


def test_ny_5315_1_the_win_is_drop_and_closing_inventory_and_credits_less_fills_and_opening_inventory(
    house: WorkedDay,
) -> None:
    house.play()
    for row in rows(house):
        drop = row["drop"]["cash_minor"] + row["drop"]["marker_minor"] + row["drop"]["chips_minor"]
        moved = row["end_minor"] + row["credits_minor"] - row["fills_minor"] - row["begin_minor"]
        assert row["inventory_win_minor"] == drop + moved


def test_ny_5315_1_vouchers_are_no_drop_and_are_named_apart(house: WorkedDay) -> None:
    house.play()
    first = rows(house)[0]
    assert (first["drop"]["promotional_minor"], first["parts"]["promotional_minor"]) == (10_000, -10_000)


def test_ny_5315_1_both_wins_differ_by_named_parts_and_by_nothing_else(house: WorkedDay) -> None:
    house.play()
    for row in rows(house):
        assert row["parts"]["rest_minor"] == 0
        assert row["inventory_win_minor"] - row["event_win_minor"] == sum(row["parts"].values())


def test_ny_5315_1_shifts_add_up_to_tables_and_tables_to_pits_and_the_house(house: WorkedDay) -> None:
    house.play()
    ledger = day_reports.make(house.store, PROPERTY, DAY, house.store.position()).ledger
    days: list[TableShifts] = [*ledger.tables.values()]
    tables = [win_report_lines.of_table(day).day for day in days]
    whole = win_report_lines.total_win_figures([*tables, *tables])
    assert whole.inventory_win_minor == 2 * 50_500
    assert whole.event_win_minor == 2 * 65_000
    assert whole.parts.rest_minor == 0


def test_la_2717_every_number_of_a_series_is_accounted_for(house: WorkedDay) -> None:
    house.begin()
    house.fill(5_000)
    house.slip("fill", 10_000)
    void = house.action("slip.void", kind="fill", slip=2, reason="not needed")
    house.agreed("cage", "", ("cage", "sid"), void)
    house.slip("fill", 15_000)
    slips = [(slip["kind"], slip["number"], slip["status"], slip["received_minor"]) for slip in report(house)["slips"]]
    assert slips == [("fill", 1, "received", 5_000), ("fill", 2, "void", None), ("fill", 3, "open", None)]


@pytest.mark.parametrize("person", ["ines", "paul", "cage", "dora"])
def test_la_2717_the_accounting_copy_is_altered_by_nobody_of_pit_or_cage(house: WorkedDay, person: str) -> None:
    house.play()
    actions: dict[str, dict[str, Any]] = {
        "day.close": {},
        "day.override": {"item": "no_rest", "reason": "x"},
        "discrepancy.explain": {"discrepancy": f"{PROPERTY}/tables/FR1/{DAY}@1", "reason": "x"},
        "day.amend": {"events": [f"{PROPERTY}/tables/FR1/{DAY}@1"], "reason": "x"},
    }
    for kind, data in actions.items():
        assert house.no("days", "", person, house.action(kind, **data)).status == 403, kind


def test_nj_1_34_every_adjustment_is_recorded_beside_what_it_adjusts(house: WorkedDay) -> None:
    house.play()
    house.ok("days", "", "anna", house.action("day.close"))
    closed = report(house)
    recount = house.action("count.settle", table="FR1", drop_box="one", cash={"5000": 58}, marker_minor=50_000)
    settled, discrepancy = house.agreed("days", "", ("cora", "carl"), recount)[1:3]
    amend = house.action("day.amend", events=[settled.id, discrepancy.id], reason="notes of another table")
    house.agreed("days", "", ("anna", "sid"), amend)
    steps = day_reports.restated(house.store, PROPERTY, DAY, house.store.position())
    changed = {change.place: (change.before, change.after, step.event) for step in steps for change in step.changed}
    before = closed["tables"][0]["shifts"][0]["drop"]["cash_minor"]
    assert changed["tables/FR1/shifts/day/drop/cash_minor"] == (before, before - 10_000, settled.id)
    assert day_reports.make(house.store, PROPERTY, DAY, closed["as_of"] + 1).figures == closed


def test_nj_1_34_what_is_explained_stays_on_the_list(house: WorkedDay) -> None:
    house.play()
    [first, *_] = house.store.after(0, 1_000, ["discrepancy.found.v1"])
    explanation = house.action(
        "discrepancy.explain", discrepancy=f"{first.stream}@{first.version}", reason="a chip fell"
    )
    house.ok("days", "", "anna", explanation)
    assert [discrepancy["explained"] for discrepancy in report(house)["discrepancies"]] == [True, False]


def test_nj_1_22_a_fill_as_the_cage_sees_it_is_the_fill_as_the_table_sees_it(house: WorkedDay) -> None:
    house.begin()
    slip = house.slip("fill", 100_000)
    assert report(house)["chips"]["transit_minor"] == 100_000
    house.lead("fill.receive", slip=slip, chips=chips(99_500))
    figures = report(house)
    [fill] = figures["slips"]
    assert (fill["issued_minor"], fill["received_minor"]) == (100_000, figures["tables"][0]["day"]["fills_minor"])
    assert [(discrepancy["kind"], discrepancy["found_minor"]) for discrepancy in figures["discrepancies"]] == [
        ("fill", 99_500)
    ]
    assert figures["chips"]["transit_minor"] == 0


def test_md_02_chips_are_conserved_over_tables_cage_transit_and_players(house: WorkedDay) -> None:
    house.play()
    chips = report(house)["chips"]
    assert chips["issued_minor"] == sum(amount for place, amount in chips.items() if place != "issued_minor")
    assert chips["players_minor"] >= 0


def test_invariant_8_every_entry_balances_and_an_event_posts_once(house: WorkedDay) -> None:
    house.play()
    ledger, posted = NotingLedger(""), Counter[str]()
    for stored_event in everything(house.store):
        if (fact := accounting_event(stored_event, PROPERTY)) is not None:
            for posting in ledger.posted(fact):
                assert posting.event == fact.id
                assert posting.debit != posting.credit
                posted.update({posting.debit: posting.micro, posting.credit: -posting.micro})
    assert sum(posted.values()) == 0
    journal = balances.balances(balances.all_lines(ledger.journal.sums))
    assert {name: micro for name, micro in posted.items() if micro} == {k: v for k, v in journal.items() if v}


def test_ks_104_7_a_change_keeps_the_original_marks_the_new_record_and_says_who(house: WorkedDay) -> None:
    house.play()
    [closed] = house.ok("days", "", "anna", house.action("day.close"))
    before = report(house)
    asking = house.action("count.settle", table="FR1", drop_box="two", cash={"1000": 119})
    late = [event.id for event in house.agreed("days", "", ("cora", "carl"), asking)[1:]]
    asking = house.action("day.amend", events=late, reason="counted again")
    amended = house.agreed("days", "", ("anna", "sid"), asking)[-1]
    first = day_reports.make(house.store, PROPERTY, DAY, closed.data.position + 1)
    assert (first.figures, first.digest) == (before, closed.data.digest), "the original is there, and the same"
    marked = report(house)
    assert (before["restatement"], marked["restatement"]) == (0, 1)
    assert marked["tables"][0]["day"]["inventory_win_minor"] == 49_500
    assert (amended.actor, [person for person, _ in amended.data.approvals]) == ("sid", ["anna", "sid"])
    assert (amended.data.reason, [*amended.data.events]) == ("counted again", late)


def test_nigc_542_31_a_bet_that_spans_shifts_is_decided_in_the_second_and_lies_at_the_end_of_the_first(
    house: WorkedDay,
) -> None:
    house.play()
    first, second, _ = rows(house)
    assert (first["undecided_minor"], first["lost_minor"], second["lost_minor"]) == (5_000, 245_000, 90_000)
