"""Acknowledgements of alerts: the events of people who have seen them, the last of each since it was opened again."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from events.alerts.alert_action_structs_and_decider import AlertAcknowledged, AlertReopened
from events.settings.settings_from_environment import settings
from projections.eventlog.models import EventLog

_TYPES = (AlertAcknowledged.TYPE, AlertReopened.TYPE)


class Acknowledgement(msgspec.Struct, frozen=True):
    """The person who has seen an alert, and when."""

    person: str
    at: datetime


def of_alerts(alerts: Sequence[str]) -> dict[str, Acknowledgement]:
    """Return the acknowledgements of these alerts by id. One query."""
    streams = [f"{settings().property_}/alerts/{alert}" for alert in alerts]
    rows = EventLog.objects.filter(stream__in=streams, type__in=_TYPES).order_by("position")
    acknowledged: dict[str, Acknowledgement] = {}
    for stream, type_, time, raw in rows.values_list("stream", "type", "time", "raw"):
        alert = stream.rpartition("/")[2]
        if type_ == AlertReopened.TYPE:
            acknowledged.pop(alert, None)
        else:
            acknowledged[alert] = Acknowledgement(msgspec.json.decode(bytes(raw))["actor"], time)
    return acknowledged


def is_acknowledged(alert: str) -> bool:
    """Return whether a person has seen the alert."""
    return alert in of_alerts([alert])
