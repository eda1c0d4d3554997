"""The report of a gaming day as CSV, one sheet a list; amounts in minor units, under the names that the JSON has."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]


def sheets(said: Row) -> Iterator[tuple[str, str]]:
    """The name of each file, and what it holds."""
    for name, rows in lists(said):
        yield f"{name}.csv", sheet(rows)


def lists(said: Row) -> Iterator[tuple[str, Sequence[Row]]]:
    """The name of each list, and its lines."""
    yield "report", [{name: said[name] for name in said if not isinstance(said[name], list | dict)}]
    yield "shifts", [{"table": table["table"], **flat(shift)} for table in said["tables"] for shift in table["shifts"]]
    yield "tables", [_day(table) for table in said["tables"]]
    yield "cage", [{"tender": name.removesuffix("_minor"), **both} for name, both in said["cage"].items()]
    yield "chips", [said["chips"]]
    progressives = said.get("progressives", ())
    yield (
        "progressives",
        [{"progressive": one["progressive"], **level} for one in progressives for level in one["levels"]],
    )
    balances = (said.get("journal") or {}).items()
    yield "journal", [{"account": account, "balance": balance} for account, balance in balances]
    for name in ("slips", "discrepancies", "checklist"):
        yield name, said.get(name) or []


def _day(table: Row) -> Row:
    return {name: table[name] for name in ("table", "game", "pit", "recorded")} | flat(table["day"])


def flat(row: Row, before: str = "") -> dict[str, Any]:
    """What lies deeper, under both names: "drop.cash_minor"."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        found |= flat(value, f"{before}{name}.") if isinstance(value, Mapping) else {f"{before}{name}": value}
    return found


def sheet(rows: Sequence[Row]) -> str:
    """Lines under their names; nothing where there are none. What is not known is empty."""
    if not rows:
        return ""
    out = io.StringIO()
    writer = csv.DictWriter(out, [*rows[0]], lineterminator="\r\n")
    writer.writeheader()
    writer.writerows([{name: _cell(value) for name, value in row.items()} for row in rows])
    return out.getvalue()


def _cell(value: Any) -> Any:
    """No cell is a formula: what begins like one is text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "@", "\t")) else value
