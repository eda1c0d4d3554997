"""The canonical report: the day calculated by hand, to the cent; the same bytes in every process and store."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.accounting.report import (
    canonical_report_bytes,
    canonical_report_from_ledger,
    ledger_cache_for_day_close,
)
from events.accounting.report.property_ledger_fold import Ledger, accounting_event, fold
from events.store import everything, open_store
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.houses.worked_day import CAGE, CASH, WorkedDay

ALL_CHIPS = sum(int(denomination) * count for denomination, count in CAGE.items())


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    made = WorkedDay()
    yield made
    made.close()


def ledger(house: WorkedDay, until: int | None = None) -> Ledger:
    return fold(everything(house.store, until=until), PROPERTY)


def report(house: WorkedDay, until: int | None = None) -> dict[str, Any]:
    return canonical_report_from_ledger.figures(ledger(house, until), DAY, until or house.store.position())


def values_at(figures: dict[str, Any], *names: str) -> list[Any]:
    return [figures[f"{name}_minor"] for name in names]


def test_the_day_that_is_worked_out(house: WorkedDay) -> None:
    house.play()
    figures = report(house)
    [table] = figures["tables"]
    first, second = table["shifts"]
    assert [shift["shift"] for shift in table["shifts"]] == ["day", "night"]
    begins = ("begin", "fills", "expected", "end", "lost", "due", "paid", "undecided")
    assert values_at(first, *begins) == [2_000_000, 100_000, 1_853_000, 1_853_000, 245_000, 130_000, 132_000, 5_000]
    assert values_at(second, "credits", "expected", "end", "lost", "due", "paid", "undecided") == [
        *(50_000, 1_633_000, 1_630_500, 90_000, 140_000, 140_000, 0),
    ]
    parts = ("mispay", "promotional", "drop", "inventory", "rest")
    sums = [
        (values_at(shift, "inventory_win", "event_win"), values_at(shift["parts"], *parts))
        for shift in (first, second, table["day"])
    ]
    assert sums == [
        ([103_000, 115_000], [-2_000, -10_000, 0, 0, 0]),
        ([-52_500, -50_000], [0, 0, 0, -2_500, 0]),
        ([50_500, 65_000], [-2_000, -10_000, 0, -2_500, 0]),
    ]
    assert table["day"]["drop"] == {
        "cash_minor": 420_000,
        "marker_minor": 50_000,
        "promotional_minor": 10_000,
        "chips_minor": 0,
        "counted": True,
    }


def test_what_stands_beside_the_tables(house: WorkedDay) -> None:
    house.play()
    figures = report(house)
    assert [
        (discrepancy["kind"], discrepancy["expected_minor"], discrepancy["found_minor"], discrepancy["band"])
        for discrepancy in figures["discrepancies"]
    ] == [
        ("closer", 1_633_000, 1_630_500, "recorded"),
        ("counters", 121_000, 120_000, "recorded"),
    ]
    slip = {"number": 1, "status": "received", "table": "FR1"}
    assert figures["slips"] == [
        {"kind": "credit", "issued_minor": 50_000, "received_minor": 50_000, **slip},
        {"kind": "fill", "issued_minor": 100_000, "received_minor": 100_000, **slip},
    ]
    in_cage = ALL_CHIPS - 2_000_000 - 100_000 + 50_000
    assert figures["cage"] == {
        "chips_minor": {"expected_minor": in_cage, "counted_minor": in_cage},
        "cash_minor": {"expected_minor": CASH + 420_000, "counted_minor": CASH + 420_000},
        "marker_minor": {"expected_minor": 50_000, "counted_minor": 50_000},
    }
    assert figures["chips"] == {
        "issued_minor": ALL_CHIPS,
        "tables_minor": 1_630_500,
        "cage_minor": in_cage,
        "transit_minor": 0,
        "players_minor": ALL_CHIPS - 1_630_500 - in_cage,
    }
    assert (figures["currency"], figures["layout"], figures["restatement"]) == ("EUR", 4, 0)
    tables = [figures["journal"][f"{account}:FR1"] for account in ("Assets:Chips:Tables", "Income:Tables")]
    assert tables == ["16305.00", "-650.00"]


def test_the_first_layout_has_no_journal_and_is_otherwise_the_same(house: WorkedDay) -> None:
    house.play()
    now, position = ledger(house), house.store.position()
    first, second = (canonical_report_from_ledger.figures(now, DAY, position, layout=layout) for layout in (1, 2))
    assert (first["journal"], first["layout"], {**first, "journal": second["journal"], "layout": 2}) == (
        None,
        1,
        second,
    )


def test_a_progressive_that_nothing_moved(house: WorkedDay) -> None:
    house.play()
    [blazing] = report(house)["progressives"]
    assert (blazing["progressive"], blazing["reserve"], blazing["unpaid_jackpots_minor"]) == ("blazing", "0.00", 0)
    still = {"fed": "0.00", "seeds": "0.00", "adjusted": "0.00", "locked": "0.00"}
    assert blazing["levels"][0] == {"level": "mega", "begin": "50000.00", "meter": "50000.00", **still}


def test_later_events_change_nothing_of_what_was_said_at_a_position(house: WorkedDay) -> None:
    house.begin()
    reports = {}
    for step in (house.first_shift, house.count_first, house.second_shift, house.count_boxes, house.close_cage):
        reports[house.store.position()] = canonical_report_bytes.encode(report(house))
        step()
    for position, raw in reports.items():
        assert canonical_report_bytes.encode(report(house, position)) == raw
    assert len({*reports.values()}) == len(reports)


def test_at_every_position_it_is_what_one_pass_says_there(house: WorkedDay) -> None:
    """Books that continue from event to event equal books from the first event. A copy of the books stays as it is."""
    house.play()
    books = Ledger()
    copies: list[tuple[int, Ledger, bytes]] = []
    for stored_event in everything(house.store):
        if (fact := accounting_event(stored_event, PROPERTY)) is None:
            continue
        books.take(fact)
        if fact.position % 10 == 0:
            raw = canonical_report_bytes.encode(canonical_report_from_ledger.figures(books, DAY, fact.position))
            copies.append((fact.position, books.copy(), raw))
            assert raw == canonical_report_bytes.encode(report(house, fact.position))
    for position, copy, raw in copies:
        assert canonical_report_bytes.encode(canonical_report_from_ledger.figures(copy, DAY, position)) == raw


def test_while_the_day_runs_what_is_not_known_is_null(house: WorkedDay) -> None:
    house.begin()
    house.first_shift()
    figures = report(house)
    [shift] = figures["tables"][0]["shifts"]
    assert values_at(shift, "end", "inventory_win", "undecided") == [None, None, 5_000]
    assert values_at(shift["parts"], "drop", "inventory", "rest") == [None, None, None]
    assert figures["cage"]["cash_minor"] == {"expected_minor": CASH, "counted_minor": None}


def test_it_is_written_the_same_on_another_store(house: WorkedDay, tmp_path: Path) -> None:
    house.play()
    other = WorkedDay(open_store(f"sqlite:///{tmp_path / 'events.sqlite3'}"))
    other.play()
    assert canonical_report_bytes.encode(report(other)) == canonical_report_bytes.encode(report(house))
    other.close()


def test_a_process_begins_at_a_snapshot_and_says_the_same(house: WorkedDay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_cache_for_day_close, "SNAPSHOT_EVERY", 10)
    house.begin()
    house.first_shift()
    ledger_cache_for_day_close.prepare(house.store, PROPERTY)
    saved = house.store.position()
    house.count_first()
    house.store.process_cache.clear()
    fresh = ledger_cache_for_day_close.cached_ledger(house.store, PROPERTY)
    assert fresh.position == saved
    fresh.catch_up(house.store)
    figures = canonical_report_from_ledger.figures(fresh.ledger, DAY, house.store.position())
    assert canonical_report_bytes.encode(figures) == canonical_report_bytes.encode(report(house))
