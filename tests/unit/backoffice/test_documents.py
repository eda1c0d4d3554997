"""The generated documents: valid by their own standards, complete, the same each time, and true of what runs."""

import json
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import msgspec
import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from backoffice.openapi import action_interface_openapi_document as openapi
from backoffice.openapi import event_and_action_schemas
from events import catalogue, fields
from events.desk.command_and_answer_structs import Answer, Recorded
from events.envelope import Action, EventData, Meta, encode, first_prev
from events.errors import Busy, Conflict, Forbidden, Invalid, Refused, Retry, Unknown
from events.relay import event_topic_reader_and_setup, topic_records
from events.store import Stored
from events.streams import stream_kind_declaration
from events.streams.problem_details import problem_of
from events.tables.event_types.rounds import BetPlaced
from tools.documents import all_generated_documents, asyncapi_document, event_and_action_pages

OPENAPI = openapi.build()
ASYNCAPI = asyncapi_document.build()
BET = BetPlaced(
    pit="1", table="R1", gaming_day="2026-11-21", shift="day", ruleset="roulette-french@1", bet="a", wager="red"
)


class Stray(EventData, frozen=True, kw_only=True):
    """A type in a module that no stream has."""


def component(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": OPENAPI["components"]})


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for inner in part.values():
            yield from references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from references(inner)


def test_openapi_is_valid() -> None:
    OpenAPIV31SpecValidator(OPENAPI).validate()


def test_openapi_is_served_as_it_is_generated() -> None:
    answer = openapi.document(RequestFactory().get("/api/v1/openapi.json"))
    assert isinstance(answer, HttpResponse)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert json.loads(answer.content) == OPENAPI
    assert openapi.document(RequestFactory().post("/api/v1/openapi.json")).status_code == 405


def test_every_action_is_taken_somewhere() -> None:
    taken = {name for kind in stream_kind_declaration.kinds_with_actions() for name in openapi.actions_of(kind)}
    assert taken == set(catalogue.action_types())


@pytest.mark.parametrize("kind", stream_kind_declaration.kinds_with_actions())
def test_every_operation_says_how_it_refuses(kind: str) -> None:
    (path,) = [path for path in OPENAPI["paths"] if path.startswith(f"/{kind}/") and path.endswith("/actions")]
    assert {"400", "401", "403", "404", "409", "413", "422", "429", "503"} < OPENAPI["paths"][path]["post"][
        "responses"
    ].keys()


@pytest.mark.parametrize(
    "error", [Refused("x", "y"), Invalid("x", "y"), Forbidden(), Unknown(), Conflict(), Busy(), Retry()], ids=repr
)
def test_every_problem_is_documented(error: Any) -> None:
    problem = problem_of(error, key="k")
    assert f"problem-{problem.status}" in OPENAPI["components"]["responses"]
    component("Problem").validate(msgspec.to_builtins(problem))


def test_an_action_as_it_is_documented() -> None:
    sent = {"type": "bet.place", "key": "k1", "data": {"bet": "a", "wager": "red", "amount_minor": 500, "player": "p"}}
    component("tables.action").validate(sent)
    component("tables.actions").validate({"mode": "each", "actions": [sent]})
    catalogue.decode_action(msgspec.json.decode(json.dumps(sent), type=Action))


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "bet.place", "key": "k1"},
        {"type": "bet.place", "key": "", "data": {}},
        {"type": "bet.place", "key": "k1", "data": {"bet": "a", "wager": "red", "amount_minor": 0, "player": "p"}},
        {"type": "role.grant", "key": "k1", "data": {"person": "p", "role": "dealer"}},
        {"type": "bets.close", "key": "k1", "extra": 1},
        {"type": "bets.close", "key": "k1", "time": "yesterday"},
    ],
)
def test_what_is_refused_is_not_documented(wrong: dict[str, Any]) -> None:
    assert not component("tables.action").is_valid(wrong)


