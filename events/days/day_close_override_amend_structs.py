"""Actions of accounting at the close of a gaming day, and afterwards."""

from typing import Annotated, ClassVar

from msgspec import Meta

from events.accounting.event_types.day_close import Item
from events.envelope import ActionData
from events.fields import Id, Text

MAX_NAMED = 200  # events of one amendment


class CloseDay(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Close the gaming day. Every item of its checklist must hold, or be overridden one by one."""

    TYPE: ClassVar[str] = "day.close"


class OverrideItem(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Override an item that blocks the close of the day: by two departments, with a reason."""

    TYPE: ClassVar[str] = "day.override"
    item: Item
    reason: Text


class AmendDay(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Restate the day with events that were recorded after its close. `events` are their ids."""

    TYPE: ClassVar[str] = "day.amend"
    events: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=MAX_NAMED)]
    reason: Text
