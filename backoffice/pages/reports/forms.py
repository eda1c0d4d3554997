"""The forms of a declared report: CSV, workbook and paper, each under the header that MS 4.14 asks for.

A closed day's stands on the list of what was given out, with the digest that the day was closed with; from the second
time on it says REPRINT, and which copy it is. An open day's figures may change: nobody is asked for them later.
"""

import csv
import hashlib
import io
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

import msgspec

from backoffice import writing
from backoffice.access.given import REPORT, Paper, copies
from backoffice.kit.answers import cell
from backoffice.kit.page import File, Sheet
from backoffice.pages.pdf.listed import Listed, listed_pdf
from backoffice.pages.pdf.paper import Printed
from backoffice.pages.pdf.terms import titled
from backoffice.pages.reports.declared import Column, Report, status_words
from backoffice.queries.reports.of_day import Of, Row
from backoffice.version import version
from backoffice.workbooks import KIND, Tab, workbook

WORDS = {"pdf": "on paper", "xlsx": "as a workbook"}


class Cell(msgspec.Struct, frozen=True):
    """A cell on the screen. `event`: the position of the event that it leads to; 0 for none."""

    words: str
    is_figure: bool
    event: int


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """A report with its lines, made by `person` when everything up to `position` was read."""

    report: Report
    of: Of
    rows: tuple[Row, ...]
    position: int
    moment: datetime
    person: str
    names: Mapping[str, str] = {}

    @property
    def digest(self) -> str:
        """The SHA-256 of the lines as CSV under their names: the same on the screen, in each file and on paper."""
        text = io.StringIO()
        write = csv.writer(text).writerow
        for row in (self.report.names, *self.rows):
            write([cell(value) for value in row])
        return hashlib.sha256(text.getvalue().encode()).hexdigest()

    @property
    def closed_with(self) -> str:
        """The digest of the canonical figures of a closed day; "" of an open one."""
        return self.of.shown.digest

    @property
    def cells(self) -> list[list[str]]:
        """The lines as people read them."""
        return [self.report.cells(row, self.of.shown.currency) for row in self.rows]

    @property
    def shown(self) -> list[list[Cell]]:
        """The lines on the screen, where an event leads to its page."""
        return [
            [_on_screen(*one) for one in zip(self.report.columns, cells, row, strict=True)]
            for cells, row in zip(self.cells, self.rows, strict=True)
        ]

    @property
    def period(self) -> str:
        return status_words(self.of)

    @property
    def software(self) -> str:
        return f"Pitledger {version()}"


def _on_screen(column: Column, words: str, value: object) -> Cell:
    event = value if column.kind == "event" and isinstance(value, int) else 0
    return Cell(words, column.is_figure, event)


def sheet(made: Made) -> Sheet:
    """As CSV; amounts in minor units."""
    beside = ("by", made.person, "figures, SHA-256", made.digest)
    closed = ("closed with, SHA-256", made.closed_with) if made.closed_with else ()
    name = f"{made.report.name}-{made.of.day}"
    return Sheet(made.report.title, ("period", made.period), made.report.names, made.rows, (*beside, *closed), name)


def report_file(made: Made, suffix: str) -> File:
    """On paper or as a workbook. Raises Retry."""
    paper = _paper(made, suffix)
    copy = copies(paper.kind, paper.about) + 1 if paper is not None else 1
    printed = Printed(made.person, made.moment, made.names, copy)
    name = f"pitledger-{made.report.name}-{made.of.day}.{suffix}"
    if suffix == "pdf":
        return File(_pdf(made, printed), "application/pdf", name, paper)
    return File(_workbook(made, printed), KIND, name, paper)


def _paper(made: Made, suffix: str) -> Paper | None:
    if not made.closed_with:
        return None
    number = made.of.shown.restatement
    about = f"{made.of.day}, restatement {number}" if number else made.of.day
    return Paper(f"{REPORT}{made.report.name}, {WORDS[suffix]}", about, made.position, made.closed_with)


def _pdf(made: Made, printed: Printed) -> bytes:
    listed = Listed(
        title=titled(str(made.report.title), *made.report.is_also),
        period=made.period,
        heads=made.report.heads,
        figures=frozenset(at for at, one in enumerate(made.report.columns) if one.is_figure),
        lines=made.cells,
        signed=[str(one) for one in made.report.signed],
        is_apart=made.report.apart,
        digest=made.digest,
    )
    return listed_pdf(listed, printed, made.position, made.closed_with or made.digest)


def _workbook(made: Made, printed: Printed) -> bytes:
    head: list[tuple[str, object]] = [
        ("report", str(made.report.title)),
        ("period", made.period),
        ("software", made.software),
        ("made", writing.stamp(made.moment)),
        ("by", printed.named(made.person) or writing.NOTHING),
        ("copy", printed.reprint or "1"),
        ("as of event", made.position),
        ("SHA-256 of these lines as CSV", made.digest),
        *([("SHA-256 of the day's canonical figures", made.closed_with)] if made.closed_with else []),
    ]
    digits = writing.exponent(made.of.shown.currency)
    listed = made.report.columns
    lines = [[_cell(column, value, digits) for column, value in zip(listed, row, strict=True)] for row in made.rows]
    columns = [one.name.removesuffix("_minor").removesuffix("_micro") for one in listed]
    tabs = [Tab(name="report", above=head), Tab(name=made.report.name, columns=columns, lines=lines)]
    return workbook(str(made.report.title), tabs)


def _cell(column: Column, value: object, digits: int) -> object:
    """Amounts in units of the currency, moments as text."""
    if isinstance(value, datetime):
        return writing.stamp(value)
    if not isinstance(value, int) or column.kind not in ("minor", "micro"):
        return value
    if column.kind == "minor":
        return Decimal(value).scaleb(-digits)
    exact = Decimal(value).scaleb(-digits - 6)
    return exact.normalize() if exact % 1 else exact.quantize(Decimal(1))
