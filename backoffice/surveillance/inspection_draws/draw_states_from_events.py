"""The draws of the house by the event log, as the deciders know them, with the events behind each."""

import threading

import msgspec
from django.db import connection

from events import catalogue
from events.inspection_draws.decider import Draws, evolve, stream_of
from events.settings.settings_from_environment import settings
from projections.eventlog.models import EventLog


class DrawEvent(msgspec.Struct, frozen=True):
    """An event of a draw: its position, type, time and actor."""

    position: int
    type: str
    time: str
    actor: str
    entry: int = 0


class DrawHistory(msgspec.Struct):
    """All draws up to a version of their stream; `events` by draw, in order. `raw` is the last event."""

    draws: Draws = Draws()
    events: dict[str, list[DrawEvent]] = {}
    raw: bytes = b""


_histories: dict[tuple[str, str], DrawHistory] = {}
_guard = threading.Lock()


def history() -> DrawHistory:
    """Return the draws by all events of the log. Only new events are read; another history is read from its start."""
    place = (str(connection.settings_dict["NAME"]), settings().property_)
    with _guard:
        draw_history = _histories.setdefault(place, DrawHistory())
        rows = _rows(draw_history.draws.version)
        if draw_history.draws.version and (not rows or bytes(rows[0].raw) != draw_history.raw):
            draw_history = _histories[place] = DrawHistory(events={})
            rows = _rows(0)
        for row in rows:
            if row.version > draw_history.draws.version:
                _take(draw_history, row)
        return draw_history


def _rows(version: int) -> list[EventLog]:
    """Return the events from a version on: the last one that is known shows whether the history is the same."""
    return [*EventLog.objects.filter(stream=stream_of(settings().property_), version__gte=version).order_by("version")]


def _take(draw_history: DrawHistory, row: EventLog) -> None:
    envelope = catalogue.decode(row.type, bytes(row.raw))
    data = envelope.data
    draw_history.draws = evolve(draw_history.draws, data)
    event = DrawEvent(row.position, row.type, envelope.recordedat, envelope.actor, getattr(data, "entry", 0))
    draw_history.events.setdefault(data.draw, []).append(event)
    draw_history.raw = bytes(row.raw)
