"""An event as the fold takes it: where it stands, who said it, and what it says."""

import msgspec

from events.envelope import EventData


class Happened(msgspec.Struct, frozen=True, gc=False):
    """An event of the property, in the store's order."""

    position: int
    stream: str
    actor: str
    data: EventData
    id: str = ""
