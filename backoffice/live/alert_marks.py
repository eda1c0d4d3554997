"""News of open alerts for wall displays: one look at the read models for all of them, twice a second."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import msgspec

from backoffice.freshness.freshness import freshness
from backoffice.surveillance.wall import wall_mark

log = logging.getLogger(__name__)

TICK_S = 0.5
BEAT_S = 2.0


class AlertNews(msgspec.Struct, frozen=True):
    """The mark of the open alerts, and the age of the read models as a word."""

    mark: str = ""
    state: str = "unknown"


Read: TypeAlias = Callable[[], AlertNews]
InThread: TypeAlias = Callable[[Read], Awaitable[AlertNews]]


def read_news() -> AlertNews:
    """Return the mark of the open alerts and the age of the figures."""
    age = freshness()
    return AlertNews(wall_mark(), "late" if age.is_stale and age.state == "current" else age.state)


class AlertMarks:
    """Looks while a wall listens. In the event loop's thread; `in_thread` reads in another."""

    def __init__(self, in_thread: InThread, read: Read = read_news, tick_s: float = TICK_S) -> None:
        self._in_thread, self._read, self._tick_s = in_thread, read, tick_s
        self._latest = AlertNews()
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.listeners = 0
        self.is_closed = False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Count a listener in, and out again."""
        self.listeners += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._follow())
        try:
            yield
        finally:
            self.listeners -= 1

    async def messages(self) -> AsyncIterator[str]:
        """Yield the text of a stream until the end: a mark as soon as it changes, and a beat in between."""
        sent = None
        while not self.is_closed:
            news, latest = self._news, self._latest
            if latest.mark and latest.mark != sent:
                sent = latest.mark
                yield _message("alerts", latest)
                continue
            try:
                async with asyncio.timeout(BEAT_S):
                    await news.wait()
            except TimeoutError:
                yield _message("beat", latest)

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
        """Read as long as a wall listens. Errors are retried: meanwhile the beat reports an unknown age."""
        while self.listeners and not self.is_closed:
            before = self._latest
            try:
                self._latest = await self._in_thread(self._read)
            except Exception:
                log.exception("the alerts could not be read for the wall displays")
                self._latest = msgspec.structs.replace(before, state="unknown")
            if self._latest.mark != before.mark:
                self._wake()
            await asyncio.sleep(self._tick_s)


def _message(event: str, news: AlertNews) -> str:
    return f"event: {event}\ndata: {msgspec.json.encode(news).decode()}\n\n"
