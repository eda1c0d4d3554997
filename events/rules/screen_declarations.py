"""Declarations for the table screen: places of wagers, steps of the procedure, pads that ask for details.

A game's declaration is `TableGame.screen`. A game without one gets its screen from its wagers and from the fields of
its own actions (`events/tables/screen`). Texts are English and marked for translation.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from events.errors import PitledgerError
from events.rules.picture_shapes import Look
from events.rules.taken_ruleset_version_struct import Numbers

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
    "cards",
    "place",
    "texts",
]
Group: TypeAlias = Literal["play", "mistakes", "business", "progressive"]
Size: TypeAlias = Literal["large", "small", "menu"]


class Option(msgspec.Struct, frozen=True, omit_defaults=True):
    """A value that a pad offers: the field's, or, where the pad has no field, an object of several fields."""

    value: Any
    label: str
    look: Look = "plain"


class Pad(msgspec.Struct, frozen=True, kw_only=True):
    """Input of one detail of a step. `field` is the field of the action's data. With an empty `field`, each option's
    value holds several fields. A `text` pad with options proposes them and takes any other text. `denominations` are
    the chips that a `tray` counts.

    Kinds of input: `number` (the options, or a keypad from `least` to `most`), `card` ("7D"), `choice`, `text`, `day`.
    `dice` are two faces, first and second die; `ordered` false: the order does not matter. `amount` is in minor units.
    `seat` is a seat or box, `player` and `person` are ids, `bet` is a bet on the layout. `tray` is chips by
    denomination, `limits` amounts by wager, `cards` numbers of cards by card. `dice set` is the serial and colour of
    each die. `place` is the data of one of the table's places. `texts` are up to `most` texts.
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
    """A place for a wager: its name, the action that puts a chip there, and a rectangle of a pane to tap.

    The rectangle is given by its upper left corner. Later places cover earlier ones. `seated`: one for each seat or
    box, at its own one of the `spots` where the pane shows them. `again`: the action that adds a chip to a present bet;
    without it, another bet is placed.
    """

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
    required one); the terminal makes a new name for the field that `names` says. `is_fact`: it is reported, not asked.
    `by_state`: only a refusal for the state of the table counts before its input is known. A step without `may_be_next`
    is never shown large. Without a label it is called by the word of its action."""

    do: str
    label: str = ""
    data: Mapping[str, Any] = {}
    asks: tuple[str, ...] | None = None
    group: Group = "play"
    is_fact: bool = False
    by_state: bool = False
    may_be_next: bool = True
    names: str = ""


class Earlier(msgspec.Struct, frozen=True, kw_only=True):
    """An action that a step of a round without signal follows: offered after `times` of them in the round."""

    do: str
    data: Mapping[str, Any]
    times: int = 1


class OfflineStep(msgspec.Struct, frozen=True, kw_only=True):
    """A step of a round without signal. `after`: the action without which it is not offered."""

    step: ScreenStep
    after: Earlier | None = None


class OfflineBlock(msgspec.Struct, frozen=True, kw_only=True):
    """Steps that follow each other without signal. With `each`, they come once for each seat or box: that field of
    their data has its number, and `{0}` of their labels."""

    steps: tuple[OfflineStep, ...]
    each: str = ""


class RecordedAction(msgspec.Struct, frozen=True):
    """An action of this round that the house has recorded, as far as steps without signal follow it."""

    do: str
    data: Mapping[str, Any]


class OfflineRound(msgspec.Struct, frozen=True, kw_only=True):
    """A round as a screen offers it without signal, when the house judges no step.

    `blocks` in the order of the procedure, `block` is the number of the one where the round is now, from 0. `recorded`
    are the actions of this round that steps follow.
    """

    blocks: tuple[OfflineBlock, ...]
    block: int
    recorded: tuple[RecordedAction, ...] = ()


class BetsOff(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Bets that an action takes off the layout, for a screen without signal.

    A bet is meant if it has the data of one of `bets`; null: data that it has not. Where `values` are named, `field` of
    the action has one of them. `is_first`: the action is the first of its kind in the round, or a later one. Bets with
    the data of `unless` stay. With `becomes`, bets stay with these further data, and their chips lie at `spot`.
    """

    do: str
    bets: tuple[Mapping[str, Any], ...]
    field: str = ""
    values: tuple[Any, ...] = ()
    is_first: bool | None = None
    unless: Mapping[str, Any] = {}
    becomes: Mapping[str, Any] = {}
    spot: tuple[float, float] | None = None


ALL_AT_NEXT_ROUND = (BetsOff(do="round.open", bets=({},)),)


def place_name(wager: str, numbers: Sequence[int] = (), which: int | None = None, number: int | None = None) -> str:
    """Return the name of a place: the wager with its numbers, its group or its number."""
    if numbers:
        return f"{wager} {'-'.join(map(str, numbers))}"
    suffix = which if which is not None else number
    return wager if suffix is None else f"{wager} {suffix}"


class StakeUnit(msgspec.Struct, frozen=True):
    """The number of the table's smallest chips in whose multiples a place is staked, with the refusal of any other
    stake."""

    chips: int = 1
    refused: PitledgerError | None = None


class ColourChips(msgspec.Struct, frozen=True):
    """Chips of a player at a seat: the number of their colour, and the value of each."""

    seat: int
    colour: int
    value_minor: int


class GameScreen(msgspec.Struct, frozen=True, kw_only=True):
    """Part of a game on the table screen.

    `places` of a ruleset, in the units of the game's drawing. `steps` of the procedure in their order, of a session;
    those of all games are added. `pads` are declared by "ACTION FIELD", and those with a field of their own name that
    several fields share. `ruleset_pads` are those that differ by ruleset. `seats` is the number of seats, or of boxes
    where `has_boxes`. `same_place` are wagers whose places are equal under every rule of the table: one of them is
    judged for all. `completes` gives, for a session, a place and a player, further data that the bet needs, such as the
    base bet of odds. `amounts` are the only stakes that a wager takes, where they are restricted. `unit` are the chips
    in whose multiples a place is staked. `colours` are the colour chips of each player who has some. `offline_round` is
    the round without signal, where `steps` depend on what the house has recorded. `offline_bets` are the bets that
    results and rounds take off the layout without signal: without a declaration, all of them when a round is opened.
    """

    steps: Callable[[Any], Sequence[ScreenStep]]
    places: Callable[[Numbers], Sequence[Place]] | None = None
    pads: Mapping[str, Pad] = {}
    ruleset_pads: Callable[[Numbers], Mapping[str, Pad]] = lambda _plays: {}
    seats: int = 7
    has_boxes: bool = False
    same_place: tuple[str, ...] = ()
    completes: Callable[[Any, Place, str], Mapping[str, Any]] = lambda _session, _place, _player: {}
    amounts: Callable[[Any], Mapping[str, tuple[int, ...]]] = lambda _session: {}
    unit: Callable[[Any, Place], StakeUnit] = lambda _session, _place: StakeUnit()
    colours: Callable[[Any], Mapping[str, ColourChips]] = lambda _session: {}
    offline_round: Callable[[Any], OfflineRound | None] = lambda _session: None
    offline_bets: Callable[[Numbers], Sequence[BetsOff]] = lambda _plays: ALL_AT_NEXT_ROUND
