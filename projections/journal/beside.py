"""The journal posts itself in the projector's process: a batch at a time, while the projector has nothing to do.

While events come without a pause it has a tenth of the time, whatever they are: it comes after when there are fewer.
"""

import time
from collections.abc import Callable

import structlog
from django.db import InterfaceError, OperationalError

from events.errors import Conflict, Retry
from events.store import EventStore
from projections.journal.posting import Posting

FEW = 500  # events that are posted between two batches of the projector's
OTHERS = 9  # times as long as it took the projector has for itself then
EVERY_S = 1.0  # between two looks for what is new
LATER_S = 60.0  # where somebody else posts, an event cannot be read, or the store does not answer

log = structlog.get_logger(__name__)


class Beside:
    """Posts when it is asked to, and leaves what it cannot for later: entries that wait keep no read model waiting."""

    def __init__(
        self, store: EventStore, property_: str, using: str = "default", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._about = store, property_, using
        self._store, self._clock = store, clock
        self._posting: Posting | None = None
        self._due = 0.0

    def __call__(self, *, is_idle: bool) -> None:
        """One batch, where one is due: a small one while events come, for whoever looks at the floor waits for its end.

        Raises OperationalError, InterfaceError of the read models: begun anew then.
        """
        if (begun := self._clock()) < self._due:
            return
        try:
            is_all = self._step(None if is_idle else FEW)
        except (OperationalError, InterfaceError):
            self._posting = None
            raise
        except Exception as error:  # whatever an event does to the accounts, the floor goes on
            self._give_up(error)
        else:
            self._due = self._next(begun, is_all=is_all, is_idle=is_idle)

    def _step(self, most: int | None) -> bool:
        """Whether that was all."""
        self._posting = self._posting or Posting(*self._about)
        until = self._store.position()
        if self._posting.is_behind(until):
            self._posting.step(until, most)
        return not self._posting.is_behind(until)

    def _next(self, begun: float, *, is_all: bool, is_idle: bool) -> float:
        """When to go on."""
        now = self._clock()
        if is_all:
            return now + EVERY_S
        return now if is_idle else now + OTHERS * (now - begun)

    def _give_up(self, error: Exception) -> None:
        at = self._posting.position if self._posting is not None else None
        level = 20 if isinstance(error, Conflict | Retry) else 40
        log.log(level, "the journal is not posted for now", position=at, why=str(error), in_s=LATER_S)
        self._posting, self._due = None, self._clock() + LATER_S
