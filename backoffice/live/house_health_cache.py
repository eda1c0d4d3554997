"""`/healthz` of the live process: the state of the house, read by this process itself."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from backoffice.house.healthz_answer import health

OLD_S = 1.0
State: TypeAlias = tuple[dict[str, object], int]
Ask: TypeAlias = Callable[[Callable[[], State]], Awaitable[State]]


class HouseHealth:
    """The state of the house as of a second ago at most, however many clients ask. In the event loop's thread."""

    def __init__(self, in_thread: Ask, look: Callable[[], State] = health, clock: Callable[[], float] = time.monotonic):
        self._in_thread, self._look, self._clock = in_thread, look, clock
        self._health_task: asyncio.Task[State] | None = None
        self._as_of = float("-inf")

    async def now(self, *, is_detailed: bool) -> State:
        """Return the answer and its status; its details only for those who may read them. Raises Error, Retry."""
        if self._health_task is None or (self._health_task.done() and self._clock() - self._as_of > OLD_S):
            self._health_task, self._as_of = asyncio.ensure_future(self._ask()), self._clock()
        answer, status = await asyncio.shield(self._health_task)
        return (answer if is_detailed else {"status": answer["status"]}), status

    async def _ask(self) -> State:
        return await self._in_thread(self._look)
