"""Positions of tables for their screens: one look at the event store for all who listen, a few times a second."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import msgspec

from backoffice.installation.installation import installation
from events.store import MAX_BATCH

log = logging.getLogger(__name__)

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
InThread: TypeAlias = Callable[[Callable[[], StoreNews]], Awaitable[StoreNews]]


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


class TablePositions:
    """Looks while a screen listens. In the event loop's thread; `in_thread` reads the store in another."""

    def __init__(self, in_thread: InThread, read: Read = read_news, tick_s: float = TICK_S) -> None:
        self._in_thread, self._read, self._tick_s = in_thread, read, tick_s
        self._listeners = Counter[str]()
        self._latest: dict[str, int] = {}
        self._position = 0
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.is_closed = False

    @property
    def listeners(self) -> int:
        """Return the number of listeners."""
        return self._listeners.total()

    @contextmanager
    def listening(self, table: str) -> Iterator[None]:
        """Count a listener in, and out again."""
        self._listeners[table] += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._follow())
        try:
            yield
        finally:
            self._listeners[table] -= 1

    def position_of(self, table: str) -> int:
        """Return the last position of an event with an effect on the table's screen, as far as it was read."""
        return max(self._latest.get(table, 0), self._latest.get(EVERY_TABLE, 0))

    async def messages(self, table: str) -> AsyncIterator[str]:
        """Yield the text of a stream until the end: a position as soon as it changes, and a beat in between."""
        told = self.position_of(table)
        yield _message("position", told)  # a screen that comes back looks once
        while not self.is_closed:
            news = self._news
            if (position := self.position_of(table)) != told:
                told = position
                yield _message("position", told)
                continue
            try:
                async with asyncio.timeout(BEAT_S):
                    await news.wait()
            except TimeoutError:
                yield _message("beat", told)

    def close(self) -> None:
        """Let every stream end."""
        self.is_closed = True
        self._wake()
        if self._task is not None:
            self._task.cancel()

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def _follow(self) -> None:
        """Read as long as a screen listens. Errors are retried: the screens get beats meanwhile."""
        while self._listeners.total() and not self.is_closed:
            try:
                news = await self._in_thread(lambda: self._read(self._position))
            except Exception:
                log.exception("the event store could not be read for the table screens")
            else:
                self._position = news.position
                self._latest.update(news.tables)
                if news.tables:
                    self._wake()
            await asyncio.sleep(self._tick_s)


def _message(event: str, position: int) -> str:
    return f'event: {event}\ndata: {{"position":{position}}}\n\n'
