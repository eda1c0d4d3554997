"""Events of the wheel of fortune only."""

from typing import ClassVar

from events.tables.event_types.session import TableEvent


class WheelStopped(TableEvent, frozen=True, kw_only=True, omit_defaults=True):
    """The wheel rests at a symbol."""

    TYPE: ClassVar[str] = "wheel.stopped.v1"
    symbol: str
    turns: int
