"""A payment reported after a table's close took its chips from the tray twice, as the count already lacked them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.accounting.report import day_reports
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.houses.worked_day import WorkedDay, chips


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkedDay]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    made_ = WorkedDay()
    made_.begin()
    yield made_
    made_.close()


def figures(house: WorkedDay) -> dict[str, Any]:
    return day_reports.make(house.store, PROPERTY, DAY, house.store.position()).figures


def test_a_payment_found_later_was_gone_when_the_tray_was_counted(house: WorkedDay) -> None:
    house.deal("round.open")
    house.bet("a", "red", 5_000)
    house.red_falls()
    house.deal("round.end", _intent="fact")
    house.lead("session.close", closer=chips(1_995_000))  # the dealer has paid, and nobody recorded it
    before = figures(house)
    late = house.action("payment.report", bet="a", amount_minor=5_000, won_in=1, reason="the video", _intent="fact")
    house.ok("tables", "FR1", "paul", late)
    after = figures(house)
    assert (before["chips"]["tables_minor"], after["chips"]["tables_minor"]) == (1_995_000, 1_995_000)
    assert [figures["tables"][0]["day"]["expected_minor"] for figures in (before, after)] == [2_000_000, 1_995_000]
    assert [figures["tables"][0]["day"]["parts"]["inventory_minor"] for figures in (before, after)] == [-5_000, 0]
    assert after["discrepancies"] == before["discrepancies"]
