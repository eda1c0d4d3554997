"""An event as the fold takes it: its position, its actor, and its data."""

import msgspec

from events.envelope import EventData


class AccountingEvent(msgspec.Struct, frozen=True, gc=False):
    """An event of the property, in the store's order."""

    position: int
    stream: str
    actor: str
    data: EventData
    id: str = ""
