"""The last span of a trace: the first page that shows the events of an append."""

import time

from django.db import DatabaseError
from eventsourcing.persistence import PersistenceError

from backoffice.freshness.wait_for_read_model_position import read_up_to
from backoffice.installation.dependency_injection import installation
from events.errors import PitledgerError
from events.runtime import tracing

_NOT_SHOWING = ("/static/", "/healthz", "/readyz", "/metrics")
_shown_position = 0  # the position up to which pages of this process have shown events


def trace_page(method: str, path: str, began_ns: int) -> None:
    """Make the span of a page, where it is the first of this process to show the events up to here."""
    global _shown_position  # noqa: PLW0603 - what this process has shown
    if method != "GET" or path.startswith(_NOT_SHOWING):
        return
    try:
        if (position := read_up_to()) <= _shown_position:
            return
        _shown_position = position
        for stored in installation().store.after(position - 1, 1, until=position):
            parent = tracing.place("project", stored.raw)
            span = tracing.SpanPlace(parent.trace, tracing.place("page", stored.raw).span)
            tracing.emit("page", span, began_ns or time.time_ns(), parent.span, position=position)
    except (PitledgerError, PersistenceError, DatabaseError, OSError):
        return  # the page itself shows it
