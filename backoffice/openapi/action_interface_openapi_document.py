"""The OpenAPI 3.1 document of the action interface, from the types that it decodes and encodes."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET

from backoffice.api.attachment_upload_and_case_export import ExportRequest
from backoffice.cases.attachment_upload_and_download import StoredAttachment
from backoffice.cases.case_export_views import ExportStatus
from backoffice.kit.site_from_page_declarations import Site
from backoffice.openapi import read_operations
from backoffice.openapi.event_and_action_schemas import Schema, action, any_of, components, envelope, meaning
from backoffice.site.page_declarations_in_menu_order import SITE
from events import catalogue
from events.desk.command_and_answer_structs import MAX_ACTIONS, Answer, Checked, Recorded
from events.envelope import ActionData
from events.error_codes.catalogue import CODES
from events.fields import Day
from events.people import authority
from events.people.role_grant_decider import ROLES
from events.rules.game_declaration_and_registry import at_tables
from events.streams import stream_kind_declaration
from events.streams.problem_details import Problem
from events.streams.stream_kind_declaration import Kind
from events.tables.screen.screen import Screen
from events.tables.terminal_snapshot import Layout

_REF = "#/components/schemas/{name}"

_PROBLEMS = {
    400: "The request is invalid; `field` names the field to correct",
    401: "The badge is missing, or a badge or device key is unknown or revoked",
    403: "The person has no role that allows this, or the device belongs to another table",
    404: "There is no table, progressive or hit of this name",
    409: "The key was used with different content, the round is not the current one, or another request came first",
    413: "The body is larger than 256 KiB, or a file of a case is larger than an attachment may be",
    415: "The type of the file is not accepted",
    422: "A rule forbids the action; `clause` names the rule, and `source` the paragraph of the source document",
    429: "Too many requests from this badge, device or address, or in the queue; `Retry-After` says when to retry",
    503: "The house did not answer in time, or is not ready for this request. Send it again with the same keys.",
}
_LOOKING = (400, 401, 403, 404, 429, 503)
_ACTING = tuple(status for status in _PROBLEMS if status != 415)
_AT_THE_DOOR = (429, 503)  # for any request
_RETRY = {"Retry-After": {"description": "Seconds to wait before the next request", "schema": {"type": "integer"}}}
_CHALLENGE = {
    "WWW-Authenticate": {"description": "The expected kind of authentication: `Bearer`", "schema": {"type": "string"}}
}
_HEADERS = {401: _CHALLENGE, 429: _RETRY, 503: _RETRY}

_INTRODUCTION = """\
Every action has a key that its sender chooses and that is unique in the property. Sending the same action again under \
its key returns the first answer (`repeated`). Other content under the same key is refused with 409.

`intent` is one of three words. `ask`: the action is requested; if a rule forbids it, it is refused and nothing is \
recorded. `fact`: it has happened and is recorded, with an irregularity if a rule forbids it. `check`: the answer is \
computed, and neither stored nor bound to the key; all actions of a request are checks, or none.

Person and device follow from the credentials, never from the body. Integers are written without a fraction: 5, not \
5.0. `Pitledger-Position` of an answer is a position: the answer includes every event up to it."""


def actions_of(kind: str) -> dict[str, type[ActionData]]:
    """The actions that a kind of stream takes, by name."""
    return {name: shape for name, shape in sorted(catalogue.action_types().items()) if authority.may(kind, name)}


_SECURITY_SCHEMES: Schema = {
    "badge": {"type": "http", "scheme": "bearer", "description": "A person's badge"},
    "device": {
        "type": "apiKey",
        "in": "header",
        "name": "Pitledger-Device",
        "description": "The key of a terminal, bound to its table. Sent together with a badge, never alone.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "sessionid",
        "description": "The session of a person who is signed in to the pages; for reading only",
    },
}


def build(site: Site = SITE) -> Schema:
    """The document. The same types and pages give the same document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Pitledger action interface",
            "version": "1",
            "description": _INTRODUCTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/api/v1"}],
        "security": [{"badge": []}, {"badge": [], "device": []}],
        "paths": {
            **{
                kind.address: {"post": _operation(kind)}
                for kind in stream_kind_declaration.kinds_with_actions().values()
            },
            "/tables/{name}/layout": {"get": _layout()},
            **paths(_problems, _ref),
            **read_operations.paths(site),
            "/openapi.json": _itself(),
        },
        "components": {
            "securitySchemes": _SECURITY_SCHEMES,
            "responses": {f"problem-{status}": _problem(status) for status in _PROBLEMS},
            "schemas": dict(sorted((_schemas() | read_operations.schemas(site)).items())),
        },
    }


