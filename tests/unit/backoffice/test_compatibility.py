"""Allowed changes of a published schema: each forbidden change is found, each allowed one passes."""

import copy
import json
from typing import Any

import pytest

from tools.documents import all_generated_documents
from tools.documents.schema_compatibility_rules import Side, breaks

OLD: dict[str, Any] = {
    "type": "object",
    "properties": {
        "type": {"const": "bet.placed.v1"},
        "bet": {"type": "string", "minLength": 1, "maxLength": 64},
        "amount_minor": {"type": "integer", "exclusiveMinimum": 0},
        "outcome": {"enum": ["win", "lose"]},
        "seat": {"anyOf": [{"type": "integer", "maximum": 20}, {"type": "null"}], "default": None},
        "card": {"type": "string", "pattern": "^[A-K]$"},
        "numbers": {"type": "array", "items": {"type": "integer"}, "default": []},
        "stakes": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}]},
        "chips": {"type": "object", "additionalProperties": {"type": "integer"}},
        "share": {"$ref": "#/$defs/Share"},
        "shares": {"type": "array", "items": {"$ref": "#/$defs/Share"}},
    },
    "required": ["type", "bet", "amount_minor", "outcome", "share"],
    "$defs": {
        "Share": {
            "type": "object",
            "properties": {"hit": {"type": "string"}, "next": {"$ref": "#/$defs/Share"}},
            "required": ["hit"],
        }
    },
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """OLD with one thing set ("properties.bet.maxLength"); None takes it away."""
    new = copy.deepcopy(OLD)
    *way, last = path.split(".")
    place = new
    for step in way:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return new


P = "properties"
BOTH = [
    ("field removed", f"{P}.seat", None, "seat: the field is gone"),
    ("field required", "required", [*OLD["required"], "card"], "card: is required now"),
    ("type changed", f"{P}.amount_minor", {"type": "string"}, "amount_minor: was integer, is string"),
    ("integer to number", f"{P}.amount_minor.type", "number", "amount_minor: was integer, is number"),
    ("null no longer allowed", f"{P}.seat", {"type": "integer", "default": None}, "seat: null is no longer allowed"),
    ("enum narrowed", f"{P}.outcome.enum", ["win"], "outcome: lose no longer allowed"),
    ("enum begun", f"{P}.bet.enum", ["a"], "bet: is limited to a now"),
    ("longest shortened", f"{P}.bet.maxLength", 32, "bet: maxLength was 64, is 32"),
    ("shortest lengthened", f"{P}.bet.minLength", 2, "bet: minLength was 1, is 2"),
    ("least raised", f"{P}.amount_minor", {"type": "integer", "minimum": 1}, "amount_minor: minimum was not set, is 1"),
    ("greatest set", f"{P}.amount_minor.maximum", 9, "amount_minor: maximum was not set, is 9"),
    (
        "greatest lowered behind null",
        f"{P}.seat.anyOf",
        [{"type": "integer", "maximum": 9}, {"type": "null"}],
        "seat: m",
    ),
    ("pattern changed", f"{P}.card.pattern", "^[A-Q]$", "card: pattern was"),
    ("default changed", f"{P}.seat.default", 1, "seat: another default"),
    ("default removed", f"{P}.numbers.default", None, "numbers: another default"),
    ("entries changed", f"{P}.numbers.items", {"type": "string"}, "numbers[]: was integer, is string"),
    ("pair to triple", f"{P}.stakes.prefixItems", [{"type": "integer"}] * 3, "stakes: had 2 entries, has 3"),
    ("pair's entry", f"{P}.stakes.prefixItems", [{"type": "integer"}, {"type": "null"}], "stakes[1]: was integer"),
    ("map's entries", f"{P}.chips.additionalProperties", {"type": "string"}, "chips[]: was integer, is string"),
    ("field of a part removed", "$defs.Share.properties.hit", None, "share.hit: the field is gone"),
    ("new field of a part required", "$defs.Share.required", ["hit", "level"], "share.level: a new field must be"),
    ("closed to other fields", "additionalProperties", False, "it: other fields are refused now"),
    ("constant changed", f"{P}.type.const", "bet.placed.v2", "type: bet.placed.v1 no longer allowed"),
]
EVENTS_ONLY = [
    ("field optional", "required", ["type", "bet", "outcome", "share"], "amount_minor: may be missing now"),
    ("null allowed", f"{P}.bet", {"anyOf": [OLD[P]["bet"], {"type": "null"}]}, "bet: null is new"),
    ("enum ended", f"{P}.outcome", {"type": "string"}, "outcome: was limited to win, lose"),
]
ALLOWED = [
    ("nothing", "title", "another title"),
    ("words", f"{P}.bet.description", "other words"),
    ("optional field", f"{P}.tender", {"type": "string", "default": "chips"}),
    ("optional field of a part", "$defs.Share.properties.level", {"type": "string", "default": ""}),
    ("enum widened", f"{P}.outcome.enum", ["win", "lose", "push"]),
    ("longest lengthened", f"{P}.bet.maxLength", 120),
    ("longest removed", f"{P}.bet.maxLength", None),
    ("pattern removed", f"{P}.card.pattern", None),
    ("least lowered", f"{P}.amount_minor.exclusiveMinimum", -1),
    ("least allowed itself", f"{P}.amount_minor", {"type": "integer", "minimum": 0}),
]


