"""Result of a throw: the two dice."""

from collections.abc import Callable, Mapping
from typing import Any

from events.envelope import EventData
from events.games.craps.types import DiceRolled
from events.rules.game import Result


def _rolled(_before: Result, event: DiceRolled) -> Result:
    return Result("-".join(map(str, event.dice)))


RESULTS: Mapping[type[EventData], Callable[[Result, Any], Result]] = {DiceRolled: _rolled}
