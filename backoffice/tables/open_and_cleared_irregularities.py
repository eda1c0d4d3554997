"""Irregularities of a table's gaming day: those whose alerts surveillance has cleared, and those that are open."""

from collections.abc import Collection

import msgspec
from django.utils.text import capfirst

from backoffice.wording.code_to_word_translation import word
from backoffice.wording.error_code_sentences import irregularity_sentence
from projections.alerts.models import Alert
from projections.eventlog.models import EventLog
from projections.floor.models import Irregularity

SHOWN = 20  # the latest ones
_ids = msgspec.json.Decoder(list[str])


class IrregularityShown(msgspec.Struct, frozen=True):
    """An irregularity in words. `clears`: the role that clears it, and the action for that where one exists."""

    position: int
    at: str
    label: str
    message: str
    clears: str


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


def open_irregularities(stream: str, currency: str) -> list[IrregularityShown]:
    """Return the latest open irregularities of a stream, the newest first."""
    rows = list(Irregularity.objects.filter(stream=stream).order_by("-position")[:SHOWN])
    over = cleared(rows) if rows else set()
    return [
        IrregularityShown(
            position=row.position,
            at=row.time,
            label=capfirst(word(row.kind)),
            message=irregularity_sentence(row, currency),
            clears=", ".join(capfirst(word(code)) for code in (row.clearer, row.action) if code),
        )
        for row in rows
        if row.position not in over
    ]
