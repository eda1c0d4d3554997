"""Actions with dice: the set on the table, the shooter, throws, presses and combinations."""

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from events.envelope import ActionData
from events.fields import Name, Note, Seat, ShortName, Stake, Text


class Die(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A die: the maker's serial number or series, and its colour."""

    serial: Name
    colour: Name


class PutDice(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Place a set of dice on the table, in place of the former set."""

    TYPE: ClassVar[str] = "dice.put"
    dice: Annotated[tuple[Die, ...], Meta(min_length=1, max_length=10)]
    reason: Note = ""


class AppointShooter(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Give the dice to the next shooter."""

    TYPE: ClassVar[str] = "shooter.appoint"
    seat: Seat
    player: Name


class DeclineDice(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A player declines the dice."""

    TYPE: ClassVar[str] = "shooter.decline"
    seat: Seat
    player: Name


class TakeDiceAway(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Take the dice from a shooter who repeatedly breaks the rules."""

    TYPE: ClassVar[str] = "dice.take_away"
    reason: Text


class ChooseDice(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The shooter takes two of the dice on the table, by their places from 0."""

    TYPE: ClassVar[str] = "dice.choose"
    places: tuple[Annotated[int, Meta(ge=0, le=9)], Annotated[int, Meta(ge=0, le=9)]]


class OfferDice(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The stickman gives the dice to the shooter."""

    TYPE: ClassVar[str] = "dice.offer"


class Seen(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Observation of a throw: how many dice passed the middle and hit the far end, and faults."""

    past_middle: Annotated[int, Meta(ge=0, le=2)] = 2
    hit_end: Annotated[int, Meta(ge=0, le=2)] = 2
    slid: bool = False
    off_table: bool = False
    cocked: bool = False
    in_dice_bowl: bool = False
    off_dice_bowl: bool = False
    in_chip_bank: bool = False
    in_chip_rack: bool = False
    knocked_back: bool = False


class RollDice(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Record a throw that counts, with an observation of it if one was noted.

    `serials`: the two thrown dice, if they were read; otherwise those that the shooter took.
    """

    TYPE: ClassVar[str] = "dice.roll"
    dice: tuple[Annotated[int, Meta(ge=1, le=6)], Annotated[int, Meta(ge=1, le=6)]]
    seen: Seen | None = None
    serials: tuple[Name, Name] | None = None


class CallOffRoll(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Call no roll, for a fault in the throw or for another reason. `serials`: as of a throw that counts."""

    TYPE: ClassVar[str] = "roll.call_off"
    seen: Seen = Seen()
    detail: Note = ""
    serials: tuple[Name, Name] | None = None


class PressBet(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Double a bet out of its win; the rest of the win is paid."""

    TYPE: ClassVar[str] = "bet.press"
    bet: Name


class PlaceCombination(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Place bets on all numbers of a combination; the bets are named BET-NUMBER."""

    TYPE: ClassVar[str] = "combination.place"
    bet: ShortName
    name: Name
    unit_minor: Stake
    player: Name
    seat: Seat
