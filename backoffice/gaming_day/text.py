"""The report of a gaming day on a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from backoffice.books_text import grid, money
from events.accounting.report.changes import Change
from events.accounting.report.made import Step
from events.currency import DEFAULT

Row = Mapping[str, Any]
_LINES = ("begin", "fills", "credits", "expected", "end", "lost", "due", "paid", "commission", "undecided")
_WINS = ("inventory_win", "event_win")
_BOX = ("cash", "marker", "promotional", "chips")
_BOUGHT = ("cash", "marker", "promotional")
_PARTS = ("mispay", "promotional", "drop", "inventory", "rest")
_HOLDS = {True: "yes", False: "NO", None: "not known"}


def render(said: Row) -> Iterator[str]:
    """Line by line."""
    currency = said["currency"] or DEFAULT
    yield f"{said['day']}, {said['status']}{_restatement(said)}, as of {said['as_of']}; amounts in {currency}"
    yield f"layout {said['layout']}, digest {said['digest']}"
    yield ""
    for table in said["tables"]:
        yield from _table(table, currency)
    yield from _section("Slips", said["slips"], ("kind", "number", "status", "table"), ("issued", "received"), currency)
    found = ("kind", "table", "band", "explained")
    yield from _section("Discrepancies", said["discrepancies"], found, ("expected", "found"), currency)
    cage = [{"tender": name.removesuffix("_minor"), **both} for name, both in said["cage"].items()]
    yield from _section("Cage", cage, ("tender",), ("expected", "counted"), currency)
    chips = ("issued", "tables", "cage", "transit", "players")
    yield from _section("Chips", [said["chips"]], (), chips, currency)
    for one in said["progressives"]:
        yield from _progressive(one, currency)
    yield from _journal(said["journal"] or {})
    yield "Checklist"
    yield from grid(["item", "holds", "detail"], [_item(one) for one in said["checklist"]])


def _restatement(said: Row) -> str:
    return f" ({said['restatement']})" if said["restatement"] else ""


def _item(one: Row) -> list[str]:
    return [one["item"], _HOLDS[one["holds"]], one["detail"]]


def _table(table: Row, currency: str) -> Iterator[str]:
    columns = [*table["shifts"], {**table["day"], "shift": "day's sum"}]
    yield f"{table['table']}, {table['game']}, pit {table['pit']}{'' if table['recorded'] else ', counted only'}"
    rows = [[name, *(_cell(one, name, currency) for one in columns)] for name in _LINES]
    rows += [[f"drop, {name}", *(_cell(one["drop"], name, currency) for one in columns)] for name in _BOX]
    rows += [[f"buy-ins, {name}", *(_cell(one["buyins"], name, currency) for one in columns)] for name in _BOUGHT]
    rows += [[name, *(_cell(one, name, currency) for one in columns)] for name in _WINS]
    rows += [[f"  {name}", *(_cell(one["parts"], name, currency) for one in columns)] for name in _PARTS]
    yield from grid(["", *(one["shift"] for one in columns)], rows)
    yield ""


def _cell(of: Row, name: str, currency: str) -> str:
    return money(of[f"{name}_minor"], currency)


def _section(
    title: str, rows: Sequence[Row], names: Sequence[str], amounts: Sequence[str], currency: str
) -> Iterator[str]:
    if not rows:
        return
    yield title
    cells = [[*(_word(row[name]) for name in names), *_amounts(row, amounts, currency)] for row in rows]
    yield from grid([*names, *amounts], cells)
    yield ""


def _amounts(row: Row, names: Sequence[str], currency: str) -> list[str]:
    return [_cell(row, name, currency) for name in names]


def _word(value: str | int | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)


def _progressive(one: Row, currency: str) -> Iterator[str]:
    names = ("level", "begin", "fed", "seeds", "adjusted", "locked", "meter")
    unpaid = money(one["unpaid_jackpots_minor"], currency)
    yield f"Progressive {one['progressive']}: reserve {one['reserve']}, locked and unpaid {unpaid}"
    yield from grid([*names], [[level[name] for name in names] for level in one["levels"]])
    yield ""


def _journal(accounts: Mapping[str, str]) -> Iterator[str]:
    """What each account came to on the day; the command `journal` says by what."""
    if accounts:
        yield "Journal"
        yield from grid(["account", "balance"], [[*one] for one in accounts.items()])
        yield ""


def steps(found: Sequence[Step], changed: Sequence[Change]) -> Iterator[str]:
    """What changed between two positions: each figure once, then event by event."""
    if not found:
        yield "nothing changed"
        return
    yield from grid(
        ["figure", "before", "after"], [[one.place, _word(one.before), _word(one.after)] for one in changed]
    )
    yield ""
    for step in found:
        yield f"{step.position:>10}  {step.type}  {step.event}"
        for one in step.changed:
            yield f"{'':>12}{one.place}: {_word(one.before)} -> {_word(one.after)}"
