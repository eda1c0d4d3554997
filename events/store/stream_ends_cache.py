"""Reads of a store that are remembered until an event changes them: for many questions about many streams.

Before each question the events since the last one are read, in one query. Reads of their streams are forgotten.
"""

from typing import Any

from events.store import EventStore, Snapshot, Stored, StreamEnd
from events.store.state_follower_base_class import StoreFollower

FAR = 5_000  # events since the last question, from which on everything is forgotten instead
REMEMBERED_MAX = 10_000


class _ReadResults(StoreFollower):
    """Ends of streams and last streams by prefix, as of the follower's position."""

    def __init__(self) -> None:
        super().__init__("remembered reads")
        self.heads: dict[str, StreamEnd] = {}
        self.last_streams: dict[tuple[str, str | None], str | None] = {}

    def reset(self) -> None:
        self.heads.clear()
        self.last_streams.clear()

    def restart(self, position: int) -> None:
        """Forget everything, and follow from this position on."""
        self.reset()
        self.position, self._last = position, None

    def apply_event(self, stored: Stored) -> None:
        self.heads.pop(stored.stream, None)
        if stored.version == 1:
            self.last_streams.clear()


class RememberedReads:
    """A store whose ends of streams are remembered. Not for two threads at once."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._read_results = _ReadResults()
        self.as_of = object()  # another one after each refresh: followers catch up once in between

    def refresh(self) -> None:
        """Forget values changed by the events since the last call."""
        cached, position = self._read_results, self._store.position()
        is_near = 0 <= position - cached.position <= FAR  # a restored store may be shorter
        if not is_near or len(cached.heads) > REMEMBERED_MAX:
            cached.restart(position)
        cached.catch_up(self._store)
        self.as_of = object()

    def position(self) -> int:
        """Return the last position as of the last refresh."""
        return self._read_results.position

    def head(self, name: str) -> StreamEnd:
        """Return the end of a stream as of the last refresh, or of its first read since."""
        heads = self._read_results.heads
        if (head := heads.get(name)) is None:
            head = heads[name] = self._store.head(name)
        return head

    def stream(self, name: str, after: int = 0, limit: int | None = None) -> list[Stored]:
        """Return events of a stream as the store does; none, without asking, after the end that is known."""
        return self._store.stream(name, after, limit) if self.head(name).version > after else []

    def last_stream(self, prefix: str, before: str | None = None) -> str | None:
        """Return the alphabetically last stream that begins so, as the store does."""
        key, cached = (prefix, before), self._read_results.last_streams
        if key not in cached:
            cached[key] = self._store.last_stream(prefix, before)
        return cached[key]

    def snapshot(self, stream: str, evolve: str) -> Snapshot | None:
        """Return the latest snapshot as the store does; for an empty stream it returns None."""
        return self._store.snapshot(stream, evolve) if self.head(stream).version else None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)
