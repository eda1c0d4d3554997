"""Actions at a wheel."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from events.envelope import ActionData
from events.fields import Money, Name, RouletteNumber, Seat, Text

COLOURS = 8  # of the chips at a wheel, numbered from 1


class LaunchBall(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Turn the wheel and throw the ball against it."""

    TYPE: ClassVar[str] = "ball.launch"
    wheel: Literal["cw", "ccw"]
    ball: Literal["cw", "ccw"]


class CallOffSpin(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Call no spin."""

    TYPE: ClassVar[str] = "spin.call_off"
    reason: Text


class SetColour(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Give a player the chips of a colour, each of this value: at the buy-in or an exchange."""

    TYPE: ClassVar[str] = "colour.set"
    seat: Seat
    player: Name
    colour: Annotated[int, Meta(ge=1, le=COLOURS)]
    value_minor: Money


class ReturnColour(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Take the chips of a player's colour back: they have no value any more."""

    TYPE: ClassVar[str] = "colour.return"
    player: Name


class LandBall(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The ball rests in a number. `last_coup`: the table's last spin of the day; `revolutions`: turns of the ball,
    where they were counted."""

    TYPE: ClassVar[str] = "ball.land"
    number: RouletteNumber
    last_coup: bool = False
    revolutions: Annotated[int, Meta(ge=0, le=100)] | None = None
