"""Loaded by schemathesis: bodies as our terminals write them."""

from typing import Any

import schemathesis

from events.fields import is_time


@schemathesis.hook
def map_body(_context: object, body: Any) -> Any:
    """Write a body as the document of the API requires: JSON Schema takes 5.0 for an integer, the API does not.

    Times of any year are left out. Otherwise nearly every action would be ahead of the house's clock.
    """
    return written(body)


def _is_time(value: object) -> bool:
    return isinstance(value, str) and is_time(value) is not None


def written(value: Any) -> Any:
    """Return the value with whole numbers as integers, and without times."""
    if isinstance(value, dict):
        return {name: written(field) for name, field in value.items() if not (name == "time" and _is_time(field))}
    if isinstance(value, list):
        return [written(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
