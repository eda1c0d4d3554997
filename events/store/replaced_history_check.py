"""Whether a store still holds the event that a process has read last. A restored backup may hold another history."""

from collections.abc import Sequence

import structlog

from events.envelope import digest
from events.store import Stored

log = structlog.get_logger(__name__)


def is_as_read(events: Sequence[Stored], read_digest: bytes, state: str, **place: int) -> bool:
    """Return whether the first event has the digest of the event that was read at this place.

    If not, log an error. The caller then reads all events of `state` again.
    """
    if events and digest(events[0].raw) == read_digest:
        return True
    log.error("the store is not what was read: read again", state=state, **place)
    return False
