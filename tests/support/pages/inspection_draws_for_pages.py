"""Draws of the evening, for pages: one is revealed and inspected in part, one waits for its time."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from unittest.mock import patch

from events import catalogue
from events.inspection_draws import stream_declaration as kind
from events.inspection_draws.decider import Draw, Draws, evolve, stream_of
from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import Heads, open_heads
from events.signing import house_signing_key
from events.store import EventStore
from tests.support.houses.small_house import PROPERTY, House

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def draw_tables(house: House, folder: Path) -> None:
    """Commit two draws, reveal the first, and record an inspection. The heads are in the folder of the events."""
    store, clock = house.store, house.store.clock
    now = datetime.fromisoformat(clock())
    heads = open_heads(f"sqlite:///{folder}/events.sqlite3")
    store.process_cache.forget((Heads,))
    store.process_cache.get((Heads,), lambda: heads)
    signer = house_signing_key.signer(folder)
    try:
        _commit(house, "night", now, now + 20 * MINUTE)
        _commit(house, "morning", now, now + 8 * HOUR)
        make_head(store, heads, PROPERTY, signer)
        _turn(store, now + 12 * MINUTE)
        house.ok("people", "", "adam", house.action("role.grant", person="nora", role="security"))
        make_head(store, heads, PROPERTY, signer)
        with patch.object(kind, "witnessed", lambda: 2):
            event = house.ok("draws", "", "sven", house.action("draw.reveal", draw="night"))[-1]
        assert event.data.head == 2
        _inspect(house)
    finally:
        store.clock = clock


def _commit(house: House, draw: str, now: datetime, since: datetime) -> None:
    since = since.replace(second=0, microsecond=0)
    terms = {
        "draw": draw,
        "since": _text(since),
        "until": _text(since + 4 * HOUR),
        "tables": [{"table": "BJ1"}, {"table": "BJ2"}, {"table": "FR1", "weight": 2}],
        "number": 3,
        "draw_at": _text(now + 11 * MINUTE),
    }
    house.ok("draws", "", "sven", house.action("draw.commit", **terms))


def _inspect(house: House) -> None:
    draw = draws_of(store := house.store)["night"]
    about = {"way": "live", "looked_at": "cards and payouts", "finding": "minor finding", "note": "one card late"}
    entry = kind.drawn(store, draw)[0]
    house.ok("draws", "", "sven", house.action("inspection.record", draw="night", entry=entry, **about))


def draws_of(store: EventStore) -> Mapping[str, Draw]:
    """Return the draws by the events of the store."""
    draws = Draws()
    for stored_event in store.stream(stream_of(PROPERTY)):
        draws = evolve(draws, catalogue.decode(stored_event.type, stored_event.raw).data)
    return draws.draws


def _turn(store: EventStore, moment: datetime) -> None:
    store.clock = lambda: _text(moment)


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
