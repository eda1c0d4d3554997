"""Suggestions for misspelt names."""

from collections.abc import Iterable
from difflib import get_close_matches

from events.error_codes import ErrorText, coded
from events.error_codes.coded_error_text import Name


def closest_names_hint(name: str, known_names: Iterable[str]) -> ErrorText | None:
    """Return the hint with the closest names; None without any."""
    matches = get_close_matches(name, sorted(known_names), 3)
    return coded("did-you-mean", near=[*map(Name, matches)]) if matches else None
