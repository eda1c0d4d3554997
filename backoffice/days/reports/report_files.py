"""The forms of a declared report: CSV, workbook and paper, each under the header that MS 4.14 requires.

A closed day's report is listed as an issued document, with the digest of the close. From the second copy on it is
marked REPRINT with its number. An open day's figures may change, so they are not listed.
"""

import csv
import hashlib
import io
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

import msgspec

from backoffice.access.issued_documents import REPORT, IssuedDocument, copies
from backoffice.days.reports.catalogue import BY_NAME
from backoffice.days.reports.report_and_column_structs import Report, ReportColumn, status_words
from backoffice.days.reports.variance_cash_hold_report_lines import ReportSubject, Row, report_subject
from backoffice.freshness.freshness import freshness
from backoffice.kit.page_declaration import CsvSheet, DownloadFile
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.kit.response_builders import cell
from backoffice.people.staff_list_and_name_lookup import names_for
from backoffice.printing.legal_titles import titled
from backoffice.printing.list_report import ListedReport, listed_pdf
from backoffice.printing.report_layout import PrintCopy
from backoffice.printing.workbooks import KIND, Tab, workbook
from backoffice.running.version import version
from backoffice.wording import formats
from events.error_codes import coded
from events.errors import Unknown
from events.runtime import clock

WORDS = {"pdf": "on paper", "xlsx": "as a workbook"}


class ReportCell(msgspec.Struct, frozen=True):
    """A cell on the screen. `event`: the position of the event that it leads to; 0 for none."""

    words: str
    is_figure: bool
    event: int


class PreparedReport(msgspec.Struct, frozen=True, kw_only=True):
    """A report with its lines, made by `person` when everything up to `position` was read."""

    report: Report
    of: ReportSubject
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
        for line in (self.report.names, *self.lines):
            write([cell(value) for value in line])
        return hashlib.sha256(text.getvalue().encode()).hexdigest()

    @property
    def closed_with(self) -> str:
        """The digest of the canonical figures of a closed day; "" of an open one."""
        return self.of.shown.digest

    @property
    def lines(self) -> list[list[object]]:
        """The rows in the order of the columns."""
        return [self.report.values(row) for row in self.rows]

    @property
    def cells(self) -> list[list[str]]:
        """The lines as people read them."""
        return [self.report.cells(row, self.of.shown.currency) for row in self.rows]

    @property
    def shown(self) -> list[list[ReportCell]]:
        """The lines on the screen, where an event leads to its page."""
        return [
            [_on_screen(*cell) for cell in zip(self.report.columns, cells, line, strict=True)]
            for cells, line in zip(self.cells, self.lines, strict=True)
        ]

    @property
    def period(self) -> str:
        return status_words(self.of)

    @property
    def software(self) -> str:
        return f"Pitledger {version()}"


def prepare_report(name: str, gaming_day: str, reader: Reader) -> PreparedReport:
    """Return a report with its lines for a reader. Raises Unknown, also while a box is hidden that it would reveal."""
    report = BY_NAME.get(name)
    if report is None or not report.open_to.admits(reader, {"gaming_day": gaming_day, "report": name}):
        raise Unknown(coded("report-unknown", name=name))
    position = freshness().position  # before looking: everything up to here is in it
    of = report_subject(gaming_day, reader.roles)
    if report.tells_boxes and of.is_sealed:
        raise Unknown(coded("report-waits-for-boxes", day=of.day))
    rows, names = tuple(report.rows(of)), names_for(reader)
    return PreparedReport(
        report=report, of=of, rows=rows, position=position, moment=clock.moment(), person=reader.person, names=names
    )


def _on_screen(column: ReportColumn, words: str, value: object) -> ReportCell:
    event = value if column.kind == "event" and isinstance(value, int) else 0
    return ReportCell(words, column.is_figure, event)


