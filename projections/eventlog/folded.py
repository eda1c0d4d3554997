"""Text as a search compares it: words without case and accents."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_WORD = re.compile(r"[^\W_]+")
# What people wrote themselves, under these names in an event's data.
WRITTEN = ("reason", "reasons", "detail", "details", "note", "notes", "document", "documents")


def fold(text: str) -> str:
    """Without case, and without what stands on letters: "Άτομο" and "ΑΤΟΜΟ" are the same."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in parts if not unicodedata.combining(one))


def words(text: str) -> tuple[str, ...]:
    """The whole words of a text, folded."""
    return tuple(_WORD.findall(fold(text)))


def in_a_row(wanted: Sequence[str], said: Sequence[str]) -> bool:
    """Whether these words stand somewhere, one behind the other."""
    size = len(wanted)
    return any(tuple(said[at : at + size]) == tuple(wanted) for at in range(len(said) - size + 1))


def written(event: Mapping[str, Any]) -> Iterator[str]:
    """The texts of an event that people wrote."""
    for name in WRITTEN:
        yield from texts(event["data"].get(name))


def texts(value: Any) -> Iterator[str]:
    """The texts in a value: itself, or those in a list."""
    for one in value if isinstance(value, list | tuple) else (value,):
        if isinstance(one, str):
            yield one


def of_kind(code: str) -> tuple[str, ...]:
    """What stands for an irregularity of this kind among the words: its code, and the words of that."""
    return f"kind:{code}", *words(code)
