"""Actions of the wheel of fortune only."""

from typing import Annotated, ClassVar

from msgspec import Meta

from events.envelope import ActionData
from events.fields import Name


class StopWheel(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The wheel rests at a symbol, after so many turns: every bet is decided."""

    TYPE: ClassVar[str] = "wheel.stop"
    symbol: Name
    turns: Annotated[int, Meta(ge=0, le=100)]