def sheet(prepared_report: PreparedReport) -> CsvSheet:
    """Return the report as CSV; amounts in minor units."""
    provenance = ("by", prepared_report.person, "figures, SHA-256", prepared_report.digest)
    closed = ("closed with, SHA-256", prepared_report.closed_with) if prepared_report.closed_with else ()
    name = f"{prepared_report.report.name}-{prepared_report.of.day}"
    return CsvSheet(
        prepared_report.report.title,
        ("period", prepared_report.period),
        prepared_report.report.names,
        prepared_report.lines,
        (*provenance, *closed),
        name,
    )


def report_file(prepared_report: PreparedReport, suffix: str, copy: int = 0) -> DownloadFile:
    """Return the report on paper or as a workbook. `copy`: its number, 0 for the next one. Raises Retry."""
    paper = _paper(prepared_report, suffix)
    copy = copy or (copies(paper.kind, paper.about) + 1 if paper is not None else 1)
    print_copy = PrintCopy(prepared_report.person, prepared_report.moment, prepared_report.names, copy)
    name = f"pitledger-{prepared_report.report.name}-{prepared_report.of.day}.{suffix}"
    if suffix == "pdf":
        return DownloadFile(_pdf(prepared_report, print_copy), "application/pdf", name, paper)
    return DownloadFile(_workbook(prepared_report, print_copy), KIND, name, paper)


def _paper(prepared_report: PreparedReport, suffix: str) -> IssuedDocument | None:
    if not prepared_report.closed_with:
        return None
    number = prepared_report.of.shown.restatement
    about = f"{prepared_report.of.day}, restatement {number}" if number else prepared_report.of.day
    return IssuedDocument(
        f"{REPORT}{prepared_report.report.name}, {WORDS[suffix]}",
        about,
        prepared_report.position,
        prepared_report.closed_with,
    )


def _pdf(prepared_report: PreparedReport, print_copy: PrintCopy) -> bytes:
    listed_report = ListedReport(
        title=titled(str(prepared_report.report.title), *prepared_report.report.is_also),
        period=prepared_report.period,
        heads=prepared_report.report.heads,
        figures=frozenset(at for at, column in enumerate(prepared_report.report.columns) if column.is_figure),
        lines=prepared_report.cells,
        signed=[str(signer) for signer in prepared_report.report.signed],
        is_apart=prepared_report.report.apart,
        digest=prepared_report.digest,
    )
    return listed_pdf(
        listed_report, print_copy, prepared_report.position, prepared_report.closed_with or prepared_report.digest
    )


def _workbook(prepared_report: PreparedReport, print_copy: PrintCopy) -> bytes:
    head: list[tuple[str, object]] = [
        ("report", str(prepared_report.report.title)),
        ("period", prepared_report.period),
        ("software", prepared_report.software),
        ("made", formats.stamp(prepared_report.moment)),
        ("by", print_copy.person_text(prepared_report.person) or formats.NOTHING),
        ("copy", print_copy.reprint or "1"),
        ("as of event", prepared_report.position),
        ("SHA-256 of these lines as CSV", prepared_report.digest),
        *(
            [("SHA-256 of the day's canonical figures", prepared_report.closed_with)]
            if prepared_report.closed_with
            else []
        ),
    ]
    digits = formats.exponent(prepared_report.of.shown.currency)
    listed = prepared_report.report.columns
    lines = [
        [_cell(column, value, digits) for column, value in zip(listed, line, strict=True)]
        for line in prepared_report.lines
    ]
    columns = [column.name.removesuffix("_minor").removesuffix("_micro") for column in listed]
    tabs = [Tab(name="report", above=head), Tab(name=prepared_report.report.name, columns=columns, lines=lines)]
    return workbook(str(prepared_report.report.title), tabs)


def _cell(column: ReportColumn, value: object, digits: int) -> object:
    """Amounts in units of the currency, moments as text."""
    if isinstance(value, datetime):
        return formats.stamp(value)
    if not isinstance(value, int) or column.kind not in ("minor", "micro"):
        return value
    if column.kind == "minor":
        return Decimal(value).scaleb(-digits)
    exact = Decimal(value).scaleb(-digits - 6)
    return exact.normalize() if exact % 1 else exact.quantize(Decimal(1))
