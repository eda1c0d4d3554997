"""Irregularities whose alerts surveillance has cleared."""

from collections.abc import Collection

import msgspec

from projections.alerts.models import Alert
from projections.eventlog.models import EventLog
from projections.floor.models import Irregularity

_ids = msgspec.json.Decoder(list[str])


def cleared(rows: Collection[Irregularity]) -> set[int]:
    """Return the positions of irregularities whose action proves alerts, all of them cleared."""
    alerts = Alert.objects.filter(gaming_day__in={row.gaming_day for row in rows}).values_list("status", "events")
    alert_events = [(status == "cleared", _ids.decode(events)) for status, events in alerts]
    proofs = {
        event_id: is_cleared
        for is_cleared in (True, False)
        for was, ids in alert_events
        if was == is_cleared
        for event_id in ids
    }
    if True not in proofs.values():
        return set()
    log = EventLog.objects.filter(position__in=[row.position for row in rows]).exclude(causation=None)
    actions = dict(log.values_list("position", "causation"))
    same_actions = EventLog.objects.filter(causation__in=actions.values()).values_list("stream", "version", "causation")
    states = [(action, proofs.get(f"{stream}@{version}")) for stream, version, action in same_actions]
    over = {action for action, state in states if state} - {action for action, state in states if state is False}
    return {position for position, action in actions.items() if action in over}
