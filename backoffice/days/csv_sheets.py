"""The report of a gaming day as CSV, one sheet a list; amounts in minor units, under the names that the JSON has."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]


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
    yield "tables", [_day(table) for table in report["tables"]]
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


def _day(table: Row) -> Row:
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
