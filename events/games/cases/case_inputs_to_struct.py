"""Reading a case's inputs into a typed shape."""

from typing import TypeVar

import msgspec

from events.error_codes import coded
from events.errors import Invalid
from events.games.cases import Given

T = TypeVar("T")


def read(inputs: Given, shape: type[T]) -> T:
    """Return `inputs` as `shape` (a msgspec Struct); unknown fields are left alone. Raises Invalid naming the field."""
    try:
        return msgspec.convert(inputs, shape)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        raise Invalid(path.rstrip("`").lstrip(".") or "given", coded("case-field-wrong", why=message)) from error
