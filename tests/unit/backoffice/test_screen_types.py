"""Types of the table screen's script, written from schemas."""

import pytest

from backoffice.openapi import action_interface_openapi_document
from tools.documents import screen_typescript_types


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "number | null"),
        ({"enum": ["ask", "fact"]}, '"ask" | "fact"'),
        ({"type": "array", "items": {"$ref": "#/components/schemas/events.rules.Die"}}, "Array<Die>"),
        ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]}, "[string, number]"),
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, "Record<string, boolean>"),
        ({"type": "object"}, "Record<string, any>"),
        ({}, "any"),
    ],
)
def test_a_schema_is_written_as_a_type(schema: dict[str, object], written: str) -> None:
    assert screen_typescript_types.written(schema) == written


def test_every_type_that_is_named_is_declared_and_optional_members_are_marked() -> None:
    text = screen_typescript_types.source(action_interface_openapi_document.build())
    assert "  interface ScreenState {\n    layout: Screen | null;\n" in text
    assert "    again?: string | null;\n" in text
    assert "    position: number;\n" in text
    assert text.count("interface Refusal {") == 1
