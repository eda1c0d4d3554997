"""The report of a gaming day on a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from backoffice.wording.terminal_tables import grid, money
from events.accounting.report.day_reports import ReportStep
from events.accounting.report.report_diff import ReportChange
from events.money.single_currency_rule import DEFAULT

Row = Mapping[str, Any]
_LINES = ("begin", "fills", "credits", "expected", "end", "lost", "due", "paid", "commission", "undecided")
_WINS = ("inventory_win", "event_win")
_BOX = ("cash", "marker", "promotional", "chips")
_BOUGHT = ("cash", "marker", "promotional")
_PARTS = ("mispay", "promotional", "drop", "inventory", "rest")
_HOLDS = {True: "yes", False: "NO", None: "not known"}


def render(report: Row) -> Iterator[str]:
    """Yield the report line by line."""
    currency = report["currency"] or DEFAULT
    restated = f" ({report['restatement']})" if report["restatement"] else ""
    yield f"{report['day']}, {report['status']}{restated}, as of {report['as_of']}; amounts in {currency}"
    yield f"layout {report['layout']}, digest {report['digest']}"
    yield ""
    for table in report["tables"]:
        yield from _table(table, currency)
    yield from _section(
        "Slips", report["slips"], ("kind", "number", "status", "table"), ("issued", "received"), currency
    )
    columns = ("kind", "table", "band", "explained")
    yield from _section("Discrepancies", report["discrepancies"], columns, ("expected", "found"), currency)
    cage = [{"tender": name.removesuffix("_minor"), **both} for name, both in report["cage"].items()]
    yield from _section("Cage", cage, ("tender",), ("expected", "counted"), currency)
    chips = ("issued", "tables", "cage", "transit", "players")
    yield from _section("Chips", [report["chips"]], (), chips, currency)
    for progressive in report["progressives"]:
        yield from _progressive(progressive, currency)
    yield from _journal(report["journal"] or {})
    yield "Checklist"
    checks = [[check["item"], _HOLDS[check["holds"]], check["detail"]] for check in report["checklist"]]
    yield from grid(["item", "holds", "detail"], checks)


def _table(table: Row, currency: str) -> Iterator[str]:
    columns = [*table["shifts"], {**table["day"], "shift": "day's sum"}]
    yield f"{table['table']}, {table['game']}, pit {table['pit']}{'' if table['recorded'] else ', counted only'}"
    rows = [[name, *(_cell(column, name, currency) for column in columns)] for name in _LINES]
    rows += [[f"drop, {name}", *(_cell(column["drop"], name, currency) for column in columns)] for name in _BOX]
    rows += [[f"buy-ins, {name}", *(_cell(column["buyins"], name, currency) for column in columns)] for name in _BOUGHT]
    rows += [[name, *(_cell(column, name, currency) for column in columns)] for name in _WINS]
    rows += [[f"  {name}", *(_cell(column["parts"], name, currency) for column in columns)] for name in _PARTS]
    yield from grid(["", *(column["shift"] for column in columns)], rows)
    yield ""


def _cell(of: Row, name: str, currency: str) -> str:
    return money(of[f"{name}_minor"], currency)


def _section(
    title: str, rows: Sequence[Row], names: Sequence[str], amounts: Sequence[str], currency: str
) -> Iterator[str]:
    if not rows:
        return
    yield title
    cells = [[*(_word(row[name]) for name in names), *(_cell(row, name, currency) for name in amounts)] for row in rows]
    yield from grid([*names, *amounts], cells)
    yield ""


def _word(value: str | int | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)


def _progressive(progressive: Row, currency: str) -> Iterator[str]:
    names = ("level", "begin", "fed", "seeds", "adjusted", "locked", "meter")
    unpaid = money(progressive["unpaid_jackpots_minor"], currency)
    yield f"Progressive {progressive['progressive']}: reserve {progressive['reserve']}, locked and unpaid {unpaid}"
    yield from grid([*names], [[level[name] for name in names] for level in progressive["levels"]])
    yield ""


def _journal(accounts: Mapping[str, str]) -> Iterator[str]:
    """Yield each account's balance of the day; the command `journal` gives its entries."""
    if accounts:
        yield "Journal"
        yield from grid(["account", "balance"], [[*account_and_balance] for account_and_balance in accounts.items()])
        yield ""


def steps(events: Sequence[ReportStep], changes: Sequence[ReportChange]) -> Iterator[str]:
    """Yield the changes between two positions: each figure once, then event by event."""
    if not events:
        yield "nothing changed"
        return
    yield from grid(
        ["figure", "before", "after"], [[change.place, _word(change.before), _word(change.after)] for change in changes]
    )
    yield ""
    for step in events:
        yield f"{step.position:>10}  {step.type}  {step.event}"
        for change in step.changed:
            yield f"{'':>12}{change.place}: {_word(change.before)} -> {_word(change.after)}"