def _operation(kind: Kind) -> Schema:
    return {
        "operationId": f"act-{kind.name}",
        "summary": kind.summary,
        "parameters": _parameters(kind),
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {
                        "anyOf": [_ref(f"{kind.name}.action"), _ref(f"{kind.name}.actions")],
                    }
                }
            },
        },
        "responses": {
            "200": {
                "description": "The actions are stored durably. One action: its answer. Several actions: an answer for "
                'each, in order; with "each" some of them may be problems. A "check": the answer it would get.',
                "content": {
                    "application/json": {"schema": {"anyOf": [_ref("Answer"), _ref("Checked"), _ref("Answers")]}}
                },
            },
            **_problems(_ACTING),
        },
    }


def _parameters(kind: Kind) -> list[Schema]:
    name = [_place("name", f"The name of one of the {kind.name}")] if kind.is_named else []
    return [*name, *([_DAY] if kind.has_days else [])]


_DAY: Schema = {
    "name": "gaming_day",
    "in": "query",
    "required": False,
    "description": "Gaming day of the session; the current one by default",
    "schema": msgspec.json.schema(Day),
}


_SCREEN: Schema = {
    "name": "screen",
    "in": "query",
    "required": False,
    "description": "1: also return the Screen that the table's tablet shows",
    "schema": {"enum": ["1"]},
}


def _layout() -> Schema:
    """Return the path of the layout that a starting terminal reads."""
    answer = {
        "description": meaning(Layout),
        "content": {"application/json": {"schema": {"anyOf": [_ref("Layout"), _ref("Screen")]}}},
    }
    return {
        "operationId": "layout",
        "summary": "The current state of a table, computed from its events, with every answered action",
        "parameters": [*_parameters(stream_kind_declaration.kind_by_name("tables")), _SCREEN],
        "responses": {"200": answer, **_problems(_LOOKING)},
    }


def _problem(status: int) -> Schema:
    response: Schema = {
        "description": _PROBLEMS[status],
        "content": {"application/problem+json": {"schema": _ref("Problem")}},
    }
    return response | ({"headers": _HEADERS[status]} if status in _HEADERS else {})


def _itself() -> Schema:
    answer = {"description": "OpenAPI 3.1", "content": {"application/json": {"schema": {"type": "object"}}}}
    responses = {"200": answer, **_problems(_AT_THE_DOOR)}
    return {"get": {"operationId": "document", "summary": "This document", "security": [], "responses": responses}}


def _problems(statuses: Iterable[int]) -> Schema:
    return {str(status): {"$ref": f"#/components/responses/problem-{status}"} for status in statuses}


def _schemas() -> dict[str, Schema]:
    shapes = catalogue.action_types()
    playing = [game.stands for game in at_tables().values()]
    of_files = SHAPES
    schemas = components([*shapes.values(), Recorded, Checked, Layout, Screen, *playing, *of_files, Problem], _REF)
    for struct, field, closed in _CLOSED:
        schemas[struct]["properties"][field] |= {"enum": sorted(closed())}
    for layout in ("Layout", "Screen"):
        schemas[layout]["properties"]["play"] = any_of(playing, _REF)
    schemas["Problem"]["properties"]["code"] = {"type": "string", "enum": sorted(CODES)}
    schemas["Recorded"]["properties"]["event"] = _ref("Event")
    schemas["Event"] = _event()
    schemas["Answer"] = _answer()
    schemas["Answers"] = {
        "title": "Answers",
        "type": "object",
        "description": "A reply for each action, in order; `position` is that of the last stored event (0: none).",
        "properties": {
            "position": {"type": "integer"},
            "answers": {"type": "array", "items": {"anyOf": [_ref("Answer"), _ref("Checked"), _ref("Problem")]}},
        },
        "required": ["position", "answers"],
    }
    for name, shape in shapes.items():
        schemas[name] = {
            "title": name,
            "description": meaning(shape),
            **action(name, shape, _ref(shape.__name__)),
        }
    for kind in stream_kind_declaration.kinds_with_actions():
        schemas[f"{kind}.action"] = _one_of(kind)
        schemas[f"{kind}.actions"] = _several(kind)
    return schemas


