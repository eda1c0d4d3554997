"""A declared report on paper: its lines under their head, each sheet with lines to sign."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec
from django.utils.translation import gettext as _
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Flowable, LongTable, PageBreak, Paragraph, Spacer, TableStyle

from backoffice.pages.pdf.paper import (
    BOLD,
    FELT,
    HEADING,
    LINE,
    MUTED,
    SANS,
    SMALL,
    WORDS,
    Command,
    Printed,
    Stamp,
    paper,
    signatures,
    text,
)

UPRIGHT, ACROSS = 174.0, 261.0  # of A4, in mm
_BESIDE = 4.5  # around a cell, in mm
_CELL = 8.0


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """The report as it is printed: its words are people's. `figures` are the columns that stand at the right."""

    title: str
    period: str
    heads: Sequence[str]
    figures: frozenset[int]
    lines: Sequence[Sequence[str]]
    signed: Sequence[str]
    is_apart: bool
    digest: str  # of the lines


def listed_pdf(made: Listed, printed: Printed, position: int, digest: str) -> bytes:
    """The same, printed by the same at the same moment, is the same file. `digest`: what its foot says."""
    stamp = Stamp(made.title, made.period, printed.words, position, digest)
    widths = _widths(made)
    is_wide = sum(widths) > UPRIGHT
    fitted = _fitted(widths, made.figures, ACROSS if is_wide else UPRIGHT)
    again = [Paragraph(text(printed.reprint), HEADING)] if printed.reprint else []
    return paper(stamp, [*again, *_story(made, fitted)], is_wide=is_wide)


def _story(made: Listed, widths: Sequence[float]) -> Iterator[Flowable]:
    sheets = [(name, [*lines]) for name, lines in groupby(made.lines, lambda line: line[0] if made.is_apart else "")]
    if not sheets:
        yield Paragraph(text(_("Nothing of this was recorded.")), WORDS)
    for number, (name, lines) in enumerate(sheets):
        if number:
            yield PageBreak()
        if name:
            yield Paragraph(text(f"{made.heads[0]} {name}"), HEADING)
        yield _table(made, lines, widths)
        if made.signed:
            yield signatures(made.signed)
    yield Spacer(1, 3 * mm)
    yield Paragraph(text(_("SHA-256 of these lines: %s") % made.digest), SMALL)


def _widths(made: Listed) -> list[float]:
    """What each column would take, in mm."""
    found = []
    for at, head in enumerate(made.heads):
        cells = [stringWidth(line[at], SANS, _CELL) for line in made.lines]
        found.append(max([stringWidth(head, BOLD, _CELL), *cells]) / mm + _BESIDE)
    return found


def _fitted(widths: Sequence[float], figures: frozenset[int], room: float) -> list[float]:
    """Figures have what they take; words share what is left, and are broken over lines."""
    fixed = sum(width for at, width in enumerate(widths) if at in figures)
    words = sum(widths) - fixed
    share = min(1.0, max(room - fixed, 0.3 * words) / words) if words else 1.0
    return [width if at in figures else width * share for at, width in enumerate(widths)]


def _table(made: Listed, lines: Sequence[Sequence[str]], widths: Sequence[float]) -> Flowable:
    style: list[Command] = [
        ("FONT", (0, 0), (-1, -1), SANS, _CELL),
        ("FONT", (0, 0), (-1, 0), BOLD, 7.5),
        ("TEXTCOLOR", (0, 0), (-1, 0), MUTED),
        ("LINEBELOW", (0, 0), (-1, 0), 0.7, FELT),
        ("LINEBELOW", (0, 1), (-1, -1), 0.25, LINE),
        ("TOPPADDING", (0, 0), (-1, -1), 1.6),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2.2),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        *(("ALIGN", (at, 0), (at, -1), "RIGHT") for at in sorted(made.figures)),
    ]
    body = [[_cell(cell, width) for cell, width in zip(line, widths, strict=True)] for line in lines]
    table = LongTable([[*made.heads], *body], [width * mm for width in widths], repeatRows=1, hAlign="LEFT")
    table.setStyle(TableStyle(style))
    return table


def _cell(words: str, width: float) -> str | Flowable:
    """On one line where it has room."""
    return words if stringWidth(words, SANS, _CELL) / mm + 4 <= width + 0.2 else Paragraph(text(words), WORDS)
