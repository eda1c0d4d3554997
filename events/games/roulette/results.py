"""Result of a spin: the number, in its colour."""

from collections.abc import Callable, Mapping
from typing import Any

from events.envelope import EventData
from events.games.roulette.types import BallLanded
from events.rules.game import ShownResult

DOUBLE_ZERO = 37


def _landed(_before: ShownResult, event: BallLanded) -> ShownResult:
    return ShownResult("00" if event.number == DOUBLE_ZERO else str(event.number), event.colour)


RESULTS: Mapping[type[EventData], Callable[[ShownResult, Any], ShownResult]] = {BallLanded: _landed}
