"""The only writer of workbooks: sheets of cells, with whole numbers and amounts as numbers.

A value of at most fifteen digits, which a spreadsheet keeps exactly, is a number. Any other value is text. No cell is
a formula or a link.
"""

import io
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import msgspec
import xlsxwriter

KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_DIGITS = 15
_WIDEST, _NARROWEST = 60, 12
Cells = Sequence[object]


class ColumnChart(msgspec.Struct, frozen=True):
    """Lines drawn as columns: its title, the column of names, and the columns of values by their names."""

    title: str
    names: int
    values: dict[str, int]


class Tab(msgspec.Struct, frozen=True, kw_only=True):
    """A sheet: the lines above, the names of the columns, the lines, and the lines below."""

    name: str = ""
    above: Sequence[Cells] = ()
    columns: Sequence[str] = ()
    lines: Sequence[Cells] = ()
    below: Sequence[Cells] = ()
    chart: ColumnChart | None = None


class _Book:
    """A file being written. The formats of its cells are made once."""

    def __init__(self, book: Any) -> None:
        self.book = book
        self.bold = book.add_format({"bold": True})
        self._forms: dict[int, Any] = {}

    def amount(self, digits: int) -> Any:
        if digits not in self._forms:
            shape = f"#,##0.{'0' * digits}" if digits else "#,##0"
            self._forms[digits] = self.book.add_format({"num_format": shape})
        return self._forms[digits]


def workbook(title: str, tabs: Iterable[Tab]) -> bytes:
    """Return the file's bytes."""
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"strings_to_formulas": False, "strings_to_urls": False}) as book_file:
        book_file.set_properties({"title": title})
        book = _Book(book_file)
        for tab in tabs:
            _tab(book, book_file.add_worksheet(tab.name or None), tab)
    return out.getvalue()


def _tab(book: _Book, sheet: Any, tab: Tab) -> None:
    head = len(tab.above)
    named: list[Cells] = [tab.columns] if tab.columns else []
    for number, cells in enumerate([*tab.above, *named, *tab.lines, *tab.below]):
        for column, value in enumerate(cells):
            is_head = number == head if named else column == 0
            _write(book, sheet, number, column, value, is_bold=is_head or (number == 0 and not column))
    if named:
        sheet.freeze_panes(head + 1, 1)
    for column, width in enumerate(_widths(tab)):
        sheet.set_column(column, column, width)
    if tab.chart is not None:
        _chart(book, sheet, tab, tab.chart)


def _write(book: _Book, sheet: Any, row: int, column: int, value: object, *, is_bold: bool) -> None:
    shape = book.bold if is_bold else None
    if isinstance(value, Decimal) and len(value.as_tuple().digits) <= _DIGITS:
        sheet.write_number(row, column, value, book.amount(max(-int(value.as_tuple().exponent), 0)))
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**_DIGITS:
        sheet.write_number(row, column, value, shape)
    elif value is not None and value != "":
        sheet.write_string(row, column, f"{value:f}" if isinstance(value, Decimal) else str(value), shape)


def _widths(tab: Tab) -> list[int]:
    """Return the width of each column by its content; the lines above count for the second column only."""
    if not tab.columns:
        return [18, 70]
    longest = [max(len(str(line[at])) for line in [tab.columns, *tab.lines]) for at in range(len(tab.columns))]
    return [min(max(width, _NARROWEST), _WIDEST) + 2 for width in longest]


def _chart(book: _Book, sheet: Any, tab: Tab, spec: ColumnChart) -> None:
    """Insert the chart below the lines."""
    chart, first = book.book.add_chart({"type": "column"}), len(tab.above) + 1
    last = first + len(tab.lines) - 1
    for name, column in spec.values.items():
        of = ([sheet.get_name(), first, at, last, at] for at in (spec.names, column))
        chart.add_series({"name": name, **dict(zip(("categories", "values"), of, strict=True))})
    chart.set_title({"name": spec.title})
    sheet.insert_chart(last + 2, 0, chart)
