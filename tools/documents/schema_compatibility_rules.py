"""Rules for changes of a published schema: fields are only added, and optional; all else is a new type.

Both schemas are complete, as `backoffice/openapi/event_and_action_schemas.py` writes them. Stored events are read
permanently, and terminals are not all updated on one day. So valid data must stay valid, and a missing field must keep
its meaning.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

Json: TypeAlias = Mapping[str, Any]
Side: TypeAlias = Literal["event", "action"]

_AT_LEAST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_AT_MOST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_STRICTER = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}  # the same bound, itself not allowed
_SAME = ("pattern", "format")
_MISSING = object()


def breaks(old: Json, new: Json, side: Side) -> list[str]:
    """Return every change from `old` to `new` that needs another version, each with its field. Empty: compatible.

    Readers of an event rely on present fields, so a field may not become optional. They also rely on its type, which
    may not become wider, except for values added to an enumeration. Senders of an action rely on its accepted values.
    """
    return list(_Comparison(old, new, side).breaks(old, new, ""))


class _Comparison:
    def __init__(self, old: Json, new: Json, side: Side) -> None:
        self._old, self._new, self._side = old, new, side
        self._seen: set[tuple[str, str]] = set()

    def breaks(self, old: Json, new: Json, path: str) -> Iterator[str]:
        """Breaks at this place and below."""
        pair = (str(old.get("$ref", "")), str(new.get("$ref", "")))
        if all(pair):
            if pair in self._seen:
                return
            self._seen.add(pair)
        old, new = _resolved(self._old, old), _resolved(self._new, new)
        if "anyOf" in old or "anyOf" in new:
            yield from self._choices(old, new, path)
            return
        if _kind(old) != _kind(new):
            yield f"{path or 'it'}: was {_kind(old)}, is {_kind(new)}"
            return
        yield from self._values(old, new, path)
        yield from _bounds(old, new, path)
        yield from self._fields(old, new, path)
        yield from self._entries(old, new, path)

    def _choices(self, old: Json, new: Json, path: str) -> Iterator[str]:
        """Alternatives, matched by their kind: `null` and something, mostly."""
        before = {_kind(_resolved(self._old, choice)): choice for choice in old.get("anyOf", [old])}
        after = {_kind(_resolved(self._new, choice)): choice for choice in new.get("anyOf", [new])}
        for kind in before.keys() - after.keys():
            yield f"{path}: {kind} is no longer allowed"
        if self._side == "event":
            for kind in after.keys() - before.keys():
                yield f"{path}: {kind} is new, and readers do not expect it"
        for kind in sorted(before.keys() & after.keys()):
            yield from self.breaks(before[kind], after[kind], path)

    def _values(self, old: Json, new: Json, path: str) -> Iterator[str]:
        before = old.get("enum", [old["const"]] if "const" in old else None)
        after = new.get("enum", [new["const"]] if "const" in new else None)
        if after is not None and before is None:
            yield f"{path}: is limited to {_value_list(after)} now"
        elif (
            after is not None and before is not None and (removed := [value for value in before if value not in after])
        ):
            yield f"{path}: {_value_list(removed)} no longer allowed"
        elif before is not None and after is None and self._side == "event":
            yield f"{path}: was limited to {_value_list(before)}, and is not any more"

    def _fields(self, old: Json, new: Json, path: str) -> Iterator[str]:
        before, after = old.get("properties", {}), new.get("properties", {})
        required, needed = set(old.get("required", [])), set(new.get("required", []))
        for name in before:
            at = f"{path}.{name}".lstrip(".")
            if name not in after:
                yield f"{at}: the field is gone"
                continue
            if name in needed - required:
                yield f"{at}: is required now"
            if name in required - needed and self._side == "event":
                yield f"{at}: may be missing now, and readers rely on it"
            if before[name].get("default", _MISSING) != after[name].get("default", _MISSING):
                yield f"{at}: another default changes what is meant where it is left out"
            yield from self.breaks(before[name], after[name], at)
        for name in sorted(needed - before.keys()):
            yield f"{path}.{name}: a new field must be optional, with a default".lstrip(".")
        if new.get("additionalProperties") is False and old.get("additionalProperties", True) is not False:
            yield f"{path or 'it'}: other fields are refused now"

    def _entries(self, old: Json, new: Json, path: str) -> Iterator[str]:
        """Yield the problems of the entries of lists and maps."""
        for key in ("items", "additionalProperties"):
            before, after = old.get(key), new.get(key)
            if isinstance(before, dict) and isinstance(after, dict):
                yield from self.breaks(before, after, f"{path}[]")
            elif isinstance(after, dict) and key == "items":
                yield f"{path}[]: its entries are limited now"
        first, now = old.get("prefixItems", []), new.get("prefixItems", [])
        if len(first) != len(now):
            yield f"{path}: had {len(first)} entries, has {len(now)}"
        for number, (before, after) in enumerate(zip(first, now, strict=False)):
            yield from self.breaks(before, after, f"{path}[{number}]")


def _bounds(old: Json, new: Json, path: str) -> Iterator[str]:
    for word in _AT_LEAST:
        if word in new and ((before := _bound(old, word)) is None or new[word] > before):
            yield f"{path}: {word} was {old.get(word, 'not set')}, is {new[word]}"
    for word in _AT_MOST:
        if word in new and ((before := _bound(old, word)) is None or new[word] < before):
            yield f"{path}: {word} was {old.get(word, 'not set')}, is {new[word]}"
    for word in _SAME:
        if word in new and new[word] != old.get(word):
            yield f"{path}: {word} was {old.get(word, 'not set')}, is {new[word]}"


def _bound(schema: Json, word: str) -> int | None:
    """The bound that a schema sets, itself allowed or not: "above 0" became no narrower when it is "from 0"."""
    bound: int | None = schema.get(word, schema.get(_STRICTER.get(word, word)))
    return bound


def _resolved(whole: Json, part: Json) -> Json:
    while "$ref" in part:
        part = whole["$defs"][part["$ref"].rpartition("/")[2]]
    return part


def _kind(schema: Json) -> str:
    """Return a value's JSON type, to tell alternatives apart."""
    if "type" in schema:
        return str(schema["type"])
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    names = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
    kinds = {names.get(type(value), "object") for value in values}
    return " or ".join(sorted(kinds)) or "anything"


def _value_list(values: list[Any]) -> str:
    return ", ".join(map(str, values))
