"""Result of a coup: the totals of player (P) and banker (B)."""

from collections.abc import Callable, Mapping
from typing import Any

from events.envelope import EventData
from events.games.baccarat.types import CoupEnded
from events.rules.game import ShownResult


def _ended(_before: ShownResult, event: CoupEnded) -> ShownResult:
    return ShownResult(f"P {event.player_total} B {event.banker_total}")


RESULTS: Mapping[type[EventData], Callable[[ShownResult, Any], ShownResult]] = {CoupEnded: _ended}
