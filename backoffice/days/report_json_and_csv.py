"""The report of a gaming day as JSON, with status, digest and checklist, and as CSV: one sheet a list.

Amounts are in minor units, under the same names in both.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from events.accounting.report.checklist_system_state_source import SystemState
from events.accounting.report.closing_checklist import CheckedItem, checklist
from events.accounting.report.day_reports import MadeReport
from events.error_codes import json_params

# In the order in which people need them.
_FIRST = ("layout", "day", "currency", "as_of", "restatement")
Row = Mapping[str, Any]


def report_json(report_made: MadeReport, programs: SystemState) -> dict[str, Any]:
    """Return the canonical figures with status, digest and checklist."""
    day = report_made.figures["day"]
    first = {name: report_made.figures[name] for name in _FIRST}
    rest = {name: value for name, value in report_made.figures.items() if name not in _FIRST}
    items = [_check_json(check) for check in checklist(report_made.ledger, day, programs)]
    return {**first, "status": report_made.basis.status, "digest": report_made.digest, **rest, "checklist": items}


def _check_json(check: CheckedItem) -> dict[str, Any]:
    """`detail` is English; people read the sentence of its code."""
    code, params = (check.text.code, json_params(check.text)) if check.text is not None else ("", {})
    return {"item": check.item, "holds": check.holds, "detail": check.detail, "code": code, "params": params}


def sheets(report: Row) -> Iterator[tuple[str, str]]:
    """Yield each file's name and contents."""
    for name, rows in lists(report):
        yield f"{name}.csv", sheet(rows)


def lists(report: Row) -> Iterator[tuple[str, Sequence[Row]]]:
    """Yield each list's name and lines."""
    yield "report", [{name: report[name] for name in report if not isinstance(report[name], list | dict)}]
    yield (
        "shifts",
        [{"table": table["table"], **flat(shift)} for table in report["tables"] for shift in table["shifts"]],
    )
    yield "tables", [_day_row(table) for table in report["tables"]]
    yield "cage", [{"tender": name.removesuffix("_minor"), **both} for name, both in report["cage"].items()]
    yield "chips", [report["chips"]]
    progressives = report.get("progressives", ())
    yield (
        "progressives",
        [
            {"progressive": progressive["progressive"], **level}
            for progressive in progressives
            for level in progressive["levels"]
        ],
    )
    balances = (report.get("journal") or {}).items()
    yield "journal", [{"account": account, "balance": balance} for account, balance in balances]
    for name in ("slips", "discrepancies"):
        yield name, report.get(name) or []
    checks = report.get("checklist") or []
    yield "checklist", [{name: check[name] for name in ("item", "holds", "detail")} for check in checks]


def _day_row(table: Row) -> Row:
    return {name: table[name] for name in ("table", "game", "pit", "recorded")} | flat(table["day"])


def flat(row: Row, before: str = "") -> dict[str, Any]:
    """Return the row with nested values under joined names: "drop.cash_minor"."""
    flat_row: dict[str, Any] = {}
    for name, value in row.items():
        flat_row |= flat(value, f"{before}{name}.") if isinstance(value, Mapping) else {f"{before}{name}": value}
    return flat_row


def sheet(rows: Sequence[Row]) -> str:
    """Return lines under their column names; an empty text without lines. An unknown value is empty."""
    if not rows:
        return ""
    out = io.StringIO()
    writer = csv.DictWriter(out, [*rows[0]], lineterminator="\r\n")
    writer.writeheader()
    writer.writerows([{name: _cell(value) for name, value in row.items()} for row in rows])
    return out.getvalue()


def _cell(value: Any) -> Any:
    """Return a cell that is no formula: a text in the form of one stays text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "@", "\t")) else value
