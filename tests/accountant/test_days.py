"""Every figure of the report at many positions of random days, compared with the second accountant's."""

import json
from pathlib import Path
from typing import Any

import pytest

from events.accounting.report import canonical_report_bytes, day_reports
from events.accounting.report.checklist_system_state_source import SystemState
from events.accounting.report.closing_checklist import checklist
from events.errors import Unknown
from events.store import everything
from tests.accountant.corrected_vouchers import CorrectedVouchers, corrected_losses
from tests.accountant.independent_report_figures import Accountant
from tests.accountant.random_gaming_days import RandomFloor
from tests.accountant.random_jackpot_events import DAYS
from tests.accountant.random_reported_facts import ReportedFactsFloor
from tests.support.houses.small_house import PROPERTY
from tests.support.records.journals import holds, positions

OF_PEERS = ("layout", "journal")  # which have peers of their own
OF_PROGRAMS = {"nothing_aside", "readers_beyond", "heads_beyond"}  # items that hang on no event; a journal is balanced


def compared(floor: RandomFloor, positions: int) -> int:
    """Compare the reports at this number of positions, and return the number of reports."""
    lines = [(stored_event.position, stored_event.raw.decode()) for stored_event in everything(floor.store)]
    accountant, last, seen = Accountant(lines), lines[-1][0], 0
    at = {last, *(floor.random.randint(1, last) for _ in range(positions - 1))}
    for position in sorted(at):
        for day in DAYS:
            try:
                ours = day_reports.make(floor.store, PROPERTY, day, position)
            except Unknown:
                continue
            theirs = accountant.report(day, position)
            figures = json.loads(canonical_report_bytes.encode(ours.figures))
            mine = {name: value for name, value in figures.items() if name not in OF_PEERS}
            assert mine == theirs, differing(mine, theirs, f"{day} as of {position}")
            failing = {item.item for item in checklist(ours.ledger, day, SystemState()) if item.holds is False}
            assert failing - OF_PROGRAMS == accountant.failing(day, position), f"{day} as of {position}"
            theirs = accountant.accounts(day, position)
            assert {name: figures["journal"].get(name) for name in theirs} == theirs, f"{day} as of {position}"
            seen += 1
    return seen


def differing(ours: Any, theirs: Any, place: str) -> str:
    """Return the differences of two reports."""
    return "\n".join(_apart(ours, theirs, place))


def _apart(ours: Any, theirs: Any, place: str) -> list[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        names = [*ours, *(name for name in theirs if name not in ours)]
        return [line for name in names for line in _apart(ours.get(name), theirs.get(name), f"{place}/{name}")]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [
            line for n, (a, b) in enumerate(zip(ours, theirs, strict=True)) for line in _apart(a, b, f"{place}/{n}")
        ]
    return [] if ours == theirs else [f"{place}: ours {ours!r}, theirs {theirs!r}"]


@pytest.mark.parametrize("seed", range(3))
def test_another_accountant_finds_the_same_of_days_that_are_only_reported(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Facts in any state of tables, boxes and cage: also every identity of the journal holds after each."""
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    floor = ReportedFactsFloor(seed)
    for _ in range(200):
        floor.step()
    for kind, ledger in positions(floor.store):
        holds(ledger, kind)
    assert compared(floor, positions=4) > 4
    floor.close()


@pytest.mark.parametrize("seed", range(4))
def test_another_accountant_finds_the_same_figures(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    floor = RandomFloor(seed)
    for _ in range(250):
        floor.step()
    assert compared(floor, positions=8) > 6
    floor.close()


@pytest.mark.parametrize("seed", range(3))
def test_another_accountant_finds_the_vouchers_of_corrected_settlements(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path))
    floor = CorrectedVouchers(seed)
    for _ in range(120):
        floor.step()
    assert floor.done["settlement.correct done"] > 3
    assert floor.done["count.verify done"] > 3
    assert compared(floor, positions=4) >= 3
    losses = [*corrected_losses(stored_event.raw.decode() for stored_event in everything(floor.store))]
    assert any(vouchers for vouchers, _ in losses)
    assert all(vouchers == of_tender for vouchers, of_tender in losses)
    floor.close()
