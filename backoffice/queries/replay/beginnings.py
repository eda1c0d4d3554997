"""How tables stood before a round: folded once from the stream's beginning, and remembered.

A round's first event names the digest of the one before, and with it all that was before: under that it is kept.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

from events.envelope import AnyEnvelope
from events.tables.replay import session_after
from events.tables.state import Session

REMEMBERED = 64  # rounds


class Beginnings:
    """Sessions by the digest of their last event; those that were asked for last."""

    def __init__(self, at_most: int = REMEMBERED) -> None:
        self._kept: OrderedDict[str, Session] = OrderedDict()
        self._at_most = at_most
        self._lock = Lock()

    def before(self, prev: str, events: Callable[[], Sequence[AnyEnvelope]]) -> Session:
        """The session behind the event with this digest; `events` gives the stream up to it, where it is not known."""
        with self._lock:
            known = self._kept.pop(prev, None)
        if known is None:
            known = session_after(events())
        with self._lock:
            self._kept[prev] = known
            while len(self._kept) > self._at_most:
                self._kept.popitem(last=False)
        return known
