"""State that follows a store: folded from its events in order, and again where the store holds another history."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from events.envelope import digest
from events.store import MAX_BATCH, EventReader, Stored
from events.store.replaced_history_check import is_as_read


class StoreFollower(ABC):
    """A state made of all events up to `position` of a store.

    The last event read is compared with the store's before more is read. A store that was restored from a backup holds
    another one there, or none: the state is then folded again from the first event.
    """

    event_types: Sequence[str] = ()  # of the events that it reads; without any, all

    def __init__(self, name: str) -> None:
        """`name` is that of the state in the log of the program."""
        self.position = 0
        self._name = name
        self._last: Stored | None = None  # the event at `position`; None after a snapshot
        self._as_of: object = None  # of remembered reads, up to which it has caught up

    @abstractmethod
    def reset(self) -> None:
        """Forget all events."""

    @abstractmethod
    def apply_event(self, stored: Stored) -> None:
        """Fold the next event into the state. Raises `Poison` for an unreadable event, and is then unchanged."""

    def catch_up(self, history: EventReader) -> None:
        """Take all stored events of these types, from the first one where the store holds another history.

        Remembered reads (`events/store/stream_ends_cache.py`) have nothing new between two refreshes.
        """
        as_of = getattr(history, "as_of", None)
        if as_of is not None and as_of is self._as_of:
            return
        self._must_match(history)
        while self._read(history, MAX_BATCH) == MAX_BATCH:
            pass
        self._as_of = as_of

    def step(self, history: EventReader, at_most: int) -> int:
        """Take some of them; return how many."""
        self._must_match(history)
        return self._read(history, at_most)

    def take(self, stored: Stored) -> None:
        """Take the next event of the store. The caller brings events in order."""
        self.apply_event(stored)
        self.position, self._last = stored.position, stored

    def _read(self, history: EventReader, at_most: int) -> int:
        batch = history.after(self.position, at_most, self.event_types)
        for stored in batch:
            self.take(stored)
        return len(batch)

    def _must_match(self, history: EventReader) -> None:
        if self._last is None:
            return
        events = history.after(self.position - 1, 1, until=self.position)
        if not is_as_read(events, digest(self._last.raw), self._name, position=self.position):
            self.position, self._last = 0, None
            self.reset()
