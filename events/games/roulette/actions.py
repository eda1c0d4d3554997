"""Actions at a wheel."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from events.envelope import ActionData
from events.fields import RouletteNumber, Text


class LaunchBall(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Turn the wheel and throw the ball against it."""

    TYPE: ClassVar[str] = "ball.launch"
    wheel: Literal["cw", "ccw"]
    ball: Literal["cw", "ccw"]


class CallOffSpin(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Call no spin."""

    TYPE: ClassVar[str] = "spin.call_off"
    reason: Text


class LandBall(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The ball rests in a number. `last_coup`: the table's last spin of the day; `revolutions`: turns of the ball,
    where they were counted."""

    TYPE: ClassVar[str] = "ball.land"
    number: RouletteNumber
    last_coup: bool = False
    revolutions: Annotated[int, Meta(ge=0, le=100)] | None = None
