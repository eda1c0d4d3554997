"""Events at a wheel."""

from typing import ClassVar, Literal

from events.tables.event_types.session import TableEvent


class BallLaunched(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The ball runs against the wheel; bets are still taken (002 P.1, P.3)."""

    TYPE: ClassVar[str] = "ball.launched.v1"
    wheel: Literal["cw", "ccw"]
    ball: Literal["cw", "ccw"]


class SpinCalledOff(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """No spin: the throw counts for nothing (002 P.2)."""

    TYPE: ClassVar[str] = "spin.called_off.v1"
    reason: str


class BallLanded(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The ball rests: the number and its colour (002 P.4)."""

    TYPE: ClassVar[str] = "ball.landed.v1"
    number: int
    colour: Literal["red", "black", "green"]
    last_coup: bool = False
    revolutions: int | None = None


class ColourSet(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The player plays with chips of this colour, each of this value."""

    TYPE: ClassVar[str] = "colour.set.v1"
    seat: int
    player: str
    colour: int
    value_minor: int


class ColourReturned(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The player's colour chips were taken back; they had this value."""

    TYPE: ClassVar[str] = "colour.returned.v1"
    player: str
    colour: int
    value_minor: int
