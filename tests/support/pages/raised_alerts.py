"""Given events of a history, what the watches raise: the projector's own fold, without a database."""

from collections.abc import Sequence
from typing import Any

from projections.alerts.models import Alert
from projections.alerts.projector import AlertsProjector
from projections.engine.decoded_events import Event, decode
from tests.support.houses.sample_event_streams import History


class Nowhere:
    """A target without rows that collects the written rows."""

    using, suffix, is_postgres = "nowhere", "", False

    def load(self, _model: type[Any], _keys: Sequence[str]) -> list[Any]:
        return []


def raised(history: History, *names: str, step: int = 1_000) -> list[Alert]:
    """The alerts of these events, oldest first: those of these rules, or of all but staff, which needs posts."""
    projector = AlertsProjector(Nowhere())  # type: ignore[arg-type]  # it loads no rows, and writes none
    alerts: dict[str, Alert] = {}
    events = decode(history.events)
    for first in range(0, len(events), step):
        some = [event for event in events[first : first + step] if isinstance(event, Event)]
        projector.load(some)
        projector.fold(some)
        for model, rows in projector.changes():
            if model is Alert:
                columns = [field.attname for field in Alert._meta.concrete_fields]
                alerts.update({row[0]: Alert(**dict(zip(columns, row, strict=True))) for row in rows})
    in_order = sorted(alerts.values(), key=lambda alert: alert.raised_at_position)
    return [alert for alert in in_order if (alert.name in names if names else alert.name != "staff")]


def names(history: History) -> list[str]:
    """The names of the alerts, oldest first."""
    return [alert.name for alert in raised(history)]
