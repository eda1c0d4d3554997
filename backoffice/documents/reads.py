"""The part of the OpenAPI document about GET: the figures of the pages, from the Structs that are encoded."""

import inspect
import re

from backoffice.documents.schemas import Schema, components
from backoffice.kit.page import Read
from backoffice.kit.site import Site

_PREFIX = "read."  # actions and events have types of the same names
_REF = f"#/components/schemas/{_PREFIX}{{name}}"


def reads(site: Site) -> dict[str, Read]:
    """The reads of a site, by path as the document writes it."""
    return {"/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", read.path): read for read in site.reads}


def paths(site: Site) -> dict[str, Schema]:
    """The operations, by path."""
    return {path: {"get": _operation(path, read)} for path, read in reads(site).items()}


def schemas(site: Site) -> dict[str, Schema]:
    """What is answered, under names of its own."""
    found = components([read.answer for read in site.reads], _REF)
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
        "operationId": f"read-{read.name}",
        "summary": read.meaning,
        "security": [],
        "parameters": [
            *({"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in places),
            *(_in_query(name, schema) for name, schema in read.parameters.items()),
        ],
        "responses": {"200": answer, **problems},
    }


def _in_query(name: str, schema: Schema) -> Schema:
    shape = dict(schema)
    said = {"description": shape.pop("description")} if "description" in shape else {}
    return {"name": name, "in": "query", "required": False, **said, "schema": shape}
