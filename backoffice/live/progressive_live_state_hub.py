"""The hub reads the read models a few times a second for all listeners, and wakes those that wait for news."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import msgspec
from django.db import Error, connection

from backoffice.databases.connections_to_replaced_files import close_replaced
from backoffice.freshness.freshness import Freshness, State, freshness
from backoffice.progressives import live_stream_message_content
from backoffice.progressives.live_stream_message_content import LiveContent, ProjectionMark
from events.errors import Retry

log = logging.getLogger(__name__)

TICK_S = 0.2  # a stream sends changes at most five times a second
BEAT_S = 2.0  # interval of its sign of life, with the age of the figures

ENDING = "the live process is ending: ask again in a moment"

Find = Callable[[Collection[str], ProjectionMark | None], tuple[ProjectionMark, dict[str, LiveContent] | None]]
Result = TypeVar("Result")


class HubClosed(Retry):
    """This process is stopping, and reads no longer: another one answers in a moment."""


class LiveStreamState(msgspec.Struct, frozen=True):
    """The state of a stream, and its id: the position and generation of the projection."""

    id: str
    live: LiveContent


class Beat(msgspec.Struct, frozen=True):
    """The age of the figures: everything up to `position` is in them."""

    position: int
    state: State


class Hub:
    """Looks while a person listens, in a thread of its own; `news` is set whenever something has changed.

    A listener takes the latest state when it comes round, so a slow one misses states and never queues them.
    """

    def __init__(
        self,
        find: Find = live_stream_message_content.read,
        age: Callable[[], Freshness] = freshness,
        *,
        tick_s: float = TICK_S,
    ) -> None:
        self.news = asyncio.Event()
        self.is_closed = False
        self._find, self._age, self._tick_s = find, age, tick_s
        self._names: Counter[str] = Counter()
        self._states: dict[str, LiveStreamState] = {}
        self._beat = Beat(0, "unknown")
        self._mark: ProjectionMark | None = None
        self._thread = ThreadPoolExecutor(1, "live")  # one thread: one connection
        self._turn = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    @property
    def listeners(self) -> int:
        """Return the number of listeners."""
        return self._names.total()

    @property
    def beat(self) -> Beat:
        """Return the age of the figures at the last look."""
        return self._beat

    def latest_state(self, name: str) -> LiveStreamState | None:
        """Return the latest state of a progressive; None for an unknown name."""
        return self._states.get(name)

    @contextmanager
    def listening(self, name: str) -> Iterator[None]:
        """Count a listener in, and out again."""
        self._names[name] += 1
        try:
            yield
        finally:
            self._names[name] -= 1
            if not self._names[name]:
                del self._names[name]
                self._states.pop(name, None)

    async def begin(self, name: str) -> LiveStreamState | None:
        """The state that a new listener begins with; from then the hub keeps it up to date."""
        if name not in self._states:
            self._mark = None  # this one is always read
            await self._look()
        if name in self._states and (self._task is None or self._task.done()):
            await self._look_at_age()
            self._task = asyncio.create_task(self._poll_states())
        return self._states.get(name)

    def close(self) -> None:
        """Let every stream end. In the event loop's thread."""
        self.is_closed = True
        self._wake()
        if self._task is not None:
            self._task.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _wake(self) -> None:
        news, self.news = self.news, asyncio.Event()
        news.set()

    async def _poll_states(self) -> None:
        """Read as long as there are listeners. Errors are retried; meanwhile the beat reports an unknown age."""
        aged = time.monotonic()
        while self._names and not self.is_closed:
            await asyncio.sleep(self._tick_s)
            try:
                await self._look()
                if time.monotonic() - aged >= BEAT_S / 2:
                    aged = time.monotonic()
                    await self._look_at_age()
            except HubClosed:
                return
            except Exception:
                log.exception("the read models could not be read")
                self._beat = msgspec.structs.replace(self._beat, state="unknown")

    async def _look(self) -> None:
        """Read once for all who listen, and wake them where something has changed."""
        async with self._turn:
            names, mark = tuple(self._names), self._mark
            now, states = await self.in_thread(lambda: self._find(names, mark))
            if states is None:
                return
            self._mark = now
            identity = f"{now.position}.{now.generation}"
            fresh = {
                name: LiveStreamState(identity, live)
                for name, live in states.items()
                if name in self._names and (name not in self._states or self._states[name].live != live)
            }
            self._states.update(fresh)
            if fresh:
                self._wake()

    async def _look_at_age(self) -> None:
        now = await self.in_thread(self._age)
        self._beat = Beat(now.position, "late" if now.is_stale and now.state == "current" else now.state)

    async def in_thread(self, work: Callable[[], Result]) -> Result:
        """Return the result of work in the one thread that reads the read models. Raises Ending after its end."""

        def guarded() -> Result:
            close_replaced()
            try:
                return work()
            except Error:
                connection.close()  # the next one opens another
                raise

        if self.is_closed:
            raise HubClosed(ENDING)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, guarded)
        except asyncio.CancelledError:
            if not self.is_closed:
                raise
            raise HubClosed(ENDING) from None
