"""Values that no column holds, in events that were accepted before every field had its bounds.

The event stays unchanged: its bytes are stored and shown as recorded. A projection that cannot store a value takes the
nearest one that it can, and the log names the event. The event is not quarantined, and its stream continues.
"""

from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from projections.engine.decoded_events import Event

NUMBER_MAX = 10**15  # a thousand of them in one sum still fit into 64 bits
NUL, INSTEAD = "\x00", "\ufffd"  # PostgreSQL's text has no NUL


def fit_to_columns(event: Event) -> Event | None:
    """The event as the nearest that columns hold; None where nothing in it is out of bounds."""
    envelope = _cut_value(event.envelope)
    if not _is_moment(envelope.time):
        envelope = replace(envelope, time=envelope.recordedat)
    if envelope == event.envelope:
        return None
    return replace(event, stream=_cut_value(event.stream), envelope=envelope, data=envelope.data)


def _is_moment(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _cut_value(value: Any) -> Any:
    match value:
        case str():
            return value.replace(NUL, INSTEAD)
        case int() if not isinstance(value, bool):
            return max(-NUMBER_MAX, min(NUMBER_MAX, value)) if abs(value) >= 2**63 else value
        case dict():
            return {_cut_value(key): _cut_value(member) for key, member in value.items()}
        case list() | tuple():
            return type(value)(_cut_value(member) for member in value)
        case msgspec.Struct():
            return replace(value, **{name: _cut_value(getattr(value, name)) for name in value.__struct_fields__})
        case _:
            return value
