"""Figures that others have published, with where, to hold the sheets against (`published.json`)."""

from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from events.error_codes import coded
from events.errors import Unknown
from events.games.par import ParSheet


class FigureSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The publisher of a figure, and the place."""

    title: str
    address: str


class PublishedFigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An edge or a chance to win of a bet, or the sum of some lines: "1.41" per cent, or an exact "n/d"."""

    rulesets: tuple[str, ...]
    of: Literal["edge", "hit", "line"]
    names: tuple[str, ...]
    figure: str
    source: str
    condition: str = ""
    per: str = "stake"
    note: str = ""


class _Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sources: dict[str, FigureSource]
    figures: tuple[PublishedFigure, ...]


def figures(ruleset: str) -> list[tuple[PublishedFigure, FigureSource]]:
    """Return the published figures of a ruleset's bets."""
    published_lines = _published()
    return [
        (figure, published_lines.sources[figure.source])
        for figure in published_lines.figures
        if ruleset in figure.rulesets
    ]


def computed_figure(sheet: ParSheet, figure: PublishedFigure) -> Fraction:
    """The same figure from our own sheet. Raises Unknown where the sheet does not have it."""
    if figure.of == "line":
        shares = [line.share for line in sheet.lines if line.label in figure.names]
        if len(shares) == len(figure.names):
            return sum(shares, start=Fraction(0))
    for edge in sheet.edges:
        if (edge.bet, edge.condition, edge.per) == (figure.names[0], figure.condition, figure.per):
            return edge.hit if figure.of == "hit" else edge.edge
    raise Unknown(coded("par-figure-unknown", ruleset=sheet.ruleset, figure=figure.of, names=figure.names))


def agrees(exact: Fraction, figure: PublishedFigure) -> bool:
    """Return whether a published figure equals the calculated one: exactly, or rounded to its shown digits."""
    if "/" in figure.figure:
        return exact == Fraction(figure.figure)
    shown = Decimal(figure.figure)
    step = Fraction(10) ** int(shown.as_tuple().exponent)
    return abs(exact * 100 - Fraction(shown)) <= step / 2


@cache
def _published() -> _Published:
    return msgspec.json.decode(Path(__file__).with_name("published.json").read_bytes(), type=_Published)
