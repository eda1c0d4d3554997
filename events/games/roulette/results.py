"""Result of a spin: the number, in its colour."""

from collections.abc import Callable, Mapping
from typing import Any

from events.envelope import EventData
from events.games.roulette.types import BallLanded
from events.rules.game import Result

DOUBLE_ZERO = 37


def _landed(_before: Result, event: BallLanded) -> Result:
    return Result("00" if event.number == DOUBLE_ZERO else str(event.number), event.colour)


RESULTS: Mapping[type[EventData], Callable[[Result, Any], Result]] = {BallLanded: _landed}
