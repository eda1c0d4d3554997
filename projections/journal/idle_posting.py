"""Posting of the journal in the projector's process: a batch at a time, while the projector is idle.

While events come without a pause it gets a twentieth of the time, and catches up later.
"""

import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import ClassVar, Protocol

import structlog
from django.db import InterfaceError, OperationalError

from events.errors import Conflict, Retry
from events.store import EventStore
from projections.engine.decoded_events import Event, JustRead
from projections.journal.journal_rows_from_events import BATCH, JournalPosting

FEW = 500  # events that are posted between two batches of the projector's
OTHERS = 19  # times as long as it took the projector has for itself then
EVERY_S = 1.0  # between two checks for new events
LATER_S = 60.0  # where another person posts, an event cannot be read, or the store does not answer
MOST = 5_000  # events that are kept for it: later postings are read from the store

log = structlog.get_logger(__name__)


class Recent:
    """Events recently read by the projector, without a gap, so that they are not read and decoded twice."""

    def __init__(self) -> None:
        self._after, self._events = 0, list[Event]()

    @property
    def end(self) -> int:
        """The position of the last one."""
        return self._events[-1].position if self._events else self._after

    def add(self, read: JustRead) -> None:
        """Add the next events. After a gap, forget those before."""
        if read.after != self.end or len(self._events) > MOST:
            self._after, self._events = read.after, []
        self._events += read.events

    def beyond(self, position: int, most: int) -> Sequence[Event]:
        """Return the next events after a position, empty where they are unknown. Forget the events before it."""
        if position < self._after:
            return []
        del self._events[: bisect_right(self._events, position, key=attrgetter("position"))]
        self._after = position
        return self._events[:most]


class StorePosting(Protocol):
    """Posting of rows from the store, a batch at a time (`journal_rows_from_events.py`)."""

    @property
    def position(self) -> int: ...
    @property
    def is_folded(self) -> bool: ...
    def take(self, events: Sequence[Event]) -> int: ...
    def step(self, until: int, most: int | None = None) -> int: ...
    def is_behind(self, until: int) -> bool: ...


class JournalPoster:
    """Poster of entries on request. Entries that cannot be posted yet wait, and delay no read model."""

    begin: ClassVar[Callable[[EventStore, str, str], StorePosting]] = JournalPosting
    failure: ClassVar[str] = "the journal is not posted for now"

    def __init__(
        self, store: EventStore, property_: str, using: str = "default", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._about = store, property_, using
        self._store, self._clock = store, clock
        self._posting: StorePosting | None = None
        self._recent = Recent()
        self._due = 0.0

    def __call__(self, *, is_idle: bool, read: JustRead | None = None) -> None:
        """Post one batch where one is due: a small one while events come, because pages wait for its end.

        Raises OperationalError, InterfaceError of the read models: begun again then.
        """
        if read is not None:
            self._recent.add(read)
        if (begun_at := self._clock()) < self._due:
            return
        try:
            is_all = self._step(None if is_idle else FEW)
        except (OperationalError, InterfaceError):
            self._posting = None
            raise
        except Exception as error:  # for any effect of an event on the accounts, the floor continues
            self._give_up(error)
        else:
            self._due = self._next(begun_at, is_all=is_all, is_idle=is_idle)

    def _step(self, most: int | None) -> bool:
        """Post one batch; return whether nothing is left to post."""
        posting = self._posting = self._posting or type(self).begin(*self._about)
        if posting.is_folded and (read := self._recent.beyond(posting.position, most or BATCH)):
            posting.take(read)
            return posting.position == self._recent.end
        until = self._store.position()
        if posting.is_behind(until):
            posting.step(until, most)
        return not posting.is_behind(until)

    def _next(self, begun: float, *, is_all: bool, is_idle: bool) -> float:
        """Return the time of the next step."""
        now = self._clock()
        if is_all:
            return now + EVERY_S
        return now if is_idle else now + OTHERS * (now - begun)

    def _give_up(self, error: Exception) -> None:
        at = self._posting.position if self._posting is not None else None
        level = 20 if isinstance(error, Conflict | Retry) else 40
        log.log(level, self.failure, position=at, why=str(error), in_s=LATER_S)
        self._posting, self._due = None, self._clock() + LATER_S
