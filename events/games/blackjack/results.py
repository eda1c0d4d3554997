"""Result of a round: the dealer's cards."""

from collections.abc import Callable, Mapping
from typing import Any

from events.envelope import EventData
from events.rules.cards import shown
from events.rules.game import ShownResult
from events.tables.types.cards import CardDealt


def _dealt(before: ShownResult, event: CardDealt) -> ShownResult:
    return ShownResult(f"{before.text} {shown(event.card)}".strip()) if event.to == "dealer" else before


RESULTS: Mapping[type[EventData], Callable[[ShownResult, Any], ShownResult]] = {CardDealt: _dealt}
