"""Who comes too often waits for the answer that says so.

A 429 costs the house as much as any small answer, and whoever floods it sends the next request when the last one is
answered. Held for half a second it is an object and a timer, and a connection makes two requests a second instead of
hundreds. Few are held at once, so that whoever has many connections gains no memory of ours.
"""

import asyncio

from backoffice.api.actions import TOO_OFTEN

HELD_S = 0.5  # within the second after which the answer says to come again
AT_ONCE = 1_024


class Holding:
    """Holds answers back. In the event loop's thread."""

    def __init__(self, for_s: float = HELD_S, at_once: int = AT_ONCE) -> None:
        self._for_s, self._at_once = for_s, at_once
        self._held = 0

    async def back(self, status: int) -> None:
        """Return when an answer of this status is to be sent: at once, but for who comes too often."""
        if status != TOO_OFTEN or self._held >= self._at_once:
            return
        self._held += 1
        try:
            await asyncio.sleep(self._for_s)
        finally:
            self._held -= 1
