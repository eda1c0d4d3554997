"""Declaration of a report. Its screen, CSV, workbook and paper follow from it."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Literal

import msgspec
from django.utils.translation import gettext as _

from backoffice.days.reports.variance_cash_hold_report_lines import ReportSubject, Row
from backoffice.kit.page_declaration import Words
from backoffice.kit.reader_and_read_rule_types import ReadRule
from backoffice.wording import formats
from backoffice.wording.code_to_word_translation import word

Kind = Literal["text", "number", "minor", "micro", "permille", "millionths", "time", "event"]
_FIGURES = frozenset({"number", "minor", "micro", "permille", "millionths", "event"})


class ReportColumn(msgspec.Struct, frozen=True):
    """A column: its name in files, its words for people, its kind of cells. `codes`: the field of its codes."""

    name: str
    words: Words
    kind: Kind = "text"
    codes: str = ""

    @property
    def is_figure(self) -> bool:
        """Return whether the column is aligned to the right."""
        return self.kind in _FIGURES

    def cell(self, value: object, currency: str) -> str:
        """Return the value for people. Amounts are those of `currency`, without naming it."""
        if value is None:
            return "" if self.kind in ("number", "minor") else formats.NOTHING
        if isinstance(value, datetime):
            return formats.moment_text(value, "short")
        if isinstance(value, int) and not isinstance(value, bool):
            return _cell_text(self.kind, value, currency)
        text = str(value)
        return word(text, self.codes) if self.codes else text


def _cell_text(kind: Kind, value: int, currency: str) -> str:
    if kind == "minor":
        return formats.money(value, currency)
    if kind == "micro":
        return formats.micro(value, currency)
    if kind == "permille":
        return formats.permille(value)
    return formats.hold(value) if kind == "millionths" else formats.number(value)


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A report of a gaming day. `signed`: the signature lines. `apart`: each value of its first column is a sheet on
    paper.

    `tells_boxes`: its figures reveal the content of boxes, and wait until these are counted. `is_also`: the papers of
    the law that it replaces (`backoffice/printing/legal_titles.py`).
    """

    name: str
    title: Words
    meaning: Words
    open_to: ReadRule
    columns: tuple[ReportColumn, ...]
    rows: Callable[[ReportSubject], Iterable[Row]]
    signed: tuple[Words, ...] = ()
    apart: bool = False
    tells_boxes: bool = False
    is_also: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns in files."""
        return tuple(column.name for column in self.columns)

    @property
    def heads(self) -> list[str]:
        """Return the titles of the columns for people."""
        return [str(column.words) for column in self.columns]

    def values(self, row: Row) -> list[object]:
        """Return a row in the order of the columns. Raises KeyError for a row with other names."""
        if len(row) != len(self.columns):
            raise KeyError(*{*row} - {*self.names})
        return [row[name] for name in self.names]

    def cells(self, row: Row, currency: str) -> list[str]:
        """A line as people read it."""
        values = self.values(row)
        return [column.cell(value, currency) for column, value in zip(self.columns, values, strict=True)]


def status_words(of: ReportSubject) -> str:
    """Return the gaming day in words, and whether its figures may change."""
    return period_words(of.day, of.shown.status, of.shown.restatement, of.shown.currency)


def period_words(day: str, status: str, restatement: int, currency: str) -> str:
    """Return a gaming day, its status and its currency in words."""
    words = {"open": _("open, figures may change"), "closed": _("closed")}
    state = words.get(status) or _("closed, restatement %d") % restatement
    return _("Gaming day %(day)s, %(state)s; amounts in %(c)s") % {"day": day, "state": state, "c": currency}
