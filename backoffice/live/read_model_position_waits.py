"""Waits for a position: one query of the read models for all waiting clients, and few clients of one person."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from events.error_codes import coded
from events.errors import Busy

LOOK_S = 0.02
AT_ONCE = 8  # of one person
IN_ALL = 256

Look = Callable[[], Awaitable[int]]


class PositionWaits:
    """The requests that wait for a position. In the event loop's thread; `look` returns the position of the read
    models."""

    def __init__(self, look: Look, *, at_once: int = AT_ONCE, in_all: int = IN_ALL, look_s: float = LOOK_S) -> None:
        self._look, self._at_once, self._in_all, self._look_s = look, at_once, in_all, look_s
        self._people: Counter[str] = Counter()
        self._position_by_future: dict[asyncio.Future[None], int] = {}
        self._task: asyncio.Task[None] | None = None

    async def wait_for_position(self, position: int, within_s: float, person: str) -> None:
        """Return when the read models reach the position, or the time is over. Raises Busy, and errors of the read."""
        with self._count_wait(person):
            position_reached: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._position_by_future[position_reached] = position
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._poll_positions())
            try:
                async with asyncio.timeout(within_s):
                    await position_reached
            except TimeoutError:
                pass
            finally:
                self._position_by_future.pop(position_reached, None)

    @contextmanager
    def _count_wait(self, person: str) -> Iterator[None]:
        if self._people[person] >= self._at_once or self._people.total() >= self._in_all:
            raise Busy(coded("waits-full", count=self._people.total()))
        self._people[person] += 1
        try:
            yield
        finally:
            self._people[person] -= 1
            if not self._people[person]:
                del self._people[person]

    async def _poll_positions(self) -> None:
        """Look as long as requests wait."""
        while self._position_by_future:
            try:
                self._reached(await self._look())
            except Exception as error:  # any error: it goes to the waiting requests
                self._failed(error)
            await asyncio.sleep(self._look_s)

    def _reached(self, position: int) -> None:
        for waiter in [waiter for waiter, aim in self._position_by_future.items() if aim <= position]:
            del self._position_by_future[waiter]
            if not waiter.done():
                waiter.set_result(None)

    def _failed(self, error: Exception) -> None:
        waiting, self._position_by_future = self._position_by_future, {}
        for waiter in waiting:
            if not waiter.done():
                waiter.set_exception(error)
