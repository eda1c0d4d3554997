"""Events with dice: the set on the table, the shooter, throws, the point, bets that travel."""

from typing import ClassVar

import msgspec

from events.tables.event_types.session import Seated, TableEvent


class RecordedDie(msgspec.Struct, frozen=True, kw_only=True):
    """One of the dice on the table: the maker's serial number or series, and the colour."""

    serial: str
    colour: str


class DicePut(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A set of dice comes to the table, in place of the former one (003 2.2, 3)."""

    TYPE: ClassVar[str] = "dice.put.v1"
    dice: tuple[RecordedDie, ...]
    reason: str = ""


class ShooterAppointed(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """The dice are this player's (000 §7; 003 4)."""

    TYPE: ClassVar[str] = "shooter.appointed.v1"


class ShooterDeclined(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A player declines the dice: they go to the next."""

    TYPE: ClassVar[str] = "shooter.declined.v1"


class DiceTakenAway(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """The boxman takes the dice from the shooter, who repeatedly broke the rules of throwing (000 §8)."""

    TYPE: ClassVar[str] = "dice.taken_away.v1"
    reason: str


class DiceChosen(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """The shooter takes two of the dice; the others go back into the bowl. `places` count from 0."""

    TYPE: ClassVar[str] = "dice.chosen.v1"
    places: tuple[int, int]
    serials: tuple[str, str]


class DiceOffered(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """The stickman gives the dice to the shooter (000 §7; 003 3)."""

    TYPE: ClassVar[str] = "dice.offered.v1"


class DiceRolled(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A throw that counts. `point` was on before it (none: a come-out), `point_after` is on after it.

    `serials`: the dice that were thrown, where that is known.
    """

    TYPE: ClassVar[str] = "dice.rolled.v1"
    dice: tuple[int, int]
    total: int
    point: int | None = None
    point_after: int | None = None
    seven_out: bool = False
    serials: tuple[str, str] | None = None


class RollCalledOff(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """No roll: the throw counts for nothing. `mixed`: all dice are mixed and two chosen again (003 4)."""

    TYPE: ClassVar[str] = "roll.called_off.v1"
    reasons: tuple[str, ...]
    detail: str = ""
    mixed: bool = False
    serials: tuple[str, str] | None = None


class PointSet(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The marker is on the number."""

    TYPE: ClassVar[str] = "point.set.v1"
    point: int


class PointMade(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The point was repeated: the marker goes off, the shooter keeps the dice."""

    TYPE: ClassVar[str] = "point.made.v1"
    point: int


class SevenOut(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """A seven before the point: the marker goes off, the dice pass."""

    TYPE: ClassVar[str] = "shooter.sevened_out.v1"
    point: int


class BetMoved(Seated, frozen=True, kw_only=True, omit_defaults=True):
    """A come or don't come bet travels to its number's box."""

    TYPE: ClassVar[str] = "bet.moved.v1"
    bet: str
    wager: str
    number: int