@pytest.mark.parametrize(
    ("field", "value", "is_good"),
    [
        ("key", "a:1@b/c+d-e_f.", True),
        ("key", "a\n", False),
        ("key", "k" * 121, False),
        ("time", "2024-02-29T23:59:59.999999Z", True),
        ("time", "2026-02-29T10:00:00Z", False),
        ("time", "2026-11-20T24:00:00Z", False),
        ("time", "2026-11-20T23:59:60Z", False),
        ("time", "2026-11-20T10:00:00Z\n", False),
        ("time", "\u0662\u0660\u0662\u0666-11-20T10:00:00Z", False),
        ("time", "0000-01-01T00:00:00Z", False),
        ("device_seq", 2**53, True),
        ("device_seq", -1, False),
        ("device_seq", 10**25, False),
        ("round", 0, True),
        ("round", 10**6 + 1, False),
        ("corrects", "athens/tables/FR1/2026-11-20@7", True),
        ("corrects", "a\u0000b", False),
        ("corrects", "x" * 301, False),
    ],
)
def test_an_actions_own_fields_are_documented_as_the_desk_wants_them(field: str, value: Any, is_good: bool) -> None:
    values = {"key": "k1", "time": None, "device_seq": None, "round": None, "corrects": None, field: value}
    documented = component("tables.action").is_valid({"type": "bets.close", "key": "k1", field: value})
    assert documented == is_good
    with nullcontext() if is_good else pytest.raises(Invalid, match=f"^{field}: "):
        fields.check(values["key"], values["time"], values["device_seq"], values["round"], values["corrects"])


def test_an_answer_as_it_is_documented() -> None:
    raw = encode("athens/tables/R1/2026-11-21", 1, first_prev("x"), BET, META, "2026-11-21T20:00:00.000Z")
    answer = Answer("k1", 7, [Recorded(7, msgspec.Raw(raw))])
    component("Answer").validate(json.loads(msgspec.json.encode(answer)))
    component("Answers").validate({"position": 7, "answers": [json.loads(msgspec.json.encode(answer))]})


META = Meta(time="2026-11-21T20:00:00.000Z", actor="p1", actorrole="dealer", causation="k1")


def test_an_event_as_it_is_documented() -> None:
    raw = encode("athens/tables/R1/2026-11-21", 1, first_prev("x"), BET, META, "2026-11-21T20:00:00.000Z")
    Draft202012Validator(event_and_action_schemas.event_schema("bet.placed.v1")).validate(json.loads(raw))


@pytest.mark.parametrize("name", catalogue.event_types())
def test_every_event_schema(name: str) -> None:
    schema = event_and_action_schemas.event_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["properties"]["type"] == {"const": name}
    assert schema["description"], f"{name} has no docstring"
    assert {ref.rpartition("/")[2] for ref in references(schema)} <= schema["$defs"].keys()


@pytest.mark.parametrize("name", catalogue.action_types())
def test_every_action_schema(name: str) -> None:
    schema = event_and_action_schemas.action_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["description"], f"{name} has no docstring"
    assert schema["$defs"]["data"]["additionalProperties"] is False


def test_every_type_belongs_to_a_stream() -> None:
    assert all(event_and_action_pages.stream_of(shape) for shape in catalogue.event_types().values())
    assert all(event_and_action_pages.stream_of(shape) for shape in catalogue.action_types().values())
    with pytest.raises(LookupError, match="which stream"):
        event_and_action_pages.stream_of(Stray)


def test_asyncapi_has_every_event_and_refers_to_what_is_there() -> None:
    generated = all_generated_documents.generate()
    assert set(ASYNCAPI["channels"]["events"]["messages"]) == set(catalogue.event_types())
    for reference in references(ASYNCAPI):
        if reference.startswith("#/"):
            part: Any = ASYNCAPI
            for step in reference[2:].split("/"):
                part = part[step]
        else:
            assert reference in generated


def test_asyncapi_names_the_topic_and_its_headers() -> None:
    stored = Stored(position=2, stream="athens/floor", version=1, type="bet.placed.v1", raw=b"{}")
    sent = {name: value.decode() for name, value in topic_records.headers(stored, 1, b"0.ab")}
    assert ASYNCAPI["channels"]["events"]["address"] == event_topic_reader_and_setup.TOPIC
    Draft202012Validator(ASYNCAPI["components"]["schemas"]["headers"]).validate(sent)
    assert set(sent) == set(asyncapi_document.HEADERS)


def test_the_same_code_gives_the_same_bytes() -> None:
    assert all_generated_documents.generate() == all_generated_documents.generate()


def test_the_list_of_events() -> None:
    page = event_and_action_pages.events_page()
    assert "## `PROPERTY/tables/TABLE/GAMING-DAY`" in page
    assert "| [`bet.placed.v1`](bet.placed.v1.json) | A stake (`amount_minor`) is placed on the layout." in page
    assert "`seat`? integer" in page
