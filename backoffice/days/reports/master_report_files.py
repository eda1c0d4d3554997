"""The report of a gaming day as a file: on paper and as a workbook, under the header that MS 4.14 requires.

A closed day's report is listed as an issued document. From the second copy on it is marked REPRINT with its number.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation

import msgspec

from backoffice.access.issued_documents import REPORT, IssuedDocument, copies
from backoffice.days import report_json_and_csv
from backoffice.days.report_json_and_csv import Row
from backoffice.days.reports.master_report_pdf import DayFigures, day_pdf, left_out, period, title
from backoffice.kit.page_declaration import DownloadFile
from backoffice.printing import workbooks
from backoffice.printing.report_layout import PrintCopy
from backoffice.printing.workbooks import KIND, ColumnChart, Tab
from backoffice.running.version import version
from backoffice.wording import formats
from events.money.single_currency_rule import DEFAULT
from events.runtime import clock


class ReportForm(msgspec.Struct, frozen=True):
    """A form of the report: its name in the list, its media type, and its writer."""

    words: str
    kind: str
    write: Callable[[DayFigures, PrintCopy], bytes]


def _workbook(figures: DayFigures, print_copy: PrintCopy) -> bytes:
    head: list[tuple[str, object]] = [
        ("report", title()),
        ("period", period(figures)),
        ("software", f"Pitledger {version()}"),
        ("made", formats.stamp(print_copy.moment)),
        ("by", print_copy.person_text(print_copy.person) or "–"),
        ("copy", print_copy.reprint or "1"),
        ("layout", figures["layout"]),
        ("as of event", figures["as_of"]),
        ("SHA-256 of the canonical figures", figures["digest"]),
    ]
    remark = left_out(figures)
    return workbook(figures, [*head, *([("", remark)] if remark else [])])


FORMS = {
    "pdf": ReportForm("on paper", "application/pdf", day_pdf),
    "xlsx": ReportForm("as a workbook", KIND, _workbook),
}


def report_file(
    suffix: str,
    figures: DayFigures,
    position: int,
    person: str,
    names: Mapping[str, str] | None = None,
    copy: int = 0,
) -> DownloadFile:
    """The figures with status and digest, in a form. `position`: everything up to there was read. `copy`: the number of
    the copy, 0 for the next one. Raises Retry."""
    form = FORMS[suffix]
    issued_paper = _paper(form, figures, position)
    copy = copy or (copies(issued_paper.kind, issued_paper.about) + 1 if issued_paper is not None else 1)
    content = form.write(figures, PrintCopy(person, clock.moment(), names or {}, copy))
    return DownloadFile(content, form.kind, f"pitledger-report-{figures['day']}.{suffix}", issued_paper)


def _paper(form: ReportForm, figures: DayFigures, position: int) -> IssuedDocument | None:
    """Return the paper of a closed day; None for an open day, whose figures may change."""
    if figures["status"] == "open":
        return None
    about = f"{figures['day']}, restatement {figures['restatement']}" if figures["restatement"] else figures["day"]
    return IssuedDocument(f"{REPORT}{form.words}", about, position, figures["digest"])


# The report of a gaming day as a workbook: a sheet a list, and a chart of both wins by table.
# Amounts are in the currency's units.
_EXACT = ("balance", "begin", "fed", "seeds", "adjusted", "locked", "meter")  # decimal text, with fractions of a cent
_WINS = ("inventory_win", "event_win")


def workbook(report: Row, head: Sequence[tuple[str, object]]) -> bytes:
    """The file's bytes: first the sheet "report" with the head, then the lists that have lines."""
    digits = formats.exponent(report["currency"] or DEFAULT)
    lists = [(name, rows) for name, rows in report_json_and_csv.lists(report) if rows and name != "report"]
    return workbooks.workbook(
        str(head[0][1]), [Tab(name="report", above=head), *(_tab(name, rows, digits) for name, rows in lists)]
    )


def _tab(name: str, rows: Sequence[Row], digits: int) -> Tab:
    flat_rows = [report_json_and_csv.flat(row) for row in rows]
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
