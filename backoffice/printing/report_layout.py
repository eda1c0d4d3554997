"""Layout of all reports on paper: frame, styles, lines to sign, and a foot that identifies the report."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from io import BytesIO
from typing import Any, TypeAlias

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from reportlab import rl_config
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    KeepTogether,
    LongTable,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

from backoffice.printing.printable_characters import BOLD, SANS, explanation, is_escaped, printable
from backoffice.running.version import version
from backoffice.wording import formats

Command: TypeAlias = tuple[str, tuple[int, int], tuple[int, int], *tuple[Any, ...]]  # of a TableStyle
FELT, MUTED, LINE = colors.HexColor("#0d3b2e"), colors.HexColor("#55625b"), colors.HexColor("#b9c2bb")
WORDS = ParagraphStyle("words", fontName=SANS, fontSize=8.5, leading=11)
SMALL = ParagraphStyle("small", parent=WORDS, fontSize=7.5, leading=9.5, textColor=MUTED)
TITLE = ParagraphStyle("title", parent=WORDS, fontName=BOLD, fontSize=16, leading=20, textColor=FELT)
CARDS = ParagraphStyle("cards", parent=WORDS, fontSize=13, leading=18)
CELL, LINES_KEPT = 8.0, 10  # so many lines of a cell stay together
IN_CELL = ParagraphStyle("cell", parent=WORDS, fontSize=CELL, leading=9.6)
HEADING = ParagraphStyle("heading", parent=WORDS, fontName=BOLD, fontSize=10.5, leading=14, spaceBefore=9)

rl_config.invariant = 1  # no clock and no random id: the same figures, printed by the same, are the same file


class PrintCopy(msgspec.Struct, frozen=True):
    """The print: its person, its moment, and the names that this person may know. `copy`: the number of the copy."""

    person: str
    moment: datetime
    names: Mapping[str, str] = {}
    copy: int = 1

    @property
    def reprint(self) -> str:
        """ "REPRINT, copy 2"; "" for the first one."""
        return _("REPRINT, copy %d") % self.copy if self.copy > 1 else ""

    def person_text(self, person: str) -> str:
        """Return a person for paper, which has no tooltip: the name and the id, or the id alone."""
        name = self.names.get(person)
        return f"{name}, {person}" if name else person

    @property
    def words(self) -> str:
        """Return "printed by s-801, 2026-11-21 02:00:05 UTC"; a reprint is marked with the number of its copy."""
        values = {"who": self.person_text(self.person) or "–", "at": formats.moment_text(self.moment, "full")}
        printed = _("printed by %(who)s, %(at)s") % values
        return f"{self.reprint}, {printed}" if self.reprint else printed


class Stamp(msgspec.Struct, frozen=True):
    """The foot of every page. `digest` is the SHA-256 of the figures, `position` the one at which they were read."""

    title: str
    period: str
    user: str
    position: int
    digest: str


def text(words: str) -> str:
    """Words without markup, as the paper's font can print them."""
    escaped = printable(words).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return escaped.replace("\n", "<br/>")


def rows(head: Sequence[str], body: Sequence[Sequence[str]], widths_mm: Sequence[float], right: int) -> Flowable:
    """Return a table with its head on every page; columns from `right` on are figures."""
    return table_flowable(head, body, widths_mm, [(right, -1)])


def table_flowable(
    head: Sequence[str], body: Sequence[Sequence[str]], widths_mm: Sequence[float], figures: Sequence[tuple[int, int]]
) -> Flowable:
    """Return a table with its head on every page; `figures` are spans of right-aligned columns (first, last).

    A text that is too wide is broken over lines, one that is too high over pages.
    """
    style: list[Command] = [
        ("FONT", (0, 0), (-1, -1), SANS, CELL),
        ("FONT", (0, 0), (-1, 0), BOLD, 7.5),
        ("TEXTCOLOR", (0, 0), (-1, 0), MUTED),
        ("LINEBELOW", (0, 0), (-1, 0), 0.7, FELT),
        ("LINEBELOW", (0, 1), (-1, -1), 0.25, LINE),
        *(("ALIGN", (first, 0), (last, -1), "RIGHT") for first, last in figures),
        ("TOPPADDING", (0, 0), (-1, -1), 1.6),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2.2),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ]
    data: list[list[Any]] = [
        [*head],
        *([cell(words, width) for words, width in zip(row, widths_mm, strict=True)] for row in body),
    ]
    table = LongTable(data, [width * mm for width in widths_mm], repeatRows=1, hAlign="LEFT", splitInRow=1)
    table.setStyle(TableStyle(style))
    return table


