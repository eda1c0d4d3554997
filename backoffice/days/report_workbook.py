"""The report of a gaming day as a workbook: a sheet a list, and a chart of both wins by table.

Amounts are in the currency's units.
"""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from backoffice.days import csv_sheets
from backoffice.days.csv_sheets import Row
from backoffice.printing import workbooks
from backoffice.printing.workbooks import ColumnChart, Tab
from backoffice.wording import formats
from events.money.currency import DEFAULT

_EXACT = ("balance", "begin", "fed", "seeds", "adjusted", "locked", "meter")  # decimal text, with fractions of a cent
_WINS = ("inventory_win", "event_win")


def workbook(report: Row, head: Sequence[tuple[str, object]]) -> bytes:
    """The file's bytes: first the sheet "report" with the head, then the lists that have lines."""
    digits = formats.exponent(report["currency"] or DEFAULT)
    lists = [(name, rows) for name, rows in csv_sheets.lists(report) if rows and name != "report"]
    return workbooks.workbook(
        str(head[0][1]), [Tab(name="report", above=head), *(_tab(name, rows, digits) for name, rows in lists)]
    )


def _tab(name: str, rows: Sequence[Row], digits: int) -> Tab:
    flat_rows = [csv_sheets.flat(row) for row in rows]
    columns = [column.removesuffix("_minor") for column in flat_rows[0]]
    lines = [[_cell(column, row[column], digits) for column in flat_rows[0]] for row in flat_rows]
    wins = {win.replace("_", " "): columns.index(win) for win in _WINS if win in columns}
    chart = ColumnChart("Both wins by table", 0, wins) if name == "tables" else None
    return Tab(name=name, columns=columns, lines=lines, chart=chart)


def _cell(name: str, value: object, digits: int) -> object:
    """An amount where it is one: of minor units, or exact."""
    if name.endswith("_minor") and isinstance(value, int):
        return Decimal(value).scaleb(-digits)
    try:
        return Decimal(value) if name in _EXACT and isinstance(value, str) else value
    except InvalidOperation:
        return value
