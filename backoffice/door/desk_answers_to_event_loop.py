"""The desk's answers in the event loop: as many at once as one commit gave, for one waking."""

import asyncio
from collections import deque
from concurrent.futures import Future
from typing import TypeVar

from backoffice.door.equal_time_limits_with_one_timer import EqualTimeLimits

T = TypeVar("T")


class AnswerDelivery:
    """Hands the results of another thread's futures to the coroutines that await them, with a timeout."""

    def __init__(self, loop: asyncio.AbstractEventLoop, within_s: float) -> None:
        self._loop = loop
        self._limits: EqualTimeLimits[asyncio.Future[None]] = EqualTimeLimits(within_s, _give_up)
        self._come: deque[asyncio.Future[None]] = deque()
        self._is_woken = False

    async def result(self, future: "Future[T]") -> T:
        """Return the result of another thread's future. Raises its exception, or TimeoutError."""
        waiting: asyncio.Future[None] = self._loop.create_future()
        future.add_done_callback(lambda _: self._take(waiting))
        self._limits.begin(waiting)
        try:
            await waiting
        finally:
            self._limits.forget(waiting)
        return future.result(timeout=0)

    def _take(self, waiting: "asyncio.Future[None]") -> None:
        """Note that a future is done. Runs in the thread that answers."""
        self._come.append(waiting)
        if not self._is_woken:
            self._is_woken = True
            self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._is_woken = False  # first: later results wake the loop again
        while self._come:
            waiting = self._come.popleft()
            if not waiting.done():
                waiting.set_result(None)


def _give_up(waiting: "asyncio.Future[None]") -> None:
    if not waiting.done():
        waiting.set_exception(TimeoutError())
