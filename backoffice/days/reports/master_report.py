"""The report of a gaming day as a file: on paper and as a workbook, under the header that MS 4.14 requires.

A closed day's report is listed as an issued document. From the second copy on it is marked REPRINT with its number.
"""

from collections.abc import Callable, Mapping

import msgspec

from backoffice.access.issued_documents import REPORT, IssuedDocument, copies
from backoffice.days.report_workbook import workbook
from backoffice.days.reports.master_paper import DayFigures, day_pdf, left_out, period, title
from backoffice.kit.page import DownloadFile
from backoffice.printing.paper import PrintCopy
from backoffice.printing.workbooks import KIND
from backoffice.running.version import version
from backoffice.wording import formats
from events.runtime import clock


class ReportForm(msgspec.Struct, frozen=True):
    """A form of the report: its name in the list, its media type, and its writer."""

    words: str
    kind: str
    write: Callable[[DayFigures, PrintCopy], bytes]


def _workbook(figures: DayFigures, printed: PrintCopy) -> bytes:
    head: list[tuple[str, object]] = [
        ("report", title()),
        ("period", period(figures)),
        ("software", f"Pitledger {version()}"),
        ("made", formats.stamp(printed.moment)),
        ("by", printed.named(printed.person) or "–"),
        ("copy", printed.reprint or "1"),
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
    listed = _paper(form, figures, position)
    copy = copy or (copies(listed.kind, listed.about) + 1 if listed is not None else 1)
    content = form.write(figures, PrintCopy(person, clock.moment(), names or {}, copy))
    return DownloadFile(content, form.kind, f"pitledger-report-{figures['day']}.{suffix}", listed)


def _paper(form: ReportForm, figures: DayFigures, position: int) -> IssuedDocument | None:
    """Return the paper of a closed day; None for an open day, whose figures may change."""
    if figures["status"] == "open":
        return None
    about = f"{figures['day']}, restatement {figures['restatement']}" if figures["restatement"] else figures["day"]
    return IssuedDocument(f"{REPORT}{form.words}", about, position, figures["digest"])