# Fields of actions that are one of a list which this house knows, and no other.
_CLOSED: tuple[tuple[str, str, Callable[[], Iterable[str]]], ...] = (
    ("InstallTable", "game", at_tables),
    ("GrantRole", "role", lambda: ROLES),
    ("RevokeRole", "role", lambda: ROLES),
)


def _event() -> Schema:
    return {
        "title": "Event",
        "description": "A CloudEvents 1.0 object, byte for byte as it is stored. docs/events has the schema of each "
        "type's `data`.",
        **envelope(data={"type": "object"}),
    }


def _answer() -> Schema:
    """Written by hand around the Struct, whose `events` are raw bytes."""
    schema = components([Answer], _REF)["Answer"]
    schema["properties"]["events"] = {"type": "array", "items": _ref("Recorded")}
    return schema


def _one_of(kind: str) -> Schema:
    names = list(actions_of(kind))
    return {
        "oneOf": [_ref(name) for name in names],
        "discriminator": {
            "propertyName": "type",
            "mapping": {name: _ref(name)["$ref"] for name in names},
        },
    }


def _several(kind: str) -> Schema:
    return {
        "type": "object",
        "description": 'Several actions of one stream: "atomic" is all or nothing, "each" lets one fail without '
        "the others.",
        "properties": {
            "mode": {"enum": ["atomic", "each"], "default": "atomic"},
            "actions": {
                "type": "array",
                "items": _ref(f"{kind}.action"),
                "minItems": 1,
                "maxItems": MAX_ACTIONS,
            },
        },
        "required": ["actions"],
        "additionalProperties": False,
    }


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": _REF.format(name=name)}


SHAPES = (StoredAttachment, ExportRequest, ExportStatus)
BINARY = "application/octet-stream"
_FILE: Schema = {"type": "string", "format": "binary"}
_ASKING = (400, 401, 403, 404, 409, 413, 422, 429, 503)
_READERS: list[dict[str, list[str]]] = [{"badge": []}, {"badge": [], "device": []}, {"session": []}]


def paths(problems: Callable[[Iterable[int]], Schema], ref: Callable[[str], Schema]) -> dict[str, Schema]:
    """Return the operations by path. `problems` gives the responses of these statuses, `ref` the schema of a name."""
    attach = {
        "operationId": "upload-case-file",
        "summary": "Store the body as a file of a case, for case.attach; the same file again returns the same answer",
        "parameters": [_place("name", "The id of the case")],
        "requestBody": {"required": True, "content": {BINARY: {"schema": _FILE}}},
        "responses": {"200": _json("The stored file", ref("StoredAttachment")), **problems((*_ASKING, 415))},
    }
    export = {
        "operationId": "export-case",
        "summary": "Export a case. Sending the same key again returns the state of the same export.",
        "parameters": [_place("name", "The id of the case")],
        "requestBody": {"required": True, "content": {"application/json": {"schema": ref("ExportRequest")}}},
        "responses": {"200": _json("The state of the export", ref("ExportStatus")), **problems(_ASKING)},
    }
    archive = {
        "operationId": "case-archive",
        "summary": "The archive of an export, for the person who requested it. 503 until it is ready.",
        "security": _READERS,
        "parameters": [_place("name", "The id of the case"), _place("export", "The number of the export")],
        "responses": {
            "200": {
                "description": "The archive; `verify-case` checks it",
                "content": {"application/zip": {"schema": _FILE}},
            },
            **problems((400, 401, 403, 404, 409, 422, 429, 503)),
        },
    }
    return {
        "/cases/{name}/attachments": {"post": attach},
        "/cases/{name}/exports": {"post": export},
        "/cases/{name}/exports/{export}": {"get": archive},
    }


def _place(name: str, description: str) -> Schema:
    return {"name": name, "in": "path", "required": True, "description": description, "schema": {"type": "string"}}


def _json(description: str, schema: Schema) -> Schema:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


@csrf_exempt  # it changes nothing: another method is a 405, and no page about forms
@require_GET
def document(request: HttpRequest) -> HttpResponse:
    """Answer GET /api/v1/openapi.json with the document, for every client that can reach the interface."""
    return HttpResponse(_encoded(), content_type="application/json", headers={"Cache-Control": "public, max-age=300"})


@cache
def _encoded() -> bytes:
    return msgspec.json.encode(build())
