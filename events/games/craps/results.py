"""Result of a throw: the two dice."""

from collections.abc import Callable, Mapping
from typing import Any

from events.envelope import EventData
from events.games.craps.types import DiceRolled
from events.rules.game import ShownResult


def _rolled(_before: ShownResult, event: DiceRolled) -> ShownResult:
    return ShownResult("-".join(map(str, event.dice)))


RESULTS: Mapping[type[EventData], Callable[[ShownResult, Any], ShownResult]] = {DiceRolled: _rolled}
