"""A house that draws tables to inspect: its clock is turned, its heads are signed, and a witness takes them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from events import catalogue
from events.inspection_draws import stream_declaration as kind
from events.inspection_draws.decider import Draws, evolve, stream_of
from events.integrity.head_signing import make_head
from events.integrity.signed_head_format import decode
from events.integrity.signed_head_stores import Heads, MemoryHeads
from events.signing import house_signing_key
from events.store import EventStore
from tests.support.houses.small_house import PROPERTY, House

NOW = "2026-11-20T20:00:00.000Z"
TERMS: dict[str, Any] = {
    "draw": "night",
    "since": "2026-11-20T21:00:00Z",
    "until": "2026-11-21T01:00:00Z",
    "tables": [{"table": "BJ1"}, {"table": "BJ2"}, {"table": "FR1", "weight": 2}],
    "number": 3,
    "draw_at": "2026-11-20T20:30:00Z",
    "inspectors": ["sven", "sid"],
}


class DrawingHouse(House):
    """A house whose heads lie in memory. `witness_last` is the last head of its witness, if it `has_witness`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path, store: EventStore | None = None) -> None:
        super().__init__(store)
        self.heads: Heads = MemoryHeads()
        self.has_witness, self.witness_last = True, 0
        self.signer = house_signing_key.signer(folder)
        self.store.process_cache.forget((Heads,))
        self.store.process_cache.get((Heads,), lambda: self.heads)
        monkeypatch.setattr(kind, "witnessed", lambda: self.witness_last if self.has_witness else None)
        self.turn_to(NOW)

    def turn_to(self, time: str) -> None:
        """Set the clock of the house."""
        self.store.clock = lambda: time

    def later(self, **by: int) -> None:
        """Let time pass."""
        now = datetime.fromisoformat(self.store.clock()) + timedelta(**by)
        self.turn_to(now.isoformat(timespec="milliseconds").replace("+00:00", "Z"))

    def sign(self, *, to_witness: bool = True) -> int:
        """Sign a head over all events, and hand it over; return the number of the last head."""
        make_head(self.store, self.heads, PROPERTY, self.signer)
        raw = self.heads.last()
        assert raw is not None
        if to_witness:
            self.witness_last = decode(raw).number
        return decode(raw).number

    def do(self, person: str, action: str, **data: Any) -> Any:
        """Send an action of draws; return its last event."""
        return self.ok("draws", "", person, self.action(action, **data))[-1].data

    def refused(self, person: str, action: str, **data: Any) -> Any:
        """Send an action of draws that is refused; return the problem."""
        return self.no("draws", "", person, self.action(action, **data))

    def commit(self, **terms: Any) -> Any:
        """Commit a draw, and sign the head that covers it."""
        event = self.do("sven", "draw.commit", **TERMS | terms)
        self.sign()
        return event

    def reveal(self, draw: str = "night") -> Any:
        """Turn the clock behind the time of the draw, sign the deciding head, and reveal."""
        self.turn_to("2026-11-20T20:31:00.000Z")
        self.something_happens()
        self.sign()
        return self.do("sven", "draw.reveal", draw=draw)

    def something_happens(self) -> None:
        """Append an event, so that there is a next head."""
        self.ok("devices", "", "paul", self._pairing())

    def _pairing(self) -> Any:
        number = next(self.numbers)
        about = {"device": f"d{number}", "table": "FR1", "use": "screen", "key": f"{number:064x}"}
        return self.action("device.pair", **about)

    def state(self) -> Draws:
        """Return the draws by the events of the store."""
        draws = Draws()
        for stored_event in self.store.stream(stream_of(PROPERTY)):
            draws = evolve(draws, catalogue.decode(stored_event.type, stored_event.raw).data)
        return draws

    def drawn(self, draw: str = "night") -> Sequence[int]:
        """Return the drawn entries."""
        return kind.drawn(self.store, self.state().draws[draw])
