"""Actions of the wheel of fortune only."""

from typing import Annotated, ClassVar

from msgspec import Meta

from events.envelope import ActionData
from events.fields import Name


class StopWheel(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The wheel stops at a symbol after a number of turns: every bet is settled."""

    TYPE: ClassVar[str] = "wheel.stop"
    symbol: Name
    turns: Annotated[int, Meta(ge=0, le=100)]
