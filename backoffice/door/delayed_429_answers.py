"""Clients over their rate limit wait half a second before they get the 429.

A 429 costs the house as much as any small answer, and a flooding client sends its next request after the last answer. A
delayed answer costs one object and one timer, and limits a connection to two requests a second. Few are delayed at
once, so that many connections cannot fill the memory.
"""

import asyncio

from backoffice.api.actions import TOO_OFTEN

HELD_S = 0.5  # shorter than the second after which the answer asks for a retry
AT_ONCE = 1_024


class RateLimitDelay:
    """Delays answers, in the event loop's thread."""

    def __init__(self, for_s: float = HELD_S, at_once: int = AT_ONCE) -> None:
        self._for_s, self._at_once = for_s, at_once
        self._held_count = 0

    async def back(self, status: int) -> None:
        """Wait before a 429 answer; return at once for any other status."""
        if status != TOO_OFTEN or self._held_count >= self._at_once:
            return
        self._held_count += 1
        try:
            await asyncio.sleep(self._for_s)
        finally:
            self._held_count -= 1
