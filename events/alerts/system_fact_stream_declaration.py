"""Facts that the system records for surveillance, declared: no action creates them."""

from collections.abc import Sequence
from typing import Any

from events.alerts import system_recorded_event_types
from events.envelope import EventData
from events.error_codes import coded
from events.errors import Refused
from events.streams.stream_kind_declaration import Decisions, Kind


def _decide_nothing(*_: Any) -> Sequence[EventData]:
    raise Refused("house surveillance", coded("stream-of-system"))


def kind() -> Kind:
    """The declaration."""
    return Kind(
        streams="PROPERTY/surveillance",
        title="Of the system, for surveillance",
        summary="Nothing is asked here",
        types=("events.alerts.system_recorded_event_types",),
        rules={},
        words=system_recorded_event_types.WORDS,
        decisions=Decisions(
            begin=lambda _look, _stream: (),
            decide=_decide_nothing,
        ),
    )
