"""Text as a search compares it: words without case and accents."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_WORD = re.compile(r"[^\W_]+")
# Text written by people, under these names in an event's data.
WRITTEN = ("reason", "reasons", "detail", "details", "note", "notes", "document", "documents")


def fold(text: str) -> str:
    """Return the text without case and accents: "Άτομο" and "ΑΤΟΜΟ" are the same."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in parts if not unicodedata.combining(character))


def folded_words(text: str) -> tuple[str, ...]:
    """The whole words of a text, folded."""
    return tuple(_WORD.findall(fold(text)))


def in_a_row(wanted: Sequence[str], words_of_text: Sequence[str]) -> bool:
    """Return whether these words occur in the text, one behind the other."""
    size = len(wanted)
    return any(tuple(words_of_text[at : at + size]) == tuple(wanted) for at in range(len(words_of_text) - size + 1))


def event_texts(event: Mapping[str, Any]) -> Iterator[str]:
    """The texts of an event that people wrote."""
    for name in WRITTEN:
        yield from texts(event["data"].get(name))


def texts(value: Any) -> Iterator[str]:
    """The texts in a value: itself, or those in a list."""
    for element in value if isinstance(value, list | tuple) else (value,):
        if isinstance(element, str):
            yield element


def of_kind(code: str) -> tuple[str, ...]:
    """Return the search words for an irregularity of this kind: its code, and the words of the code."""
    return f"kind:{code}", *folded_words(code)