def cell(words: str, width_mm: float) -> str | Flowable:
    """A cell's words on one line where it has room, else broken over several."""
    printed = printable(words)
    has_room = all(stringWidth(line, SANS, CELL) / mm + 4 <= width_mm + 0.2 for line in printed.split("\n"))
    return printed if has_room and printed.count("\n") < LINES_KEPT else Paragraph(text(words), IN_CELL)


def signatures(whose: Sequence[str]) -> Flowable:
    """Lines to sign: whose, name, date and time, signature."""
    head = ["", pgettext("person", "Name"), _("Date, time"), _("Signature")]
    table = Table(
        [head, *([signer, "", "", ""] for signer in whose)], [34 * mm, 50 * mm, 36 * mm, 54 * mm], hAlign="LEFT"
    )
    style: list[Command] = [
        ("FONT", (0, 0), (-1, -1), SANS, 8),
        ("TEXTCOLOR", (0, 0), (-1, 0), MUTED),
        ("LINEBELOW", (1, 1), (-1, -1), 0.5, FELT),
        ("TOPPADDING", (0, 1), (-1, -1), 20),
    ]
    table.setStyle(TableStyle(style))
    return KeepTogether([Paragraph(_("Signatures"), HEADING), table])


def paper(stamp: Stamp, story: Sequence[Flowable], *, is_wide: bool = False) -> bytes:
    """The report as PDF, A4; upright, or across."""
    buffer, size = BytesIO(), landscape(A4) if is_wide else A4
    frame = Frame(18 * mm, 24 * mm, size[0] - 36 * mm, size[1] - 42 * mm, 0, 0, 0, 0)
    document = BaseDocTemplate(buffer, pagesize=size, title=stamp.title, author="Pitledger", subject=stamp.period)
    document.addPageTemplates([PageTemplate("page", [frame])])
    head: list[Flowable] = [
        Paragraph(text(stamp.title), TITLE),
        Paragraph(text(stamp.period), SMALL),
        Spacer(1, 3 * mm),
    ]
    if is_escaped([stamp.title, stamp.period, stamp.user, *story]):
        head.insert(2, Paragraph(text(explanation()), SMALL))
    document.build(
        [*head, *story], canvasmaker=lambda *arguments, **options: _NumberedCanvas(stamp, *arguments, **options)
    )
    return buffer.getvalue()


class _NumberedCanvas(Canvas):
    """Keeps the pages until all exist, because each footer has their total."""

    def __init__(self, stamp: Stamp, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._stamp = stamp
        self._right_edge = options["pagesize"][0] - 18 * mm
        self._pages_drawn: list[dict[str, Any]] = []

    def showPage(self) -> None:
        self._pages_drawn.append(dict(self.__dict__))
        self._startPage()  # type: ignore[attr-defined]  # its own way to a new page; the stubs leave it out

    def save(self) -> None:
        for number, page in enumerate(self._pages_drawn, 1):
            self.__dict__.update(page)
            _foot(self, self._stamp, self._right_edge, number, len(self._pages_drawn))
            super().showPage()
        super().save()


def _foot(canvas: Canvas, stamp: Stamp, right: float, number: int, of: int) -> None:
    canvas.saveState()
    canvas.setStrokeColor(LINE)
    canvas.line(18 * mm, 19 * mm, right, 19 * mm)
    canvas.setFillColor(MUTED)
    printed = printable(f"{stamp.title} · {stamp.user}")
    room = right - 18 * mm - 30 * mm
    canvas.setFont(SANS, min(6.8, 6.8 * room / stringWidth(printed, SANS, 6.8)))
    canvas.drawString(18 * mm, 15.5 * mm, printed)
    canvas.setFont(SANS, 6.8)
    as_of = _("as of event %s") % formats.number(stamp.position)
    canvas.drawString(18 * mm, 12.2 * mm, f"{as_of} · Pitledger {version()} · SHA-256 {stamp.digest}")
    page = _("page %(number)d of %(of)d") % {"number": number, "of": of}
    canvas.drawRightString(right, 15.5 * mm, page)
    canvas.restoreState()
