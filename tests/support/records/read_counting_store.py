"""A store in memory that counts the events read from it."""

from collections.abc import Sequence

from events.store import Stored
from events.store.in_memory_store import MemoryStore


class ReadCountingStore(MemoryStore):
    """Counts the events that are read by position, and notes the positions after which they are read."""

    def __init__(self) -> None:
        super().__init__()
        self.read = 0
        self.read_from: list[int] = []

    def after(self, position: int, limit: int, types: Sequence[str] = (), until: int | None = None) -> list[Stored]:
        events = super().after(position, limit, types, until)
        self.read += len(events)
        self.read_from.append(position)
        return events
