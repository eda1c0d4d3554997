"""Structs of pages, made of rows: the fields under the same names are copied."""

from typing import TypeVar

import msgspec

Shape = TypeVar("Shape", bound=msgspec.Struct)


def struct_from(row: object, shape: type[Shape], **own: object) -> Shape:
    """Return a struct with these values; every other field is the row's attribute of the same name."""
    return shape(**{name: own[name] if name in own else getattr(row, name) for name in shape.__struct_fields__})
