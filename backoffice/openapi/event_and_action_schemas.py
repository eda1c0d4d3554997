"""JSON Schemas (2020-12) of every event and every action, from the msgspec Structs that are encoded and decoded."""

import inspect
from collections.abc import Iterable
from functools import cache, reduce
from operator import or_
from typing import Any

import msgspec

from events import catalogue
from events.envelope import Action, ActionData, Envelope
from events.rules.game_declaration_and_registry import at_tables
from events.tables.valid_wager_and_limit_names import names_in

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_DIGEST = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_MOMENT = {"type": "string", "format": "date-time", "pattern": "Z$"}


def event_schema(name: str) -> Schema:
    """The whole event of a type, standing alone: the CloudEvents envelope, with `data` under `$defs`."""
    shape = catalogue.event_types()[name]
    definitions = {"data": shape}
    return _alone("event", name, shape, envelope(name), definitions)


def action_schema(name: str) -> Schema:
    """The whole action of a type, standing alone, with `data` under `$defs`."""
    shape = catalogue.action_types()[name]
    return _alone("action", name, shape, action(name, shape), {"data": shape})


def envelope(name: str | None = None, data: Schema | None = None) -> Schema:
    """The envelope of an event type (None: of any), its `data` by reference."""
    (schema,) = components([Envelope[dict[str, Any]]], "#/$defs/{name}").values()
    properties = {
        **schema["properties"],
        "specversion": {"const": "1.0"},
        "type": {"const": name} if name else {"type": "string"},
        "time": _MOMENT,
        "recordedat": _MOMENT,
        "prev": _DIGEST,
        "data": data or {"$ref": "#/$defs/data"},
    }
    return {"type": "object", "properties": properties, "required": schema["required"]}


def action(name: str, shape: type[ActionData], data: Schema | None = None) -> Schema:
    """An action of a type, its `data` by reference. `data` may be left out where nothing in it is required."""
    schema = components([_around_data()], "#/$defs/{name}")["Action"]
    needs_data = any(field.required for field in msgspec.structs.fields(shape))
    properties = {
        **schema["properties"],
        "type": {"const": name},
        "data": data or {"$ref": "#/$defs/data"},
    }
    return {
        "type": "object",
        "properties": properties,
        "required": [*schema["required"], *(["data"] if needs_data else [])],
        "additionalProperties": False,
    }


def components(shapes: Iterable[Any], ref_template: str) -> dict[str, Schema]:
    """The schemas of these types and of all that they refer to, by name."""
    _, raw_schemas = msgspec.json.schema_components(list(shapes), ref_template=ref_template)
    plain: dict[str, Schema] = msgspec.json.decode(msgspec.json.encode(raw_schemas))  # defaults: tuples as lists
    for shape, field, names in _NAMED:
        if shape in plain:
            properties = plain[shape]["properties"]
            properties[field] = _with_names(properties[field], names)
    return plain


def any_of(shapes: Iterable[Any], ref_template: str) -> Schema:
    """The schema of one or another of tagged Structs."""
    (schema,), _ = msgspec.json.schema_components([reduce(or_, shapes)], ref_template=ref_template)
    return schema


# Fields of actions whose names come from the rulesets: the Struct, its field, and which of a game's names they are.
_NAMED = (
    ("PlaceBet", "wager", "wagers"),
    ("CorrectBet", "wager", "wagers"),
    ("PlaceCombination", "name", "combinations"),
    ("PostLimits", "maxima_minor", "maxima"),
    ("PostLimits", "minima_minor", "minima"),
)


def names_by_game(kind_of_name: str) -> dict[str, tuple[str, ...]]:
    """Names of one kind (a field of `Names`) by game, where a game has any."""
    by_game = {game: getattr(names_in(game), kind_of_name) for game in at_tables()}
    return {game: names for game, names in by_game.items() if names}


def _with_names(schema: Schema, kind_of_name: str) -> Schema:
    """The names of each game as an enumeration; another ruleset of the casino's own may bring others."""
    enums = [{"title": game, "enum": list(names)} for game, names in names_by_game(kind_of_name).items()]
    if schema.get("type") == "object":
        return schema | {"propertyNames": {"anyOf": [*enums, {**_OWN, **schema.get("propertyNames", {})}]}}
    own = schema["anyOf"] if "anyOf" in schema else [{key: schema[key] for key in schema if key != "default"}]
    rest = {key: value for key, value in schema.items() if key == "default"}
    return {
        "anyOf": [*enums, *({**_OWN, **choice} if choice.get("type") == "string" else choice for choice in own)],
        **rest,
    }


def is_by_game(schema: Schema) -> bool:
    """Return whether these are names that the rulesets bring."""
    return any(choice.get("title") == _OWN["title"] for choice in schema.get("anyOf", ()))


_OWN = {"title": "of a ruleset of the casino's own"}


def meaning(shape: type[msgspec.Struct]) -> str:
    """Return the meaning of a type: its docstring on one line."""
    return " ".join((inspect.getdoc(shape) or "").split())


@cache
def _around_data() -> type[msgspec.Struct]:
    """An action without its `data`, which is decoded by type."""
    fields = [field for field in msgspec.structs.fields(Action) if field.name != "data"]
    return msgspec.defstruct(
        "Action", [(f.name, f.type) if f.required else (f.name, f.type, f.default) for f in fields], kw_only=True
    )


def _alone(family: str, name: str, shape: type[Any], schema: Schema, definitions: dict[str, type[Any]]) -> Schema:
    schemas = components(definitions.values(), "#/$defs/{name}")
    named = {key: schemas.pop(struct.__name__) for key, struct in definitions.items()}
    return {
        "$schema": DIALECT,
        "$id": f"urn:pitledger:{family}:{name}",
        "title": name,
        "description": meaning(shape),
        **schema,
        "$defs": {**named, **dict(sorted(schemas.items()))},
    }
