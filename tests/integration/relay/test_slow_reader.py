"""A reader after a long pause (a slow batch, a sleeping machine) continues and loses no event."""

import time
from collections.abc import Callable

import pytest

from events.relay.gapless_event_topic_reader import TopicTail
from events.relay.topic_records import TopicRecord
from events.store import EventStore
from tests.support.processes.relays_and_topic_readers import PROPERTY, as_stored, in_store, relayed, relaying, spin


class OffsetClock:
    """The machine's, from which the reader may have been away."""

    def __init__(self, real: Callable[[], float]) -> None:
        self._real, self.away_s = real, 0.0

    def __call__(self) -> float:
        return self._real() + self.away_s


@pytest.mark.parametrize("away_s", [15.0, 3_600.0])
def test_a_reader_that_was_away_goes_on_where_it_was(
    store: EventStore, bootstrap: str, monkeypatch: pytest.MonkeyPatch, away_s: float
) -> None:
    """Its client has no thread. It sends nothing during the pause, and no timeout ends before its return."""
    seen: list[TopicRecord] = []
    with TopicTail(bootstrap, PROPERTY, store) as tail:
        batches = tail.read(0)
        with relaying(store, bootstrap) as relay:
            for _ in range(2):
                spin(store, 30)
                relayed(relay, store)
                while len(seen) < 30:
                    seen += next(batches)
        clock = OffsetClock(time.monotonic)
        monkeypatch.setattr(time, "monotonic", clock)
        clock.away_s = away_s
        while len(seen) < 60:
            seen += next(batches)
    assert as_stored(seen) == in_store(store)
