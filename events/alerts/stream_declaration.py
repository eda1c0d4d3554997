"""Declaration of alerts: surveillance's work on them, each alert in a stream of its own.

The log does not list the alerts: the read models do, by the rules in force. They give the people of the alert before
the action is decided (`events/alerts/alert_people_cache.py`); an alert that is not raised takes no action.
"""

import re
from collections.abc import Sequence
from typing import Any

from events.alerts import alert_action_structs_and_decider, alert_people_cache
from events.envelope import ActionData, Who
from events.error_codes import coded
from events.errors import Unknown
from events.store import EventStore
from events.streams.stream_kind_declaration import Decisions, Kind, Routing, StreamView, Target

_ID = re.compile(r"[0-9a-f]{64}")


def _look_up(store: EventStore, target: Target) -> None:
    alert_people_cache.of_store(store).look_up(target.name)


def _context(
    view: StreamView, _stream: str, case: alert_action_structs_and_decider.AlertCase, _data: ActionData, _who: Who
) -> frozenset[str] | None:
    """Return the people whom the alert concerns; None: it is not raised."""
    return alert_people_cache.of_store(view.store).people_of(case.alert)


def _confirm(
    _look: StreamView, stream: str, _case: alert_action_structs_and_decider.AlertCase, _events: Sequence[Any]
) -> None:
    """Raise Unknown for an id that no alert can have."""
    if _ID.fullmatch(key := stream.rpartition("/")[2]) is None:
        raise Unknown(coded("alert-unknown", alert=key))


def kind() -> Kind:
    """The declaration."""
    return Kind(
        streams="PROPERTY/alerts/NAME",
        title="Of alerts",
        summary="Investigate an alert: assign it, add a note, clear it",
        types=("events.alerts.alert_action_structs_and_decider",),
        rules=alert_action_structs_and_decider.RULES,
        words=alert_action_structs_and_decider.WORDS,
        decisions=Decisions(
            begin=lambda _look, stream: alert_action_structs_and_decider.AlertCase(stream.rpartition("/")[2]),
            context=_context,
            decide=alert_action_structs_and_decider.decide,
            evolve=alert_action_structs_and_decider.evolve,
            confirm=_confirm,
        ),
        routing=Routing(
            look_up=_look_up,
            belongs_to=lambda event, _stream: getattr(event, "alert", None),
        ),
    )
