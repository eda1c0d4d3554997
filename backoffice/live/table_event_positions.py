"""Positions of tables for their screens: one query of the event store for all listeners, a few times a second."""

from collections.abc import AsyncIterator, Callable
from typing import TypeAlias

import msgspec

from backoffice.installation.dependency_injection import installation
from backoffice.live.shared_polling_base_class import InThread, SharedReading
from events.store import MAX_BATCH

TICK_S = 0.15
BEAT_S = 2.0
# Further streams with an effect on a table's screen.
SHARED = frozenset({"progressives", "cage", "devices", "floor", "house", "people"})
EVERY_TABLE = ""


class StoreNews(msgspec.Struct, frozen=True):
    """The store's last position, and by table the last position of an event that its screen shows something of.
    EVERY_TABLE: of an event that concerns all."""

    position: int
    tables: dict[str, int]


Read: TypeAlias = Callable[[int], StoreNews]


def read_news(after: int) -> StoreNews:
    """Return the news of the house's store since a position."""
    store = installation().store
    position = store.position()
    if position == after:
        return StoreNews(position, {})
    if not 0 < position - after <= MAX_BATCH:
        return StoreNews(position, {EVERY_TABLE: position})
    tables: dict[str, int] = {}
    for stored in store.after(after, MAX_BATCH, until=position):
        if (table := table_of(stored.stream)) is not None:
            tables[table] = stored.position
    return StoreNews(position, tables)


def table_of(stream: str) -> str | None:
    """Return the table of a stream's events, EVERY_TABLE for those that concern all, None for others."""
    _property, _, rest = stream.partition("/")
    kind, _, name = rest.partition("/")
    if kind == "tables":
        return name.partition("/")[0]
    return EVERY_TABLE if kind in SHARED else None


class TablePositions(SharedReading[StoreNews]):
    """Positions of the tables, read from the store while a screen listens. After a failed reading, beats continue."""

    subject = "the event store for the table screens"

    def __init__(self, in_thread: InThread[StoreNews], read: Read = read_news, tick_s: float = TICK_S) -> None:
        super().__init__(in_thread, tick_s)
        self._read = read
        self._latest_positions: dict[str, int] = {}
        self._position = 0

    def read(self) -> StoreNews:
        """Return the news of the store since the last reading."""
        return self._read(self._position)

    def take(self, reading: StoreNews) -> bool:
        """Take a reading; each table with an event has news."""
        self._position = reading.position
        self._latest_positions.update(reading.tables)
        return bool(reading.tables)

    def position_of(self, table: str) -> int:
        """Return the last position of an event with an effect on the table's screen, as far as it was read."""
        return max(self._latest_positions.get(table, 0), self._latest_positions.get(EVERY_TABLE, 0))

    async def messages(self, table: str) -> AsyncIterator[str]:
        """Yield the text of a stream until the end: a position as soon as it changes, and a beat in between."""
        first = self.position_of(table)
        yield _message("position", first)  # a screen that reconnects reads once
        async for is_new in self.changes(lambda: self.position_of(table), first, BEAT_S):
            yield _message("position" if is_new else "beat", self.position_of(table))


def _message(event: str, position: int) -> str:
    return f'event: {event}\ndata: {{"position":{position}}}\n\n'
