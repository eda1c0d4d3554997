"""What went wrong in the demo's night on purpose, and where the reports of the day show it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from backoffice.books_text import money
from events.accounting.report.changes import Change

Figures = Mapping[str, Any]


@dataclass(frozen=True)
class Mistakes:
    """At which table, by its place on the floor, what goes wrong on purpose; None: at none tonight."""

    mispay: int | None = 0
    short_fill: int | None = 1
    closer: int | None = 1
    box: int | None = 2


@dataclass(frozen=True)
class Planted:
    """A mistake at a table, in minor units as it moves what is found; `what` tells it."""

    kind: Literal["mispay", "fill", "counters", "closer", "box"]
    table: str
    amount: int
    what: str


@dataclass(frozen=True)
class Reports:
    """Those of the day: as it was closed, as it is restated, and what changed between the two."""

    closed: Figures
    restated: Figures
    changed: Sequence[Change]


def told(planted: Iterable[Planted], reports: Reports) -> Iterator[str]:
    """Each mistake, and where it stands, read from the reports."""
    for one in planted:
        places = found(one, reports)
        yield f"  {one.table}: {one.what}"
        yield from (f"    -> {place}" for place in places or ["NOT FOUND"])


def found(one: Planted, reports: Reports) -> list[str]:
    """Where the reports show it; nowhere is a fault of theirs."""
    currency = reports.closed["currency"]
    if one.kind == "mispay":
        return list(_of_wins(one, reports.closed, currency))
    if one.kind == "box":
        return list(_restated(one, reports, currency))
    return list(_of_discrepancies(one, reports.closed, currency))


def unexplained(planted: Sequence[Planted], reports: Reports) -> Iterator[str]:
    """What the reports show, and nobody planted: rests of the wins, other discrepancies."""
    known = [(one.kind, one.table, one.amount) for one in planted]
    for one in reports.restated["discrepancies"]:
        said = one["kind"], one["table"], _difference(one)
        if said not in known:
            yield f"a discrepancy that nobody planted: {said}"
    for table, shift in _shifts(reports.restated):
        if shift["parts"]["rest_minor"]:
            yield f"{table}, {shift['shift']}: the wins differ by what nothing explains"


def _of_wins(one: Planted, figures: Figures, currency: str) -> Iterator[str]:
    for table, shift in _shifts(figures):
        if table == one.table and shift["parts"]["mispay_minor"] == one.amount:
            both = [money(shift[f"{name}_win_minor"], currency) for name in ("inventory", "event")]
            part = money(one.amount, currency)
            yield f"two wins, shift {shift['shift']}: by the tray {both[0]}, by the bets {both[1]}; mispay {part} of it"


def _of_discrepancies(one: Planted, figures: Figures, currency: str) -> Iterator[str]:
    for row in figures["discrepancies"]:
        if (row["kind"], row["table"], _difference(row)) == (one.kind, one.table, one.amount):
            both = [money(row[f"{name}_minor"], currency) for name in ("found", "expected")]
            said = "explained" if row["explained"] else "not explained"
            yield f"discrepancies, {one.kind}: {both[0]} found, {both[1]} expected; {row['band']}, {said}"


def _restated(one: Planted, reports: Reports, currency: str) -> Iterator[str]:
    """The figures of that table which the restatement says otherwise."""
    number = reports.restated["restatement"]
    for change in reports.changed:
        if change.place == f"tables/{one.table}/day/inventory_win_minor":
            both = [money(said, currency) for said in (change.before, change.after)]
            yield f"restatement {number}: win by the tray {both[1]}, {both[0]} when the day was closed"


def _shifts(figures: Figures) -> Iterator[tuple[str, Figures]]:
    for table in figures["tables"]:
        for shift in table["shifts"]:
            yield table["table"], shift


def _difference(row: Figures) -> int:
    difference: int = row["found_minor"] - row["expected_minor"]
    return difference
