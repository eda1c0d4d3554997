"""Freed memory that the C library keeps, returned to the system while the process is idle.

A part that catches up reads many events at once. Without this, it would keep the freed memory for days.
"""

import ctypes
import time
from collections.abc import Callable

IDLE_MAX = 0.1  # of a processor since the last look
USED_S = 0.2  # of processor time since memory was given back: less frees little
LOOKS = 2  # that give memory back: the last rows may be freed only after the first


class SpareMemory:
    """Gives memory back at looks that find the process idle after it worked."""

    def __init__(self, give_back: Callable[[], None] | None = None) -> None:
        self._give_back = give_back or _trim
        self._at, self._used_s, self._given_s, self._due = time.monotonic(), 0.0, 0.0, LOOKS

    def look(self) -> None:
        """Give memory back where that is due; cheap where it is not."""
        now, used_s = time.monotonic(), time.process_time()
        is_idle = used_s - self._used_s < IDLE_MAX * (now - self._at)
        self._at, self._used_s = now, used_s
        if used_s - self._given_s > USED_S:
            self._due = LOOKS
        if is_idle and self._due:
            self._give_back()
            self._due -= 1
            self._given_s = time.process_time()


def _trim() -> None:
    """Have glibc return the free pages of its heaps; other C libraries lack the call."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
