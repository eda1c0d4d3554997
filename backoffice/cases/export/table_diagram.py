"""A layout drawn on paper, from the same description as the replay's drawing on the page."""

import re
from collections.abc import Iterator
from math import atan2, cos, pi, sin, sqrt
from typing import Any

from reportlab.lib import colors
from reportlab.platypus import Flowable

from backoffice.printing.printable_characters import BOLD, SANS, printable
from backoffice.wording import formats
from backoffice.wording.code_to_word_translation import word
from events.rules.picture_shapes import Card, Chip, Die, Disc, Field, Note, Pane, Stroke

HEIGHT_MAX = 330.0  # points: a page has room for two panes
WHITE, INK = colors.white, colors.HexColor("#171c19")
# Fill and line of each look, for white paper.
LOOKS: dict[str, tuple[Any, Any]] = {
    "red": (colors.HexColor("#d9534f"), INK),
    "black": (colors.HexColor("#8a938e"), INK),
    "green": (colors.HexColor("#7cc49a"), INK),
    "rim": (colors.HexColor("#e8dccb"), INK),
    "ball": (WHITE, INK),
    "dolly": (None, colors.HexColor("#b8860b")),
    "on": (WHITE, INK),
    "off": (INK, INK),
    "arrow": (None, colors.HexColor("#b8860b")),
}
CHIP, DUE = colors.HexColor("#fff3cd"), colors.HexColor("#c8e6c9")
_TOKEN = re.compile(r"[MLAHVZ]|-?[0-9.]+(?:e-?[0-9]+)?")


class DrawnPane(Flowable):
    """One picture of a layout, scaled to the width of the page."""

    def __init__(self, pane: Pane, currency: str, width: float) -> None:
        super().__init__()
        self._pane, self._currency = pane, currency
        self._scale = min(width / pane.width, HEIGHT_MAX / pane.height)
        self.width, self.height = pane.width * self._scale, pane.height * self._scale

    def wrap(self, *_: float) -> tuple[float, float]:
        return self.width, self.height + 6

    def draw(self) -> None:
        canvas, pane = self.canv, self._pane
        canvas.saveState()
        canvas.translate(0, self.height + 3)
        canvas.scale(self._scale, -self._scale)  # y goes down, as on the page
        for field in pane.fields:
            is_filled = self._fill(field.look)
            canvas.rect(field.x, field.y, field.width, field.height, stroke=1, fill=int(is_filled))
            self._text(*field.inscribed, _inscription(field))
        for stroke in (*pane.strokes, *pane.marks):
            self._path(stroke)
        for note in pane.notes:
            self._text(note.x, note.y, _inscription(note), degrees=note.turned)
        for disc in pane.discs:
            self._disc(disc)
        for card in pane.cards:
            self._card(card)
        for die in pane.dice:
            self._die(die)
        for chip in pane.chips:
            self._chip(chip)
        canvas.restoreState()

    def _fill(self, look: str) -> bool:
        fill, line = LOOKS.get(look, (None, INK))
        self.canv.setStrokeColor(line)
        self.canv.setLineWidth(1)
        if fill is not None:
            self.canv.setFillColor(fill)
        return fill is not None

    def _text(self, x: float, y: float, words: str, *, size: float = 11, degrees: float = 0, font: str = SANS) -> None:
        if not words:
            return
        canvas = self.canv
        canvas.saveState()
        canvas.translate(x, y)
        canvas.rotate(degrees)
        canvas.scale(1, -1)
        canvas.setFillColor(INK)
        canvas.setFont(font, size)
        canvas.drawCentredString(0, -size * 0.35, printable(words))
        canvas.restoreState()

    def _path(self, stroke: Stroke) -> None:
        is_filled, path = self._fill(stroke.look), self.canv.beginPath()
        for command, points in path_commands(stroke.d):
            if command == "M":
                path.moveTo(*points)
            elif command == "L":
                path.lineTo(*points)
            else:
                path.close()
        self.canv.drawPath(path, stroke=1, fill=int(is_filled))

    def _disc(self, disc: Disc) -> None:
        self.canv.circle(disc.x, disc.y, disc.radius, stroke=1, fill=int(self._fill(disc.look)))
        self._text(disc.x, disc.y, _inscription(disc))

    def _card(self, card: Card) -> None:
        self._fill("ball")
        self.canv.roundRect(card.x, card.y, 44, 62, 5, stroke=1, fill=1)
        self._text(card.x + 22, card.y + 31, card.words, size=15, font=BOLD)

    def _die(self, die: Die) -> None:
        self._fill("ball")
        self.canv.roundRect(die.x, die.y, 44, 44, 7, stroke=1, fill=1)
        self.canv.setFillColor(INK)
        for x, y in die.pips:
            self.canv.circle(die.x + x, die.y + y, 4, stroke=0, fill=1)

    def _chip(self, chip: Chip) -> None:
        self._fill("ball")
        self.canv.setFillColor(DUE if chip.is_due else CHIP)
        self.canv.circle(chip.x, chip.y, 16, stroke=1, fill=1)
        self._text(chip.x, chip.y, formats.money(chip.amount_minor, self._currency), size=8)


def _inscription(shape: Field | Note | Disc) -> str:
    return shape.text or (word(shape.code) if shape.code else "")


def path_commands(path: str) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield the moves, lines and closings of a path of SVG; an arc becomes short lines. Commands are absolute."""
    tokens, here = _TOKEN.findall(path), (0.0, 0.0)
    place, command = 0, ""
    while place < len(tokens):
        if tokens[place].isalpha():
            command, place = tokens[place], place + 1
        if command == "Z":
            yield "Z", ()
            continue
        count = {"A": 7, "H": 1, "V": 1}.get(command, 2)
        values = [float(token) for token in tokens[place : place + count]]
        place += count
        if command == "A":
            for point in arc_points(here, values):
                yield "L", point
            here = values[5], values[6]
            continue
        here = {"H": (values[0], here[1]), "V": (here[0], values[0])}.get(command, (values[0], values[-1]))
        yield ("M" if command == "M" else "L"), here
        command = "L" if command == "M" else command


def arc_points(start: tuple[float, float], values: list[float]) -> list[tuple[float, float]]:
    """Return points of a circle's arc (SVG 1.1, F.6.5), its end last. `values`: those of the command A."""
    radius, is_large, is_clockwise, end = values[0], values[3] > 0, values[4] > 0, (values[5], values[6])
    dx, dy = (start[0] - end[0]) / 2, (start[1] - end[1]) / 2
    half = sqrt(dx * dx + dy * dy)
    radius = max(radius, half)
    height = sqrt(max(radius * radius - half * half, 0)) / half if half else 0.0
    sign = -1 if is_large == is_clockwise else 1
    middle = (start[0] + end[0]) / 2 + sign * height * dy, (start[1] + end[1]) / 2 - sign * height * dx
    first, last = (_angle(middle, point) for point in (start, end))
    turn = (last - first) % (2 * pi) if is_clockwise else -((first - last) % (2 * pi))
    steps = [first + turn * step / 24 for step in range(1, 24)]
    return [(middle[0] + radius * cos(angle), middle[1] + radius * sin(angle)) for angle in steps] + [end]


def _angle(middle: tuple[float, float], point: tuple[float, float]) -> float:
    return atan2(point[1] - middle[1], point[0] - middle[0])
