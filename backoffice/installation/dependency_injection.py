"""The installation: the parts of a process of this house, each built once and passed down from here.

A part is named by its builder, a context manager that takes the installation. It is built at its first use (after any
fork) and closed, last built first, when the process ends. Caches of a store are with that store
(`events/store/cached_values_per_store.py`).
"""

import atexit
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from typing import Any, TypeVar, cast

from events.settings.setting_declarations import Settings
from events.settings.settings_from_environment import settings
from events.store import EventStore, open_store
from events.store.property_owner_check import must_be_of

T = TypeVar("T")


class Installation:
    """The parts of a house in this process. Tests put their own in the place of one by `replaced`."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._parts: dict[Callable[..., Any], object] = {}
        self._closing = ExitStack()
        self._lock = threading.RLock()  # a part may be built of others

    def part(self, build: Callable[["Installation"], AbstractContextManager[T]]) -> T:
        """Return the part that `build` makes: one for the whole process."""
        if build not in self._parts:
            with self._lock:
                if build not in self._parts:
                    self._parts[build] = self._closing.enter_context(build(self))
        return cast(T, self._parts[build])

    @contextmanager
    def replaced(self, build: Callable[["Installation"], AbstractContextManager[T]], part: T) -> Iterator[None]:
        """Another one in a part's place, for a while; a person who brings it closes it."""
        before = dict(self._parts)
        self._parts[build] = part
        try:
            yield
        finally:
            self._parts = before

    @property
    def store(self) -> EventStore:
        """The event store."""
        return self.part(opened_store)

    def close(self) -> None:
        """Close all parts. A later request for a part creates a new one."""
        with self._lock:
            self._parts.clear()
            self._closing.close()


@contextmanager
def opened_store(house: Installation) -> Iterator[EventStore]:
    """The store of the settings, closed in the end."""
    with closing(open_store(house.settings.store)) as store:
        must_be_of(store, house.settings.property_)
        yield store


_here: Installation | None = None  # the one of this process
_guard = threading.Lock()


def installation() -> Installation:
    """Return this process's installation: the way from views, which Django calls with a request alone, to the house."""
    return _here or _compose()


def close() -> None:
    """Close this process's parts, and read the settings again when a person asks again."""
    global _here  # noqa: PLW0603 - the other place that writes it
    with _guard:
        if _here is not None:
            _here.close()
            _here = None


def _compose() -> Installation:
    global _here  # noqa: PLW0603 - one installation a process is the point
    with _guard:
        if _here is None:
            _here = Installation(settings())
            atexit.register(close)
        return _here
