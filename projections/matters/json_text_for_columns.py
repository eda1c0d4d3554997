"""Lists and people in columns of text: JSON."""

from typing import Any

import msgspec


def pairs(people: str) -> list[tuple[str, str]]:
    """The people of a row: (person, role)."""
    return msgspec.json.decode(people, type=list[tuple[str, str]])


def json(value: Any) -> str:
    """A value for a column of text."""
    return msgspec.json.encode(value).decode()
