"""A progressive as a process knows it: its fold, kept up with every fact of the store, and the requests that wait."""

import threading
from collections.abc import Sequence

import msgspec
import structlog

from events import catalogue
from events.envelope import Action, ActionData, EventData, Who, encode
from events.errors import Refused
from events.floor import table_installation_decider
from events.people import approval_request_lifecycle
from events.people.approval_request_lifecycle import Moment
from events.progressives import event_types
from events.progressives.event_to_fact_mapping import FACT_TYPES, fact_of, opening_of
from events.progressives.fact_structs import MisfitFact
from events.progressives.fold import VERSION, Fold
from events.progressives.history_reader import stream_of
from events.progressives.request_authority_checks import RequestPlace, events_of
from events.rules.ruleset_adoption_and_recording import RulesetRecorded
from events.store import EventReader, EventStore, NewEvent, Snapshot, Stored
from events.store.state_follower_base_class import StoreFollower
from events.streams.stream_kind_declaration import ForeignEvent

SNAPSHOT_EVERY = 5_000  # positions
MISFITS_MAX = 1_000  # facts that did not fit, the newest

log = structlog.get_logger(__name__)
EVOLVE = f"progressive-{VERSION}"
_REQUEST_TYPES = frozenset(kind.TYPE for kind in approval_request_lifecycle.EVENTS)
_TYPES = (*sorted(FACT_TYPES), event_types.ProgressiveOpened.TYPE, *sorted(_REQUEST_TYPES))
FOLDED = frozenset(_TYPES)  # types that a progressive applies; of other events only their position


class _SavedProgressive(msgspec.Struct, frozen=True):
    """A snapshot's content: the fold, the requests that wait, and the facts that did not fit."""

    fold: bytes
    requests: approval_request_lifecycle.Requests
    misfits: list[MisfitFact] = msgspec.field(default_factory=list, name="exceptions")


def _in_its_stream(property_: str, event: EventData) -> EventData | ForeignEvent:
    """The data of the ruleset that a progressive takes is recorded on the floor."""
    return (
        ForeignEvent(table_installation_decider.stream_of(property_), event)
        if isinstance(event, RulesetRecorded)
        else event
    )


