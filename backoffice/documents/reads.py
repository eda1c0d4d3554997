"""The part of the OpenAPI document about GET: the figures of the pages, from the Structs that are encoded."""

import inspect
from typing import Any

import msgspec

from backoffice.api import reads
from backoffice.documents.schemas import Schema, components
from backoffice.queries import log
from backoffice.queries.filters import Filters
from backoffice.queries.floor import Floor
from backoffice.queries.meters import LEVEL_SUMS
from backoffice.queries.progressives import Detail
from backoffice.queries.sums import SUMS
from backoffice.queries.table import Table

_PREFIX = "read."  # actions and events have types of the same names
_REF = f"#/components/schemas/{_PREFIX}{{name}}"


class Read(msgspec.Struct, frozen=True):
    """An address that is read: the view behind it, what it answers, its places in the path and its query."""

    view: Any
    answer: type[msgspec.Struct]
    query: dict[str, Schema] = {}

    @property
    def summary(self) -> str:
        """The view's docstring, on one line."""
        return " ".join((inspect.getdoc(self.view) or "").split())


_WHOLE = {"type": "integer", "minimum": 0}
_DAY = {"type": "string", "format": "date"}


def _filters() -> dict[str, Schema]:
    """What the log is filtered by, from the type that reads it."""
    found: dict[str, Schema] = {}
    for field in msgspec.structs.fields(Filters):
        name = field.name.removesuffix("_minor")
        if name == "types":
            found["type"] = {"type": "array", "items": {"type": "string"}}
        else:
            found[name] = {"type": "string"} if field.type is str or name != field.name else _WHOLE
    found["from"]["description"] = "The least amount, as people write it: 1250.50"
    found["to"]["description"] = "The greatest amount, as people write it: 1250.50"
    found["meter"]["description"] = "PROGRESSIVE/LEVEL, for the sums of a level's meter"
    found["first"] = _WHOLE | {"description": "Only events at this position and behind it"}
    found["last"] = _WHOLE | {"description": "Only events up to this position"}
    found["sum"] = {"enum": [*SUMS, *LEVEL_SUMS], "description": "Only events that count in this sum"}
    return found


_PAGE = {
    "before": _WHOLE | {"description": "Events in front of this position, newest first"},
    "after": _WHOLE | {"description": "The events right behind this position"},
    "limit": {"type": "integer", "minimum": 1, "maximum": log.PAGE_MAX, "default": log.PAGE},
}
_WAIT = {
    "at_least": _WHOLE | {"description": "Wait until the read models are as far as this position"},
    "within": {"type": "integer", "minimum": 0, "default": 0, "description": "So many seconds, 5 at most"},
}

READS: dict[str, Read] = {
    "/tables": Read(reads.tables, Floor, {"gaming_day": _DAY}),
    "/tables/{name}/{gaming_day}": Read(reads.one_table, Table),
    "/progressives": Read(reads.all_progressives, reads.Progressives),
    "/progressives/{name}": Read(reads.one_progressive, Detail),
    "/events": Read(reads.events, reads.Events, _filters() | _PAGE),
    "/position": Read(reads.position, reads.Position, _WAIT),
}


def paths() -> dict[str, Schema]:
    """The operations, by path."""
    return {path: {"get": _operation(path, read)} for path, read in READS.items()}


def schemas() -> dict[str, Schema]:
    """What is answered, under names of its own."""
    found = components([read.answer for read in READS.values()], _REF)
    found["Logged"]["properties"]["event"] = {"$ref": "#/components/schemas/Event"}
    return {f"{_PREFIX}{name}": schema for name, schema in found.items()}


def _operation(path: str, read: Read) -> Schema:
    answer = {
        "description": " ".join((inspect.getdoc(read.answer) or "").split()),
        "headers": {
            "Pitledger-Position": {
                "description": "Everything up to this position is in the answer",
                "schema": {"type": "integer"},
            }
        },
        "content": {"application/json": {"schema": {"$ref": _REF.format(name=read.answer.__name__)}}},
    }
    problems = {status: {"$ref": f"#/components/responses/problem-{status}"} for status in ("400", "404")}
    places = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    return {
        "operationId": f"read-{read.view.__name__.replace('_', '-')}",
        "summary": read.summary,
        "security": [],
        "parameters": [
            *({"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in places),
            *(_in_query(name, schema) for name, schema in read.query.items()),
        ],
        "responses": {"200": answer, **problems},
    }


def _in_query(name: str, schema: Schema) -> Schema:
    shape = dict(schema)
    said = {"description": shape.pop("description")} if "description" in shape else {}
    return {"name": name, "in": "query", "required": False, **said, "schema": shape}
