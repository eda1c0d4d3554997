"""All event and action types, and the decoder of an event's bytes: `decode(type, raw)`.

The types are in the modules of their subjects, which the kinds of streams name
(`events/streams/stream_kind_declaration.py`).
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from inspect import isclass
from typing import Any, TypeVar

import msgspec

from events.envelope import Action, ActionData, Envelope, EventData
from events.error_codes import coded
from events.errors import Invalid, Poison
from events.fields import wrong_field
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.streams import stream_kind_declaration
from events.streams.upcast import UPCASTERS, Upcaster, upcast
from events.text.id_spelling_normalization import normalize_data

OF_OURS = "events."  # modules in which every event type is one of the catalogue
SHARED = ("events.people.approval_request_lifecycle",)  # types of every kind whose rules ask for a second person

T = TypeVar("T", EventData, ActionData)


@cached_until_forgotten
def modules() -> tuple[str, ...]:
    """Return the modules with types."""
    return (
        *SHARED,
        *dict.fromkeys(module for kind in stream_kind_declaration.declared().values() for module in kind.types),
    )


@cached_until_forgotten
def event_types() -> dict[str, type[EventData]]:
    """Return every event type by its name, "bet.placed.v1"."""
    return _collect(EventData)


@cached_until_forgotten
def action_types() -> dict[str, type[ActionData]]:
    """Return every action type by its name, "bet.place"."""
    return _collect(ActionData)


def decode(event_type: str, raw: bytes, upcasters: Mapping[str, Upcaster] = UPCASTERS) -> Envelope[Any]:
    """Return the event with its data as the Struct of its type; an old type is read as its successor, also in `type`.

    Raises `Poison` for an unknown type and for bytes that are not an event of this type.
    """
    try:
        if event_type in upcasters:
            envelope = _decode_old(event_type, raw, upcasters)
        else:
            envelope = _decoder(event_type).decode(raw)
            _same_type(event_type, envelope)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Poison(coded("event-unreadable", event_type=event_type, why=str(error))) from error
    return envelope


def decode_action(action: Action) -> ActionData:
    """Return the action's data as the Struct of its type, its ids in one spelling. Raises Invalid, with the field, for
    impossible data."""
    return normalize_data(decode_as_sent(action), bytes(action.data))


def decode_as_sent(action: Action) -> ActionData:
    """Return the action as sent, for the digest of its key."""
    shape = action_types().get(action.type)
    if shape is None:
        raise Invalid("type", coded("action-unknown", action=action.type))
    try:
        return _action_decoder(shape).decode(action.data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        field, why = wrong_field(str(error))
        raise Invalid(field, coded("field-wrong", why=why)) from error


@cache
def _action_decoder(shape: type[ActionData]) -> msgspec.json.Decoder[ActionData]:
    return msgspec.json.Decoder(shape)


@cache
def _decoder(event_type: str) -> msgspec.json.Decoder[Envelope[Any]]:
    return msgspec.json.Decoder(Envelope[_struct(event_type)])  # type: ignore[misc]  # a type known only at run time


_old = msgspec.json.Decoder(Envelope[dict[str, Any]])


def _decode_old(event_type: str, raw: bytes, upcasters: Mapping[str, Upcaster]) -> Envelope[Any]:
    envelope = _old.decode(raw)
    _same_type(event_type, envelope)
    try:
        current, data = upcast(event_type, envelope.data, upcasters)
    except (KeyError, TypeError, ValueError) as error:
        raise Poison(coded("event-without-successor", event_type=event_type, why=repr(error))) from error
    struct = _struct(current)
    return msgspec.structs.replace(envelope, type=current, data=msgspec.convert(data, struct, str_keys=True))


def _struct(event_type: str) -> type[EventData]:
    shape = _loaded_type(event_type)
    if shape is not None:
        return shape
    try:
        return event_types()[event_type]
    except KeyError:
        raise Poison(coded("event-type-unknown", event_type=event_type)) from None


def _loaded_type(event_type: str) -> type[EventData] | None:
    """Return the type if its module is loaded already, so that a command with few events need not load every game."""
    waiting = [EventData]
    while waiting:
        shape = waiting.pop()
        waiting += shape.__subclasses__()
        if vars(shape).get("TYPE") == event_type and shape.__module__.startswith(OF_OURS):
            return shape
    return None


def _same_type(event_type: str, envelope: Envelope[Any]) -> None:
    if envelope.type != event_type:
        raise Poison(coded("event-filed-wrong", event_type=event_type, named=envelope.type))


def _collect(base: type[T]) -> dict[str, type[T]]:
    """Return the subclasses of `base` with a TYPE of their own. Raises ValueError for a TYPE of two classes."""
    by_name: dict[str, type[T]] = {}
    for module in modules():
        for member in vars(import_module(module)).values():
            if isclass(member) and issubclass(member, base) and "TYPE" in vars(member):
                name = vars(member)["TYPE"]
                if by_name.setdefault(name, member) is not member:
                    raise ValueError(f"two classes are {name}: {by_name[name].__qualname__} and {member.__qualname__}")
    return by_name
