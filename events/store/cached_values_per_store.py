"""Values that a process caches for its store: folds and states, built once and dropped with the store."""

import threading
from collections.abc import Callable, Hashable
from typing import TypeVar, cast

T = TypeVar("T")


class StoreMemory:
    """Built objects by their subject. A store has one; two stores of a process know nothing of each other."""

    def __init__(self) -> None:
        self._values: dict[Hashable, object] = {}
        self._guard = threading.Lock()

    def get(self, of: Hashable, build: Callable[[], T]) -> T:
        """Return the kept value; `build` makes it at the first call, and has to be quick: others wait."""
        try:
            return cast(T, self._values[of])
        except KeyError:
            with self._guard:
                if of not in self._values:
                    self._values[of] = build()
                return cast(T, self._values[of])

    def __contains__(self, of: Hashable) -> bool:
        """Return whether it was requested before."""
        return of in self._values

    def forget(self, of: Hashable) -> None:
        """Build it again at the next request."""
        with self._guard:
            self._values.pop(of, None)

    def clear(self) -> None:
        """Forget all, as a new process has forgotten it."""
        with self._guard:
            self._values.clear()
