"""Time limits of one length for many waits at once, with one timer for all of them.

A timer for each wait takes longer than most waits need of the processor. Limits of one length are reached in the order
in which the waits began, so one timer, for the first of them, is enough.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Wait = TypeVar("Wait", bound=Hashable)


class EqualTimeLimits(Generic[Wait]):
    """Ends waits that take longer than `within_s`. In the event loop's thread."""

    def __init__(self, within_s: float, end: Callable[[Wait], None]) -> None:
        self.within_s, self._end = within_s, end
        self._limits: OrderedDict[Wait, float] = OrderedDict()  # by the loop's clock, the first to be reached first
        self._has_timer = False

    def begin(self, wait: Wait) -> None:
        """Limit a wait that begins now."""
        loop = asyncio.get_running_loop()
        self._limits[wait] = limit = loop.time() + self.within_s
        if not self._has_timer:
            self._has_timer = True
            loop.call_at(limit, self._end_overdue)

    def forget(self, wait: Wait) -> None:
        """Remove the limit of a wait that has ended."""
        self._limits.pop(wait, None)

    def _end_overdue(self) -> None:
        loop, self._has_timer = asyncio.get_running_loop(), False
        while self._limits:
            wait, limit = next(iter(self._limits.items()))
            if limit > loop.time():
                self._has_timer = True
                loop.call_at(limit, self._end_overdue)
                return
            del self._limits[wait]
            self._end(wait)
