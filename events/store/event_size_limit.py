"""Bound on the size of an event: a broker's default for one record, 1 MiB, with room for its headers.

An event that no broker takes would hold all that come after it, for they go out in one order. So it is refused where
it is decided, and the store takes none either.
"""

from functools import cache

import msgspec
from msgspec import inspect

from events.envelope import EventData
from events.error_codes import coded
from events.errors import Refused

EVENT_BYTES_MAX = 900_000
ENVELOPE_BYTES = 8_000  # around the data, generously: stream, people, keys
FEW = 64  # of an event's list of any kind: this number of the longest ones is small

_encode = msgspec.json.Encoder().encode
_LISTS = (inspect.ListType, inspect.VarTupleType, inspect.DictType, inspect.SetType, inspect.FrozenSetType)


def must_fit(event: EventData) -> None:
    """Raises Refused where the event would be too large. Only long lists are measured: text is bounded."""
    for name, is_measured in _unbounded(type(event)):
        listed = getattr(event, name)
        if is_measured or (listed is not None and len(listed) > FEW):
            return check(len(_encode(event)) + ENVELOPE_BYTES, event.TYPE)
    return None


def check(size: int, type_: str) -> None:
    """Raise Refused for an event of so many bytes, its envelope included."""
    if size > EVENT_BYTES_MAX:
        message = coded("event-too-large", event_type=type_, size=size, most=EVENT_BYTES_MAX)
        raise Refused("house event size", message)


@cache
def _unbounded(kind: type[EventData]) -> tuple[tuple[str, bool], ...]:
    """Return the fields of unbounded length: lists, and (True) fields of any content."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    fields = [(field.name, _shapes(field.type)) for field in info.fields]
    return tuple(
        (name, _holds_anything(shapes)) for name, shapes in fields if any(isinstance(s, _LISTS) for s in shapes)
    )


def _shapes(shape: inspect.Type) -> tuple[inspect.Type, ...]:
    return shape.types if isinstance(shape, inspect.UnionType) else (shape,)


def _holds_anything(shapes: tuple[inspect.Type, ...]) -> bool:
    return any(
        isinstance(shape, inspect.DictType) and isinstance(shape.value_type, inspect.AnyType) for shape in shapes
    )
