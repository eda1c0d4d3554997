"""State of a wheel, for a terminal that starts again."""

from collections.abc import Mapping
from typing import Literal

from events.games.roulette.wheel_state_and_personal_limits import wheel_of
from events.tables.table_session_state_structs import Session
from events.tables.terminal_snapshot import Playing


class Wheel(Playing, frozen=True, kw_only=True, omit_defaults=True, tag="roulette"):
    """The last direction of the wheel (it turns the other way next time), and the ball of this spin.

    `last_coup`: the last spin of the day was played; `personal`: players' own limits, minimum and maximum, by player
    and kind of bet.
    """

    turned: Literal["cw", "ccw"] | None = None
    ball: Literal["cw", "ccw"] | None = None
    last_coup: bool = False
    personal: Mapping[str, Mapping[str, tuple[int, int]]] = {}


def terminal_state(session: Session) -> Wheel:
    """Return the state from the session."""
    wheel = wheel_of(session)
    return Wheel(turned=wheel.turned, ball=wheel.ball, last_coup=wheel.last_coup, personal=wheel.personal)
