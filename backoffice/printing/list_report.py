"""A declared report on paper: its lines under their head, each sheet with lines to sign."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec
from django.utils.translation import gettext as _
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Flowable, PageBreak, Paragraph, Spacer

from backoffice.printing.printable_characters import BOLD, SANS, printable
from backoffice.printing.report_layout import (
    CELL,
    HEADING,
    SMALL,
    WORDS,
    PrintCopy,
    Stamp,
    paper,
    signatures,
    table_flowable,
    text,
)

UPRIGHT, ACROSS = 174.0, 261.0  # of A4, in mm
_CELL_PADDING = 4.5  # around a cell, in mm
_LEAST = 12.0  # a column of words, in mm


class ListedReport(msgspec.Struct, frozen=True, kw_only=True):
    """The printed report, in people's words. `figures` are the right-aligned columns."""

    title: str
    period: str
    heads: Sequence[str]
    figures: frozenset[int]
    lines: Sequence[Sequence[str]]
    signed: Sequence[str]
    is_apart: bool
    digest: str  # of the lines


def listed_pdf(report: ListedReport, print_copy: PrintCopy, position: int, digest: str) -> bytes:
    """Return the same file for the same report, printed by the same person at the same moment.

    `digest`: the digest in its foot.
    """
    stamp = Stamp(report.title, report.period, print_copy.words, position, digest)
    report = msgspec.structs.replace(report, lines=[[printable(cell) for cell in line] for line in report.lines])
    widths = _widths(report)
    is_wide = sum(widths) > UPRIGHT
    fitted = _fitted(widths, report.figures, ACROSS if is_wide else UPRIGHT)
    reprint = [Paragraph(text(print_copy.reprint), HEADING)] if print_copy.reprint else []
    return paper(stamp, [*reprint, *_story(report, fitted)], is_wide=is_wide)


def _story(report: ListedReport, widths: Sequence[float]) -> Iterator[Flowable]:
    sheets = [
        (name, [*sheet]) for name, sheet in groupby(report.lines, lambda line: line[0] if report.is_apart else "")
    ]
    if not sheets:
        yield Paragraph(text(_("No entries on this day.")), WORDS)
    for number, (name, sheet) in enumerate(sheets):
        if number:
            yield PageBreak()
        if name:
            yield Paragraph(text(f"{report.heads[0]} {name}"), HEADING)
        yield _table(report, sheet, widths)
        if report.signed:
            yield signatures(report.signed)
    yield Spacer(1, 3 * mm)
    yield Paragraph(text(_("SHA-256 of these lines: %s") % report.digest), SMALL)


def _widths(report: ListedReport) -> list[float]:
    """Return the width that each column needs, in mm."""
    widths = []
    for at, head in enumerate(report.heads):
        cells = [stringWidth(line[at], SANS, CELL) for line in report.lines]
        widths.append(max([stringWidth(head, BOLD, CELL), *cells]) / mm + _CELL_PADDING)
    return widths


def _fitted(widths: Sequence[float], figures: frozenset[int], room: float) -> list[float]:
    """Return widths of columns that fit the room.

    Figures, and narrow columns of words, get their full width. The wide columns of words share the rest, and are broken
    over lines.
    """
    fitted = list(widths)
    words = sorted((at for at in range(len(widths)) if at not in figures), key=widths.__getitem__)
    room_left = max(room - sum(widths[at] for at in figures), _LEAST * len(words))
    for number, at in enumerate(words):
        fitted[at] = min(widths[at], room_left / (len(words) - number))
        room_left -= fitted[at]
    return fitted


def _table(report: ListedReport, sheet: Sequence[Sequence[str]], widths: Sequence[float]) -> Flowable:
    return table_flowable(report.heads, sheet, widths, [(at, at) for at in sorted(report.figures)])
