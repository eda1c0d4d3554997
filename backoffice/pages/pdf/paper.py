"""What every report on paper has: its frame, its words, and a foot that says what it is."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from reportlab import rl_config
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, LongTable, PageTemplate, Paragraph, Spacer, TableStyle

from backoffice.version import version

Command: TypeAlias = tuple[str, tuple[int, int], tuple[int, int], *tuple[Any, ...]]  # of a TableStyle
SANS, BOLD = "DejaVuSansCondensed", "DejaVuSansCondensed-Bold"  # names are Greek here as often as Latin
for font in (SANS, BOLD):
    registerFont(TTFont(font, Path(__file__).parent / "fonts" / f"{font}.ttf"))

FELT, MUTED, LINE = colors.HexColor("#0d3b2e"), colors.HexColor("#55625b"), colors.HexColor("#b9c2bb")
WORDS = ParagraphStyle("words", fontName=SANS, fontSize=8.5, leading=11)
SMALL = ParagraphStyle("small", parent=WORDS, fontSize=7.5, leading=9.5, textColor=MUTED)
TITLE = ParagraphStyle("title", parent=WORDS, fontName=BOLD, fontSize=16, leading=20, textColor=FELT)
HEADING = ParagraphStyle("heading", parent=WORDS, fontName=BOLD, fontSize=10.5, leading=14, spaceBefore=9)

rl_config.invariant = 1  # no clock and no random id: the same figures are the same file


class Stamp(msgspec.Struct, frozen=True):
    """What the foot of every page says. `digest` is the SHA-256 of the figures, `position` where they were read."""

    title: str
    period: str
    user: str
    position: int
    digest: str


def text(words: str) -> str:
    """Words without markup."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def rows(head: Sequence[str], body: Sequence[Sequence[str]], widths_mm: Sequence[float], right: int) -> Flowable:
    """A table whose head stands on every page; columns from `right` on are figures."""
    style: list[Command] = [
        ("FONT", (0, 0), (-1, -1), SANS, 8),
        ("FONT", (0, 0), (-1, 0), BOLD, 7.5),
        ("TEXTCOLOR", (0, 0), (-1, 0), MUTED),
        ("LINEBELOW", (0, 0), (-1, 0), 0.7, FELT),
        ("LINEBELOW", (0, 1), (-1, -1), 0.25, LINE),
        ("ALIGN", (right, 0), (-1, -1), "RIGHT"),
        ("TOPPADDING", (0, 0), (-1, -1), 1.6),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2.2),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ]
    data = [list(row) for row in (head, *body)]
    table = LongTable(data, [width * mm for width in widths_mm], repeatRows=1, hAlign="LEFT")
    table.setStyle(TableStyle(style))
    return table


def paper(stamp: Stamp, story: Sequence[Flowable]) -> bytes:
    """The report as PDF, A4."""
    made = BytesIO()
    frame = Frame(18 * mm, 24 * mm, A4[0] - 36 * mm, A4[1] - 42 * mm, 0, 0, 0, 0)
    document = BaseDocTemplate(made, pagesize=A4, title=stamp.title, author="Pitledger", subject=stamp.period)
    document.addPageTemplates([PageTemplate("page", [frame], onPage=lambda canvas, _: _foot(canvas, stamp))])
    head: list[Flowable] = [
        Paragraph(text(stamp.title), TITLE),
        Paragraph(text(stamp.period), SMALL),
        Spacer(1, 3 * mm),
    ]
    document.build([*head, *story])
    return made.getvalue()


def _foot(canvas: Canvas, stamp: Stamp) -> None:
    canvas.saveState()
    canvas.setStrokeColor(LINE)
    canvas.line(18 * mm, 19 * mm, A4[0] - 18 * mm, 19 * mm)
    canvas.setFont(SANS, 6.8)
    canvas.setFillColor(MUTED)
    first = f"{stamp.title} · {stamp.user} · as of event {stamp.position:,} · Pitledger {version()}"
    canvas.drawString(18 * mm, 15.5 * mm, first)
    canvas.drawString(18 * mm, 12.2 * mm, f"SHA-256 of the figures: {stamp.digest}")
    canvas.drawRightString(A4[0] - 18 * mm, 15.5 * mm, f"page {canvas.getPageNumber()}")
    canvas.restoreState()
