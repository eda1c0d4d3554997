"""The part of the OpenAPI document about files of cases: attachments as raw bodies, exports and their archives."""

from collections.abc import Callable, Iterable

from backoffice.api.case_files import ExportRequest
from backoffice.cases.exports import ExportStatus
from backoffice.cases.files import StoredAttachment
from backoffice.openapi.schemas import Schema

SHAPES = (StoredAttachment, ExportRequest, ExportStatus)
BINARY = "application/octet-stream"
_FILE: Schema = {"type": "string", "format": "binary"}
_ASKING = (400, 401, 403, 404, 409, 413, 422, 429, 503)
_READERS: list[dict[str, list[str]]] = [{"badge": []}, {"badge": [], "device": []}, {"session": []}]


def paths(problems: Callable[[Iterable[int]], Schema], ref: Callable[[str], Schema]) -> dict[str, Schema]:
    """Return the operations by path. `problems` gives the responses of these statuses, `ref` the schema of a name."""
    attach = {
        "operationId": "upload-case-file",
        "summary": "Store the body as a file of a case, for case.attach; the same file again is the same answer",
        "parameters": [_place("name", "The id of the case")],
        "requestBody": {"required": True, "content": {BINARY: {"schema": _FILE}}},
        "responses": {"200": _json("The stored file", ref("StoredAttachment")), **problems((*_ASKING, 415))},
    }
    export = {
        "operationId": "export-case",
        "summary": "Export a case; the same key again is the same export, and its state",
        "parameters": [_place("name", "The id of the case")],
        "requestBody": {"required": True, "content": {"application/json": {"schema": ref("ExportRequest")}}},
        "responses": {"200": _json("The state of the export", ref("ExportStatus")), **problems(_ASKING)},
    }
    archive = {
        "operationId": "case-archive",
        "summary": "The archive of an export, for the person who began it; 503 until it is ready",
        "security": _READERS,
        "parameters": [_place("name", "The id of the case"), _place("export", "The number of the export")],
        "responses": {
            "200": {"description": "The archive, for verify-case", "content": {"application/zip": {"schema": _FILE}}},
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
