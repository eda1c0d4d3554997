"""Streams as they are stored, as far as this process has read them, and with the work that waits to be appended.

Not for two threads at once.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, TypeVar, cast

import msgspec

from events import catalogue
from events.envelope import digest
from events.store import EventStore, Snapshot, StreamEnd
from events.store.replaced_history_check import is_as_read
from events.streams import stream_kind_declaration
from events.streams.stream_kind_declaration import Kind, StreamState

MAX_KNOWN = 500  # streams kept in memory: every open table's, and the closed days that were asked for last
ONCE_MAX = 1_000  # constants, cached

T = TypeVar("T")


class StoredState(msgspec.Struct, frozen=True, gc=False):
    """A stored stream: its end, and its state there."""

    head: StreamEnd
    state: Any


class Cache:
    """State by stream. A stream is read at its first use, and again after `forget`."""

    def __init__(self, store: EventStore, property_: str) -> None:
        self.store = store
        self.property = property_
        self._stored_states: OrderedDict[str, StoredState] = OrderedDict()  # the last used comes last
        self._current_states: dict[str, StreamState] = {}  # with the work that waits to be appended
        self._streams_by_place: dict[str, dict[str, None]] = {}  # by place: the cached streams in it
        self._once: dict[str, object] = {}
        self._unsaved: dict[str, Snapshot] = {}

    # --- states -----------------------------------------------------------------------------------------------

    def read_stream(self, stream: str) -> StreamState:
        """Return the state after all stored events and all waiting work; of an empty stream the state that it would
        begin with now."""
        current = self._current_states.get(stream)
        if current is None or current.version == 0:
            cached = self._stored_states[stream] = self._catch_up(stream)
            current = StreamState(cached.head.version, cached.state)
            self.replace_state(stream, current)
        self._stored_states.move_to_end(stream)
        return current

    def property_state(self, kind: str) -> Any:
        """Return the state of a kind of which the property has one stream."""
        return self.read_stream(f"{self.property}/{kind}").state

    def cached_streams_below(self, place: str) -> Iterator[tuple[str, StreamState]]:
        """Yield the cached, non-empty streams directly below a place."""
        for stream in self._streams_by_place.get(place, ()):
            if (current := self._current_states[stream]).version:
                yield stream, current

    def has_events(self, stream: str) -> bool:
        """Return whether anything has happened in a stream."""
        current = self._current_states.get(stream)
        return bool((current is not None and current.version) or self.store.head(stream).version)

    def expect_unchanged(self, streams: Iterable[str]) -> None:
        """Read these streams; a decision's view makes its append depend on them."""
        for stream in streams:
            self.read_stream(stream)

    def cached_head(self, stream: str) -> StreamEnd:
        """Return the cached end of a stream in the store."""
        return self._stored_states[stream].head

    def last_versions(self, streams: Collection[str]) -> dict[str, int]:
        """Return the last cached version of each in the store: another process may have written since."""
        return {
            stream: self._stored_states[stream].head.version for stream in streams if stream in self._current_states
        }

    def first_event_time(self, stream: str) -> str | None:
        """Return the time of the stream's first event; None for an empty stream."""
        if (time := self._once.get(name := f"{stream}@1")) is not None:
            return cast("str", time)
        return self.read_once(name, lambda: self._first_time(stream))

    def _first_time(self, stream: str) -> str | None:
        first = self.store.stream(stream, limit=1)
        return catalogue.decode(first[0].type, first[0].raw).time if first else None

    def read_once(self, name: str, read: Callable[[], T | None]) -> T | None:
        """Return a value that never changes once it exists: read until it is found, then remembered under this name."""
        remembered_value = self._once.get(name)
        if remembered_value is None and (remembered_value := read()) is not None:
            if len(self._once) >= ONCE_MAX:
                self._once.clear()
            self._once[name] = remembered_value
        return cast("T | None", remembered_value)

    @property
    def size(self) -> int:
        """Return the number of cached streams."""
        return len(self._stored_states)

    # --- moving on --------------------------------------------------------------------------------------------

    def replace_state(self, stream: str, current: StreamState) -> None:
        """Replace the state of a stream: with waiting work, or again without it."""
        if stream not in self._current_states:
            self._streams_by_place.setdefault(stream.rpartition("/")[0], {})[stream] = None
        self._current_states[stream] = current

    def note_append(self, kind: Kind, stream: str, head: StreamEnd, added: int) -> None:
        """Note that the waiting events of a stream of this kind are stored now, up to this head; their number."""
        current = self._current_states[stream]
        assert current.version == head.version, (
            f"{stream} is stored up to {head.version}, decided was {current.version}"
        )
        self._stored_states[stream] = StoredState(head, current.state)
        self._note_snapshot(kind, stream, current, added)

    def forget(self, *streams: str) -> None:
        """Catch up with the store at the next use of these streams, or of all: the known state may be behind."""
        for stream in streams or [*self._current_states]:
            self._drop_state(stream)

    def drop_unused(self) -> None:
        """Keep MAX_KNOWN streams in memory, those used last; a closed day is read again on demand.

        Not while work waits to be appended: it rests on the known states.
        """
        while len(self._stored_states) > MAX_KNOWN:
            self._drop_state(self._stored_states.popitem(last=False)[0])

    def _drop_state(self, stream: str) -> None:
        if self._current_states.pop(stream, None) is not None:
            place = stream.rpartition("/")[0]
            del self._streams_by_place[place][stream]
            if not self._streams_by_place[place]:
                del self._streams_by_place[place]

    # --- reading ----------------------------------------------------------------------------------------------

    def _catch_up(self, stream: str) -> StoredState:
        """Return the known state of the stream, brought up to all that is stored."""
        kind, cached_state = stream_kind_declaration.of_stream(stream), self._stored_states.get(stream)
        if cached_state is not None and cached_state.head.version and self.store.head(stream) == cached_state.head:
            return cached_state
        cached_state = cached_state if cached_state is not None and self._is_stored(stream, cached_state.head) else None
        state, version = (
            self._first_state(kind, stream) if cached_state is None else (cached_state.state, cached_state.head.version)
        )
        while True:
            stored_events = self.store.stream(stream, after=version)
            for event in stored_events:
                read = catalogue.decode(event.type, event.raw)
                state = kind.decisions.evolve(state, read.data, read.actor)
            if stored_events:
                return StoredState(StreamEnd(stored_events[-1].version, digest(stored_events[-1].raw)), state)
            head = cached_state.head if cached_state is not None else self.store.head(stream)
            if head.version == version:  # if not, another process wrote between the two readings
                return StoredState(head, state)

    def _is_stored(self, stream: str, head: StreamEnd) -> bool:
        """Return whether the stream had its end there once; if not, the store holds another history now (a backup)."""
        if not head.version:
            return False
        events = self.store.stream(stream, after=head.version - 1, limit=1)
        if is_as_read(events, head.digest, stream, version=head.version):
            return True
        self._once.clear()
        return False

    def _first_state(self, kind: Kind, stream: str) -> tuple[Any, int]:
        """Return the state of the latest snapshot, or the state before the first event, and its version."""
        snapshots = kind.decisions.snapshots
        if snapshots is not None and (snapshot := self.store.snapshot(stream, snapshots.evolve)) is not None:
            return snapshots.load(snapshot.state), snapshot.version
        return kind.decisions.begin(self, stream), 0

    # --- snapshots --------------------------------------------------------------------------------------------

    def _note_snapshot(self, kind: Kind, stream: str, current: StreamState, added: int) -> None:
        snapshots = kind.decisions.snapshots
        if snapshots is not None and current.version // snapshots.every != (current.version - added) // snapshots.every:
            self._unsaved[stream] = Snapshot(stream, current.version, snapshots.evolve, snapshots.dump(current.state))

    def save_snapshots(self) -> None:
        """Save a snapshot from time to time, so that a new process need not read a whole day. Losing one costs nothing
        but time, so no person waits for them: the answers go out before."""
        while self._unsaved:
            self.store.save_snapshot(self._unsaved.popitem()[1])
