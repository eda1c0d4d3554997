"""Planted mistakes of the demo's night, and their places in the day's reports."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from backoffice.wording.terminal_tables import money
from events.accounting.report.report_diff import ReportChange

Figures = Mapping[str, Any]


@dataclass(frozen=True)
class Mistakes:
    """Tables of the planted mistakes, by place on the floor; None: no such mistake tonight."""

    mispay: int | None = 0
    short_fill: int | None = 1
    closer: int | None = 1
    box: int | None = 2


@dataclass(frozen=True)
class PlantedMistake:
    """A mistake at a table, in minor units as its change of a count; `what` describes it."""

    kind: Literal["mispay", "fill", "counters", "closer", "box"]
    table: str
    amount: int
    what: str


@dataclass(frozen=True)
class Reports:
    """Reports of the day: as closed, as restated, and the changes between the two."""

    closed: Figures
    restated: Figures
    changed: Sequence[ReportChange]


def mistake_lines(planted: Iterable[PlantedMistake], reports: Reports) -> Iterator[str]:
    """Yield each mistake, and its places in the reports."""
    for mistake in planted:
        places = report_places(mistake, reports)
        yield f"  {mistake.table}: {mistake.what}"
        yield from (f"    -> {place}" for place in places or ["NOT FOUND"])


def report_places(mistake: PlantedMistake, reports: Reports) -> list[str]:
    """Return the places of a mistake in the reports; without any the reports are wrong."""
    currency = reports.closed["currency"]
    if mistake.kind == "mispay":
        return list(_of_wins(mistake, reports.closed, currency))
    if mistake.kind == "box":
        return list(_restated(mistake, reports, currency))
    return list(_of_discrepancies(mistake, reports.closed, currency))


def unexplained(planted: Sequence[PlantedMistake], reports: Reports) -> Iterator[str]:
    """Yield the faults in the reports that no one planted: unexplained differences of the wins, other
    discrepancies."""
    planted_differences = [(mistake.kind, mistake.table, mistake.amount) for mistake in planted]
    for discrepancy in reports.restated["discrepancies"]:
        key = discrepancy["kind"], discrepancy["table"], _difference(discrepancy)
        if key not in planted_differences:
            yield f"a discrepancy that nobody planted: {key}"
    for table, shift in _shifts(reports.restated):
        if shift["parts"]["rest_minor"]:
            yield f"{table}, {shift['shift']}: the wins differ by what nothing explains"


def _of_wins(mistake: PlantedMistake, figures: Figures, currency: str) -> Iterator[str]:
    for table, shift in _shifts(figures):
        if table == mistake.table and shift["parts"]["mispay_minor"] == mistake.amount:
            both = [money(shift[f"{name}_win_minor"], currency) for name in ("inventory", "event")]
            part = money(mistake.amount, currency)
            yield f"two wins, shift {shift['shift']}: by the tray {both[0]}, by the bets {both[1]}; mispay {part} of it"


def _of_discrepancies(mistake: PlantedMistake, figures: Figures, currency: str) -> Iterator[str]:
    for row in figures["discrepancies"]:
        if (row["kind"], row["table"], _difference(row)) == (mistake.kind, mistake.table, mistake.amount):
            both = [money(row[f"{name}_minor"], currency) for name in ("found", "expected")]
            status = "explained" if row["explained"] else "not explained"
            yield f"discrepancies, {mistake.kind}: {both[0]} found, {both[1]} expected; {row['band']}, {status}"


def _restated(mistake: PlantedMistake, reports: Reports, currency: str) -> Iterator[str]:
    """Yield the figures of that table that the restatement changes."""
    number = reports.restated["restatement"]
    for change in reports.changed:
        if change.place == f"tables/{mistake.table}/day/inventory_win_minor":
            both = [money(amount, currency) for amount in (change.before, change.after)]
            yield f"restatement {number}: win by the tray {both[1]}, {both[0]} when the day was closed"


def _shifts(figures: Figures) -> Iterator[tuple[str, Figures]]:
    for table in figures["tables"]:
        for shift in table["shifts"]:
            yield table["table"], shift


def _difference(row: Figures) -> int:
    difference: int = row["found_minor"] - row["expected_minor"]
    return difference