def ids(rows: list[Any]) -> list[str]:
    return [row[0] for row in rows]


@pytest.mark.parametrize("side", ["event", "action"])
@pytest.mark.parametrize(("_what", "path", "value", "message"), BOTH, ids=ids(BOTH))
def test_forbidden(_what: str, path: str, value: Any, message: str, side: Side) -> None:
    breaks_ = breaks(OLD, changed(path, value), side)
    assert any(line.startswith(message) for line in breaks_), breaks_


@pytest.mark.parametrize(("_what", "path", "value", "message"), EVENTS_ONLY, ids=ids(EVENTS_ONLY))
def test_forbidden_where_readers_rely_on_it(_what: str, path: str, value: Any, message: str) -> None:
    breaks_ = breaks(OLD, changed(path, value), "event")
    assert [line for line in breaks_ if line.startswith(message)], breaks_
    assert breaks(OLD, changed(path, value), "action") == []


@pytest.mark.parametrize("side", ["event", "action"])
@pytest.mark.parametrize(("_what", "path", "value"), ALLOWED, ids=ids(ALLOWED))
def test_allowed(_what: str, path: str, value: Any, side: Side) -> None:
    assert breaks(OLD, changed(path, value), side) == []


def test_a_new_required_field() -> None:
    new = changed(f"{P}.tender", {"type": "string"})
    new["required"] = [*OLD["required"], "tender"]
    assert breaks(OLD, new, "event") == ["tender: a new field must be optional, with a default"]


def test_another_name_of_a_part_is_no_change() -> None:
    renamed = json.loads(json.dumps(OLD).replace("Share", "Part"))
    assert breaks(OLD, renamed, "event") == []


def test_a_type_that_is_gone() -> None:
    before = {"events/bet.placed.v1.json": "{}", "events/README.md": "", "par/craps-gr.md": ""}
    assert all_generated_documents.incompatible(before, {}) == ["event bet.placed.v1: the type is gone"]
    assert all_generated_documents.incompatible({"actions/bet.place.json": "{}"}, {}) == [
        "action bet.place: the type is gone"
    ]


def test_a_new_type_is_no_break() -> None:
    assert all_generated_documents.incompatible({}, {"events/bet.placed.v1.json": json.dumps(OLD)}) == []


def test_an_event_with_an_upcaster_may_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_generated_documents, "UPCASTERS", {"bet.placed.v1": ("bet.placed.v2", dict)})
    assert all_generated_documents.incompatible({"events/bet.placed.v1.json": json.dumps(OLD)}, {}) == []


def test_a_default_that_may_go_is_allowed_to_go_and_nothing_else() -> None:
    def schema(**currency: Any) -> str:
        data = {"type": "object", "properties": {"currency": {"type": "string", **currency}}}
        return json.dumps({"properties": {"data": {"$ref": "#/$defs/data"}}, "$defs": {"data": data}})

    def broken(name: str, before: str, now: str) -> list[str]:
        path = f"actions/{name}.json"
        return all_generated_documents.incompatible({path: before}, {path: now})

    assert broken("table.install", schema(default="EUR"), schema()) == []
    assert broken("table.install", schema(default="EUR"), schema(default="JPY"))
    assert broken("table.install", schema(default="USD"), schema())
    assert broken("chips.issue", schema(default="EUR"), schema())
