"""Upcasters: how the data of an old event type is read as its successor's. Stored bytes never change.

Adding a field with a default needs none. Anything else makes `.vN+1`, and an entry here:

    def bet_placed_v1(data: dict[str, Any]) -> dict[str, Any]:
        return {**data, "tender": "chips"}

    UPCASTERS = {"bet.placed.v1": ("bet.placed.v2", bet_placed_v1)}
"""

from collections.abc import Callable, Mapping
from typing import Any

Data = dict[str, Any]
Upcaster = tuple[str, Callable[[Data], Data]]

# old type -> the next type, and a pure function from the old data to the new
UPCASTERS: Mapping[str, Upcaster] = {}


def upcast(event_type: str, data: Data, upcasters: Mapping[str, Upcaster] = UPCASTERS) -> tuple[str, Data]:
    """Follow the chain of upcasters to the present type; the same type and data without an upcaster."""
    while event_type in upcasters:
        event_type, step = upcasters[event_type]
        data = step(data)
    return event_type, data
