"""Pads for the fields of an action, derived from its type; a game's declaration may replace them."""

from collections.abc import Mapping
from typing import Any

from msgspec import inspect

from events.envelope import ActionData
from events.house.code_to_words_lookup import word
from events.rules.screen_declarations import Option, Pad, PadKind
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.text.translation_marker import translatable as _

NUMBER_PAD_MAX = 100  # larger numbers are entered on a keypad without options

_BY_NAME: Mapping[str, PadKind] = {
    "seat": "seat",
    "box": "seat",
    "player": "player",
    "wanted_by": "player",
    "person": "person",
    "witness": "person",
    "bet": "bet",
    "gaming_day": "day",
    "card": "card",
    "chips": "tray",
    "opener": "tray",
    "closer": "tray",
    "chips_in": "tray",
    "chips_out": "tray",
    "maxima_minor": "limits",
    "minima_minor": "limits",
    "dice": "dice",
    "missing": "cards",
    "surplus": "cards",
}


@cached_until_forgotten
def fields_of(data: type[ActionData]) -> tuple[tuple[inspect.Field, inspect.Type], ...]:
    """Return the fields of an action's data with their types, without bounds, None and absence."""
    info = inspect.type_info(data)
    assert isinstance(info, inspect.StructType)
    return tuple((field, _bare(field.type)) for field in info.fields)


def required(data: type[ActionData]) -> tuple[str, ...]:
    """Return the names of the fields that an action cannot do without."""
    return tuple(field.encode_name for field, _ in fields_of(data) if field.required)


def pad_of(data: type[ActionData], field: str, ruleset: str, declared_pads: Mapping[str, Pad]) -> Pad:
    """Return the pad for a field of an action at a table of this ruleset; "place" asks for a place of the table."""
    if field == "place":
        return Pad(name="place", kind="place", field="", label=PLACE)
    pad = declared_pads.get(f"{data.TYPE} {field}") or declared_pads.get(field)
    if pad is not None:
        return pad
    info, bare = next((info, bare) for info, bare in fields_of(data) if info.encode_name == field)
    kind, options = _kind(field, bare, ruleset)
    least, most = _bounds(bare)
    return Pad(
        name=field,
        kind=kind,
        field=field,
        label=capital(word(field, "field", ruleset)),
        options=options,
        optional=not info.required,
        least=least,
        most=most,
    )


def capital(text: str) -> str:
    """The text with a capital letter first."""
    return text[:1].upper() + text[1:]


def _bare(type_: inspect.Type) -> inspect.Type:
    if isinstance(type_, inspect.Metadata):
        return _bare(type_.type)
    if isinstance(type_, inspect.UnionType):
        parts = [part for part in type_.types if not isinstance(part, inspect.NoneType)]
        return _bare(parts[0])
    return type_


def _kind(field: str, field_type: inspect.Type, ruleset: str) -> tuple[PadKind, tuple[Option, ...]]:
    if isinstance(field_type, inspect.LiteralType):
        return "choice", tuple(Option(value, capital(word(str(value), field, ruleset))) for value in field_type.values)
    if isinstance(field_type, inspect.BoolType):
        return "choice", (Option(True, "Yes"), Option(False, "No"))
    if field == "dice" and not isinstance(field_type, inspect.TupleType):
        return "dice set", ()
    if field in _BY_NAME:
        return _BY_NAME[field], ()
    if field.endswith("_minor"):
        return "amount", ()
    if isinstance(field_type, inspect.IntType):
        return "number", _numbers(field_type)
    return "text", ()


def _numbers(bare: inspect.IntType) -> tuple[Option, ...]:
    least, most = _bounds(bare)
    if least is None or most is None or most - least > NUMBER_PAD_MAX:
        return ()
    return tuple(Option(number, str(number)) for number in range(least, most + 1))


def _bounds(bare: inspect.Type) -> tuple[int | None, int | None]:
    return (bare.ge, bare.le) if isinstance(bare, inspect.IntType) else (None, None)


PLACE = _("Place")


def sample(pad: Pad, known_values: Mapping[str, Any]) -> Any:
    """Return a value of the pad's kind, for a judgement before the real value is known."""
    if pad.kind in known_values:
        return known_values[pad.kind]
    if pad.options and pad.kind != "limits":
        return pad.options[0].value
    if pad.kind == "texts":
        return ["-"] * (pad.most or 1)
    by_kind: Mapping[str, Any] = {
        "card": "7D",
        "dice": (3, 5),
        "amount": 1,
        "tray": {},
        "text": "-",
        "limits": {},
        "cards": {},
        "dice set": [{"serial": "-", "colour": "-"}],
    }
    return by_kind.get(pad.kind, pad.least if pad.least is not None else 1)
