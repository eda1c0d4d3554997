"""The part of the OpenAPI document about GET: the figures of the pages, from the Structs that are encoded."""

import re

from backoffice.kit.page_declaration import Endpoint
from backoffice.kit.site_from_page_declarations import Site
from backoffice.openapi.event_and_action_schemas import Schema, components, meaning

_PREFIX = "read."  # actions and events have types of the same names
_PROBLEMS = ("400", "401", "403", "404", "429", "503")
_REF = f"#/components/schemas/{_PREFIX}{{name}}"


def by_path(site: Site) -> dict[str, Endpoint]:
    """The endpoints of a site, by path as the document writes it."""
    return {"/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", endpoint.path): endpoint for endpoint in site.endpoints}


def paths(site: Site) -> dict[str, Schema]:
    """The operations, by path."""
    return {path: {"get": _operation(path, endpoint)} for path, endpoint in by_path(site).items()}


def schemas(site: Site) -> dict[str, Schema]:
    """Return the schemas of answers, under names of their own."""
    schemas_by_name = components([endpoint.answer for endpoint in site.endpoints], _REF)
    schemas_by_name["Logged"]["properties"]["event"] = {"$ref": "#/components/schemas/Event"}
    return {f"{_PREFIX}{name}": schema for name, schema in schemas_by_name.items()}


def _operation(path: str, endpoint: Endpoint) -> Schema:
    answer = {
        "description": meaning(endpoint.answer),
        "headers": {
            "Pitledger-Position": {
                "description": "The answer includes every event up to this position",
                "schema": {"type": "integer"},
            }
        },
        "content": {"application/json": {"schema": {"$ref": _REF.format(name=endpoint.answer.__name__)}}},
    }
    problems = {status: {"$ref": f"#/components/responses/problem-{status}"} for status in _PROBLEMS}
    places = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    return {
        "operationId": f"read-{endpoint.name}",
        "summary": endpoint.meaning,
        "security": [{"badge": []}, {"badge": [], "device": []}, {"session": []}],
        "parameters": [
            *({"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in places),
            *(_in_query(name, schema) for name, schema in endpoint.parameters.items()),
        ],
        "responses": {"200": answer, **problems},
    }


def _in_query(name: str, schema: Schema) -> Schema:
    shape = dict(schema)
    description = {"description": shape.pop("description")} if "description" in shape else {}
    return {"name": name, "in": "query", "required": False, **description, "schema": shape}
