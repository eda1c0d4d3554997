"""What was meant, as far as one can guess."""

from collections.abc import Iterable
from difflib import get_close_matches


def near(name: str, known: Iterable[str]) -> str:
    """The end of a sentence that names what comes closest; "" where nothing does."""
    found = get_close_matches(name, sorted(known), 3)
    return f"; did you mean {' or '.join(found)}?" if found else ""
