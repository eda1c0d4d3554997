"""Drawing of a layout: panes with their print and their bets, in units of a pane's own.

A game's drawing (`TableGame.draws`) is such panes, made of its session and of the events of the round. The look of a
shape is a word of a closed list (`Look`), for which the pages have a colour; nothing here knows of pages.
"""

from collections.abc import Iterable, Sequence
from math import cos, radians, sin
from typing import Literal, TypeAlias

import msgspec

from events.rules.cards import card_text

Look: TypeAlias = Literal[
    "plain", "red", "black", "green", "ball", "dolly", "rim", "note", "on", "off", "line", "arrow"
]
Spot: TypeAlias = tuple[float, float]

ACROSS = 15  # between two chips of one spot
_MIDDLE, _TWO = ((22, 22),), ((12, 12), (32, 32))
_FOUR = (*_TWO, (12, 32), (32, 12))
_PIPS = {1: _MIDDLE, 2: _TWO, 3: _TWO + _MIDDLE, 4: _FOUR, 5: _FOUR + _MIDDLE, 6: (*_FOUR, (12, 22), (32, 22))}


class Field(msgspec.Struct, frozen=True):
    """A field of the cloth, by its upper left corner.

    Its inscription is in the middle, or lower by `down`: a text, or the word of a `code`.
    """

    x: float
    y: float
    width: float
    height: float
    look: Look = "plain"
    text: str = ""
    code: str = ""
    down: float = 0

    @property
    def inscribed(self) -> Spot:
        """Return the place of its inscription."""
        x, y = self.middle
        return x, y + self.down

    @property
    def middle(self) -> Spot:
        """Return the place of a chip on it."""
        return self.x + self.width / 2, self.y + self.height / 2


class Stroke(msgspec.Struct, frozen=True):
    """Any other shape, as a path of SVG."""

    d: str
    look: Look = "line"


class Disc(msgspec.Struct, frozen=True):
    """A ball, a marker, a puck; `text` or the word of `code` is written on it."""

    x: float
    y: float
    radius: float
    look: Look
    text: str = ""
    code: str = ""


class Note(msgspec.Struct, frozen=True):
    """A text of the drawing, turned by so many degrees about its own place."""

    x: float
    y: float
    text: str = ""
    code: str = ""
    turned: float = 0
    look: Look = "note"


class Card(msgspec.Struct, frozen=True):
    """A card face up, as two letters ("7D"), by its upper left corner."""

    x: float
    y: float
    card: str

    @property
    def words(self) -> str:
        """Return it in words for people."""
        return card_text(self.card)

    @property
    def suit(self) -> str:
        """Return its sign alone."""
        return card_text(self.card)[-1]


class Die(msgspec.Struct, frozen=True):
    """The face of a die, 1 to 6, by its upper left corner."""

    x: float
    y: float
    face: int

    @property
    def pips(self) -> tuple[tuple[int, int], ...]:
        """Return the places of its pips, in a square of 44."""
        return _PIPS[self.face]


class Chip(msgspec.Struct, frozen=True):
    """A stake, or winnings that are due and not paid (`is_due`), in its place: `amount_minor` of one player on one bet.

    `is_held`: en prison, or off. `place` is the player's: a seat or a box.
    """

    x: float
    y: float
    amount_minor: int
    bet: str
    wager: str
    player: str
    place: int = 0
    is_due: bool = False
    is_held: bool = False


class Hand(msgspec.Struct, frozen=True):
    """Cards of one hand: their owner (a code: dealer, player, banker, box), the box, and the cards from left to
    right.
    """

    of: str
    cards: tuple[str, ...]
    box: int | None = None

    @property
    def shown(self) -> list[str]:
        """Return the cards in their form for people."""
        return [card_text(card) for card in self.cards]


class Pane(msgspec.Struct, frozen=True, kw_only=True):
    """One picture: the cloth, the wheel. `ground` is the fixed print, the rest changes from step to step."""

    code: str
    width: float
    height: float
    fields: tuple[Field, ...] = ()
    strokes: tuple[Stroke, ...] = ()
    notes: tuple[Note, ...] = ()
    marks: tuple[Stroke, ...] = ()
    discs: tuple[Disc, ...] = ()
    cards: tuple[Card, ...] = ()
    dice: tuple[Die, ...] = ()
    chips: tuple[Chip, ...] = ()


class Drawn(msgspec.Struct, frozen=True):
    """A layout at one moment. `hands` are the cards in words."""

    panes: tuple[Pane, ...]
    hands: tuple[Hand, ...] = ()


def ring(x: float, y: float, radius: float) -> str:
    """A circle about (x, y), as a path."""
    half = f"A{radius:g} {radius:g} 0 1 1 {x:g}"
    return f"M{x:g} {y - radius:g}{half} {y + radius:g}{half} {y - radius:g}Z"


def on_circle(x: float, y: float, radius: float, degrees: float) -> Spot:
    """A place on a circle about (x, y), clockwise from its top."""
    turn = radians(degrees)
    return round(x + radius * sin(turn), 1), round(y - radius * cos(turn), 1)


def side_by_side(chips: Iterable[Chip]) -> tuple[Chip, ...]:
    """Chips of one spot moved apart, so that each is seen: about the spot, two rows where they are many."""
    spots: dict[Spot, list[Chip]] = {}
    for chip in chips:
        spots.setdefault((chip.x, chip.y), []).append(chip)
    return tuple(_stacked_chip(chip, n, len(here)) for here in spots.values() for n, chip in enumerate(here))


def _stacked_chip(chip: Chip, number: int, of: int) -> Chip:
    rows = 1 if of < 4 else 2
    row, column = number % rows, number // rows
    columns = -(-of // rows)
    x = chip.x + (column - (columns - 1) / 2) * ACROSS
    y = chip.y + (row - (rows - 1) / 2) * ACROSS
    return msgspec.structs.replace(chip, x=round(x, 1), y=round(y, 1))


def in_a_row(x: float, y: float, cards: Sequence[str], across: float = 26) -> tuple[Card, ...]:
    """Cards laid one over the other, from left to right."""
    return tuple(Card(x + number * across, y, card) for number, card in enumerate(cards))
