"""The books as a process knows them, kept up with every fact of the store; and a decision at its own position."""

import threading
from collections.abc import Callable, Sequence

import msgspec

from events import catalogue
from events.accounting.cage_and_count_state_fold import VERSION, Books, evolve, types
from events.accounting.event_with_position import AccountingEvent
from events.envelope import Action, ActionData, EventData, Who, encode
from events.people.approval_request_lifecycle import Moment
from events.store import EventReader, EventStore, NewEvent, Snapshot, Stored
from events.store.state_follower_base_class import StoreFollower
from events.streams.stream_kind_declaration import ForeignEvent

SNAPSHOT_EVERY = 5_000  # positions
_EVOLVE = f"books-{VERSION}"


class DecidedEvents(msgspec.Struct, frozen=True):
    """The events of an action, and their stream."""

    stream: str
    events: Sequence[EventData | ForeignEvent]


Decider = Callable[[Books, Action, ActionData, Who, Moment], DecidedEvents]


class KeptBooks(StoreFollower):
    """The books of a property, up to `position` of the store."""

    def __init__(self, property_: str) -> None:
        super().__init__(f"{property_} books")
        self.property = property_
        self.event_types = tuple(sorted(types()))
        self.books = Books()
        self.saved = 0
        self.guard = threading.RLock()
        self._has_begun = False

    def reset(self) -> None:
        """Forget all events."""
        self.books = Books()

    def begin(self, store: EventStore) -> None:
        """At the latest snapshot, once; where the store does not answer, the next caller does."""
        if self._has_begun:
            return
        snapshot = store.snapshot(f"{self.property}#books", _EVOLVE)
        if snapshot is not None:
            self.books, self.position = msgspec.msgpack.decode(snapshot.state, type=Books), snapshot.version
            self.saved = self.position
        self._has_begun = True

    def apply_event(self, stored: Stored) -> None:
        """Fold the next event of the property into the books."""
        if stored.stream.startswith(f"{self.property}/"):
            read = catalogue.decode(stored.type, stored.raw)
            self.books = evolve(
                self.books, AccountingEvent(stored.position, stored.stream, read.actor, read.data, read.id)
            )

    def save(self, store: EventStore) -> None:
        """Save a snapshot from time to time."""
        if self.position - self.saved >= SNAPSHOT_EVERY:
            raw = msgspec.msgpack.encode(self.books)
            store.save_snapshot(Snapshot(f"{self.property}#books", self.position, _EVOLVE, raw))
            self.saved = self.position

    def as_if(self) -> "KeptBooks":
        """A copy to try things on."""
        copy = KeptBooks(self.property)
        copy.books, copy.position, copy._has_begun = self.books, self.position, True
        return copy


def cached_books(store: EventStore, property_: str) -> KeptBooks:
    """The books as this process keeps them, at their latest snapshot when first asked for."""
    books = store.process_cache.get((KeptBooks, property_), lambda: KeptBooks(property_))
    with books.guard:
        books.begin(store)
    return books


class BooksDecision:
    """A decision by the books, at its own position; the books choose its stream
    (`events/streams/stream_kind_declaration.py`)."""

    def __init__(self, books: KeptBooks, stream: str, decide: Decider) -> None:
        self.stream = stream
        self.guard = books.guard
        self._cached = books
        self._decide = decide

    @property
    def books(self) -> Books:
        """Return the books after the last event taken."""
        return self._cached.books

    def catch_up(self, history: EventReader) -> None:
        """Take everything that is stored by now."""
        self._cached.catch_up(history)

    def save(self, store: EventStore) -> None:
        """Keep a snapshot now and then."""
        self._cached.save(store)

    def decide(
        self, _history: EventReader, action: Action, data: ActionData, person: Who, moment: Moment
    ) -> Sequence[EventData | ForeignEvent]:
        """Return the events of the action, in the stream that the action goes to now."""
        return self._by(self._cached.books, action, data, person, moment)

    def _by(
        self, books: Books, action: Action, data: ActionData, person: Who, moment: Moment
    ) -> Sequence[EventData | ForeignEvent]:
        decided = self._decide(books, action, data, person, moment)
        self.stream = decided.stream
        return decided.events

    def as_if(self) -> "BooksDecision":
        """A copy to try things on."""
        return BooksDecision(self._cached.as_if(), self.stream, self._decide)

    def suppose(self, news: Sequence[NewEvent]) -> None:
        """Take events that were not appended yet."""
        for new in news:
            raw = encode(self.stream, 0, b"", new.data, new.meta, new.meta.time)
            if new.data.TYPE in types():
                self._cached.take(Stored(self._cached.position + 1, self.stream, 0, new.data.TYPE, raw))
