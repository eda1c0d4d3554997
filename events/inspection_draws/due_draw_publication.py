"""Publishes a draw when every drawn entry is inspected or over: the secret is an event then, and anybody can verify."""

from collections.abc import Iterator

import structlog

from events.desk.locked_decisions import OwnStream, append_due
from events.errors import Conflict
from events.inspection_draws.decider import Draw, Draws, stream_of
from events.inspection_draws.event_types import DrawOpened
from events.inspection_draws.stream_declaration import drawn, secret_of
from events.store import EventStore
from events.streams import stream_kind_declaration

log = structlog.get_logger(__name__)


def publish_due(store: EventStore, property_: str) -> int:
    """Publish the draws that are due by the house's clock, and return their number. Safe to repeat at any moment."""
    stream, now = stream_of(property_), store.clock()
    at = store.process_cache.get(
        (OwnStream, stream), lambda: OwnStream(stream_kind_declaration.kind_by_name("draws"), stream)
    )
    return len(append_due(store, at, lambda _history: [*_due_draws(store, at.state, now)]))


def _due_draws(store: EventStore, draws: Draws, now: str) -> Iterator[DrawOpened]:
    for draw in draws.draws.values():
        if draw.revealed is not None and draw.opened is None and (event := _open_draw(store, draw, now)) is not None:
            yield event


def _open_draw(store: EventStore, draw: Draw, now: str) -> DrawOpened | None:
    try:
        entries = drawn(store, draw)
        if all(draw.is_public(entry, now) for entry in entries):
            return DrawOpened(draw=draw.terms.draw, secret=secret_of(draw).hex(), drawn=entries)
    except Conflict as error:  # the others are published all the same
        log.error("a draw cannot be published", draw=draw.terms.draw, why=str(error))
    return None