class ProgressiveFollower(StoreFollower):
    """One progressive in this process, up to `position` of the store.

    `misfits` are the facts that the fold refused. They were recorded at a table or by another version of the rules,
    moved no amount, and need a person's attention.
    """

    event_types: Sequence[str] = _TYPES

    def __init__(self, property_: str, name: str, *, tells: bool = True) -> None:
        """`tells`: whether facts that do not fit are logged."""
        super().__init__(f"{property_} progressive {name}")
        self.name = name
        self._tells = tells
        self.stream = stream_of(property_, name)
        self.saved = 0
        self.guard = threading.Lock()
        self._has_begun = False
        self.reset()

    def reset(self) -> None:
        """Forget all events."""
        self.fold: Fold | None = None
        self.requests: approval_request_lifecycle.Requests = {}
        self.misfits: list[MisfitFact] = []

    def begin(self, store: EventStore) -> None:
        """Restore once; where the store does not answer, the next caller does."""
        if not self._has_begun:
            self.restore(store)
            self._has_begun = True

    def apply_event(self, stored_event: Stored) -> None:
        """Fold the next event of any type."""
        is_own = stored_event.stream == self.stream
        if stored_event.type not in FOLDED:
            return
        if stored_event.type == event_types.ProgressiveOpened.TYPE:
            if is_own:
                opened = catalogue.decode(stored_event.type, stored_event.raw).data
                self.fold = Fold.opened(stored_event.position, opening_of(opened))
        elif stored_event.type in _REQUEST_TYPES:
            if is_own:
                self.requests = approval_request_lifecycle.evolve(
                    self.requests, catalogue.decode(stored_event.type, stored_event.raw).data
                )
        elif self.fold is not None and (is_own or "/tables/" in stored_event.stream):
            data = catalogue.decode(stored_event.type, stored_event.raw).data
            fact = fact_of(stored_event.position, stored_event.stream, stored_event.type, data, self.name)
            if fact is not None:
                self._note(stored_event, self.fold.take([fact]))

    def _note(self, stored: Stored, refused: Sequence[tuple[int, Refused]]) -> None:
        for at, error in refused:
            misfit_ = MisfitFact(at, stored.stream, stored.type, error.clause, error.message)
            if self._tells:
                log.warning(
                    "a fact does not fit the progressive", progressive=self.name, **msgspec.to_builtins(misfit_)
                )
            self.misfits = [*self.misfits, misfit_][-MISFITS_MAX:]

    def restore(self, store: EventStore) -> None:
        """Begin at the latest snapshot that this version of the fold made, or else at the stream's first event."""
        snapshot = store.snapshot(f"{self.stream}#fold", EVOLVE)
        if snapshot is not None and self.load(snapshot.state, snapshot.version):
            self.saved = snapshot.version
        else:
            self.position = _before_the_first(store, self.stream)

    def decide(
        self, history: EventReader, action: Action, data: ActionData, actor: Who, moment: Moment
    ) -> Sequence[EventData | ForeignEvent]:
        """Return the events that an action makes; `history` has all that is taken here."""
        property_ = self.stream.partition("/")[0]
        events = events_of(RequestPlace(history, property_, self.fold), self.requests, action, data, actor, moment)
        return [_in_its_stream(property_, event) for event in events]

    def as_if(self) -> "ProgressiveFollower":
        """Return a copy for trials: it shares no later facts."""
        copy = ProgressiveFollower("", self.name, tells=False)
        copy.stream, copy.position = self.stream, self.position
        copy.fold = self.fold.copy() if self.fold is not None else None
        copy.requests, copy.misfits = self.requests, self.misfits
        return copy

    def suppose(self, news: Sequence[NewEvent]) -> None:
        """Take events that were not appended yet."""
        for new in news:
            raw = encode(self.stream, 0, b"", new.data, new.meta, new.meta.time)
            self.take(Stored(self.position + 1, self.stream, 0, new.data.TYPE, raw))

    def save(self, store: EventStore) -> None:
        """Save a snapshot from time to time."""
        if self.fold is not None and self.position - self.saved >= SNAPSHOT_EVERY:
            store.save_snapshot(Snapshot(f"{self.stream}#fold", self.position, EVOLVE, self.dump(self.fold)))
            self.saved = self.position

    def dump(self, fold: Fold) -> bytes:
        """A snapshot's content."""
        return msgspec.msgpack.encode(_SavedProgressive(fold.dump(), self.requests, self.misfits))

    def load(self, raw: bytes, position: int) -> bool:
        """Be as `dump` was at this position; False where that was another version of the fold."""
        saved = msgspec.msgpack.decode(raw, type=_SavedProgressive)
        if (fold := Fold.load(saved.fold)) is None:
            return False
        self.fold, self.requests, self.misfits = fold, saved.requests, saved.misfits
        self.position = position
        return True


def _before_the_first(history: EventReader, stream: str) -> int:
    """Return the position before a stream's first event, or the store's last one for an empty stream."""
    last = history.position()  # before the read: later openings are after this position
    first = history.stream(stream, limit=1)
    return first[0].position - 1 if first else last


def live(store: EventStore, property_: str, name: str) -> ProgressiveFollower:
    """Return the progressive as this process keeps it, at its latest snapshot at the first request.

    Only callers for this one wait for the snapshot: each has a guard of its own.
    """
    at = store.process_cache.get((ProgressiveFollower, property_, name), lambda: ProgressiveFollower(property_, name))
    with at.guard:
        at.begin(store)
    return at


def is_at_hand(store: EventStore, property_: str, name: str) -> bool:
    """Return whether it was requested before."""
    return (ProgressiveFollower, property_, name) in store.process_cache
