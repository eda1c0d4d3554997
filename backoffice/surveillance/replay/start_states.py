"""States of tables before a round: folded from the stream's beginning, or from a cached round.

A round's first event names the digest of the one before, and with it the whole earlier history. The state is cached
under that digest. A later round of the same stream continues from there if its first event has the same history.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

import msgspec

from events.envelope import AnyEnvelope
from events.tables.round_replay import session_after
from events.tables.table_session_state_structs import Session

REMEMBERED = 64  # rounds


class Beginning(msgspec.Struct, frozen=True):
    """State of a table before the round whose first event is at `position`."""

    stream: str
    position: int
    session: Session


class Beginnings:
    """Cache of the last states asked for, by the digest of the event before them."""

    def __init__(self, at_most: int = REMEMBERED) -> None:
        self._beginnings: OrderedDict[str, Beginning] = OrderedDict()
        self._at_most = at_most
        self._lock = Lock()

    def before(self, prev: str, stream: str, position: int, events: Callable[[int], Sequence[AnyEnvelope]]) -> Session:
        """Return the session before the event at this position, which names `prev` as its predecessor.

        `events` gives the stream's from a position on, up to there.
        """
        with self._lock:
            cached = self._beginnings.pop(prev, None)
            near = None if cached else self._near(stream, position)
        beginning = cached or Beginning(stream, position, _folded(near, events))
        with self._lock:
            self._beginnings[prev] = beginning
            while len(self._beginnings) > self._at_most:
                self._beginnings.popitem(last=False)
        return beginning.session

    def _near(self, stream: str, position: int) -> tuple[str, Beginning] | None:
        """Return the last cached round before it, with the digest its first event names."""
        earlier = [
            (prev, beginning)
            for prev, beginning in self._beginnings.items()
            if beginning.stream == stream and beginning.position < position
        ]
        return max(earlier, key=lambda pair: pair[1].position, default=None)


def _folded(near: tuple[str, Beginning] | None, events: Callable[[int], Sequence[AnyEnvelope]]) -> Session:
    if near is not None:
        prev, beginning = near
        since = events(beginning.position)
        if since and since[0].prev == prev:
            return session_after(since, beginning.session)
    return session_after(events(0))
