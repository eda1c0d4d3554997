"""Declarations for the table screen: places of wagers, steps of the procedure, pads that ask for details.

A game's declaration is `TableGame.screen`. A game without one gets its screen from its wagers and from the fields of
its own actions (`events/tables/screen`). Texts are English and marked for translation.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from events.rules.drawing import Look
from events.rules.versions import Numbers

PadKind: TypeAlias = Literal[
    "number",
    "card",
    "dice",
    "choice",
    "amount",
    "seat",
    "player",
    "person",
    "tray",
    "text",
    "bet",
    "day",
    "limits",
    "dice set",
]
Group: TypeAlias = Literal["play", "mistakes", "business", "progressive"]
Size: TypeAlias = Literal["large", "small", "menu"]


class Option(msgspec.Struct, frozen=True, omit_defaults=True):
    """A value that a pad offers: the field's, or, where the pad has no field, an object of several fields."""

    value: Any
    label: str
    look: Look = "plain"


class Pad(msgspec.Struct, frozen=True, kw_only=True):
    """Input of one detail of a step. `field` is the field of the action's data; an empty one: each option's value holds
    several fields. A `text` pad with options proposes them and takes any other text. `denominations` are the chips that
    a `tray` counts.

    Kinds: `number` (the options, or a keypad from `least` to `most`), `card` ("7D"), `dice` (two faces, first and
    second die; `ordered` false: the order does not matter), `choice`, `amount` (minor units), `seat` (or box),
    `player`, `person`, `tray` (chips by denomination), `text`, `bet` (a bet that lies), `day`, `limits` (amounts by
    wager), `dice set` (serial and colour of each die).
    """

    name: str
    kind: PadKind
    field: str
    label: str = ""
    options: tuple[Option, ...] = ()
    optional: bool = False
    default: Any = None
    denominations: tuple[int, ...] = ()
    ordered: bool = True
    least: int | None = None
    most: int | None = None


class Spot(msgspec.Struct, frozen=True):
    """A rectangle of a pane, by its upper left corner."""

    x: float
    y: float
    width: float
    height: float


class Place(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A place where a wager may lie: its name, the action that puts a chip there, and a rectangle of a pane to tap, by
    its upper left corner. Later places lie over earlier ones. `seated`: one for each seat or box, at its own one of the
    `spots` where the pane shows them. `again`: the action that adds a chip to a bet that lies there already; without
    it, another bet is placed."""

    place: str
    do: str = "bet.place"
    data: Mapping[str, Any]
    pane: str = "layout"
    x: float
    y: float
    width: float
    height: float
    label: str
    seated: bool = False
    spots: Mapping[int, Spot] = {}
    again: str | None = None


class ScreenStep(msgspec.Struct, frozen=True, kw_only=True):
    """A step that a screen offers. `data` are its fixed fields, `asks` the fields that pads ask for (None: every
    required one). `is_fact`: it is reported, not asked. Without a label it is called by the word of its action."""

    do: str
    label: str = ""
    data: Mapping[str, Any] = {}
    asks: tuple[str, ...] | None = None
    group: Group = "play"
    is_fact: bool = False


def place_name(wager: str, numbers: Sequence[int] = (), which: int | None = None, number: int | None = None) -> str:
    """Return the name of a place: the wager with its numbers, its group or its number."""
    if numbers:
        return f"{wager} {'-'.join(map(str, numbers))}"
    suffix = which if which is not None else number
    return wager if suffix is None else f"{wager} {suffix}"


class GameScreen(msgspec.Struct, frozen=True, kw_only=True):
    """Part of a game on the table screen.

    `places` of a ruleset, in the units of the game's drawing. `steps` of the procedure in their order, of a session;
    those of all games come beside them. `pads` are declared by "ACTION FIELD", and those with a field of their own
    name that several fields share. `seats` is the number of seats, or of boxes where `has_boxes`. `same_place` are
    wagers whose places are alike for every rule of the table: one of them is judged for all.
    """

    steps: Callable[[Any], Sequence[ScreenStep]]
    places: Callable[[Numbers], Sequence[Place]] | None = None
    pads: Mapping[str, Pad] = {}
    seats: int = 7
    has_boxes: bool = False
    same_place: tuple[str, ...] = ()
