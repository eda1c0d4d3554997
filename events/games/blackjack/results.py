"""Result of a round: the dealer's cards."""

from collections.abc import Callable, Mapping
from typing import Any

from events.envelope import EventData
from events.rules.cards import shown
from events.rules.game import Result
from events.tables.types.cards import CardDealt


def _dealt(before: Result, event: CardDealt) -> Result:
    return Result(f"{before.text} {shown(event.card)}".strip()) if event.to == "dealer" else before


RESULTS: Mapping[type[EventData], Callable[[Result, Any], Result]] = {CardDealt: _dealt}
