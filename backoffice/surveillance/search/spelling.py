"""Suggestions for misspelt names."""

from collections.abc import Iterable
from difflib import get_close_matches


def near(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence with the closest names; "" without any."""
    matches = get_close_matches(name, sorted(known), 3)
    return f"; did you mean {' or '.join(matches)}?" if matches else ""
