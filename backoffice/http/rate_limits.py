"""Rate limits: a number of requests a second, with a burst of a few seconds' worth.

A burst may make the balance negative, and the client then has to wait: a request of thirty actions is accepted whole
and costs thirty. Nothing here waits.
"""

import threading
import time
from collections.abc import Callable

import msgspec

from events.error_codes import coded
from events.errors import Busy

AT_ONCE_S = 5.0  # a client that was quiet may use the limit of these seconds
MAX_KEYS = 10_000  # kept at a time; further ones share one


class _Balance(msgspec.Struct):
    """The balance of a client, as of `at`."""

    amount: float
    at: float


class Rate:
    """A rate limit for many clients, each by its key: a badge, a device, an address. Any thread may ask."""

    def __init__(self, whose: str, a_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._whose, self._a_second, self._clock = whose, a_second, clock
        self._request_max = a_second * AT_ONCE_S
        self._balances: dict[str, _Balance] = {}
        self._lock = threading.Lock()

    def take(self, key: str, cost: float = 1.0) -> None:
        """Count it. Raises Busy where nothing is left: then it costs nothing."""
        with self._lock:
            now = self._clock()
            left = self._balances.get(key) or self._first_balance(key, now)
            left.amount = min(self._request_max, left.amount + (now - left.at) * self._a_second)
            left.at = now
            if left.amount >= 1.0:
                left.amount -= cost
                return
        raise Busy(coded("rate-limit", rate=f"{self._a_second:g}", whose=self._whose))

    def require_balance(self, key: str) -> None:
        """Raise Busy where nothing is left. It costs nothing, and a client with a balance needs no lock and no
        clock."""
        left = self._balances.get(key)
        if left is None or left.amount < 1.0:  # as of the last request: time may have refilled it
            self.take(key, 0)

    def __len__(self) -> int:
        return len(self._balances)

    def _first_balance(self, key: str, now: float) -> _Balance:
        if len(self._balances) >= MAX_KEYS:
            self._forget_the_quiet(now)
        if len(self._balances) >= MAX_KEYS:
            key = ""  # busy clients at once: further ones share one limit
        return self._balances.setdefault(key, _Balance(self._request_max, now))

    def _forget_the_quiet(self, now: float) -> None:
        """Forget clients that have their full balance again."""
        full = self._request_max - 1e-9
        self._balances = {
            key: left for key, left in self._balances.items() if left.amount + (now - left.at) * self._a_second < full
        }
