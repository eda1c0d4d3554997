"""One reading of the house for all listeners of a stream, repeated while there is a listener."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

log = logging.getLogger(__name__)

T = TypeVar("T")
InThread: TypeAlias = Callable[[Callable[[], T]], Awaitable[T]]


class SharedReading(ABC, Generic[T]):
    """Reads while a client listens. In the event loop's thread; `in_thread` reads in another. Errors are retried."""

    subject: ClassVar[str]  # of the log line for a failed reading

    def __init__(self, in_thread: InThread[T], tick_s: float) -> None:
        self._in_thread, self._tick_s = in_thread, tick_s
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.listeners = 0
        self.is_closed = False

    @abstractmethod
    def read(self) -> T:
        """Return a new reading. Runs in another thread."""

    @abstractmethod
    def take(self, reading: T) -> bool:
        """Take a reading; return whether the streams have something to send."""

    def fail(self) -> bool:
        """Note that a reading failed; return whether the streams have something to send."""
        return False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Count a listener in, and out again."""
        self.listeners += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._poll_shared())
        try:
            yield
        finally:
            self.listeners -= 1

    async def changes(self, latest_value: Callable[[], Any], sent_value: Any, beat_s: float) -> AsyncIterator[bool]:
        """Yield True when `latest_value()` differs from the last value (at first `sent_value`), and False as a beat.

        The beat comes `beat_s` after the last value or beat, whatever news the other listeners have meanwhile.
        """
        clock = asyncio.get_running_loop().time
        due = clock() + beat_s
        while not self.is_closed:
            news, value = self._news, latest_value()
            is_new = value != sent_value
            if is_new or clock() >= due:
                sent_value = value
                yield is_new
                due = clock() + beat_s
                continue
            with suppress(TimeoutError):
                async with asyncio.timeout_at(due):
                    await news.wait()

    def close(self) -> None:
        """Let every stream end."""
        self.is_closed = True
        self._wake()
        if self._task is not None:
            self._task.cancel()

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def _poll_shared(self) -> None:
        while self.listeners and not self.is_closed:
            try:
                has_news = self.take(await self._in_thread(self.read))
            except Exception:
                log.exception("%s could not be read", self.subject)
                has_news = self.fail()
            if has_news:
                self._wake()
            await asyncio.sleep(self._tick_s)
