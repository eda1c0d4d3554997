"""Fields of due actions that the acting person fills in: words in capitals, as the terminal's command shows them."""

from collections.abc import Mapping

CAGE_DAY, SIGN_SHOWS = "THE CAGE'S GAMING DAY", "WHAT THE SIGN SHOWS, IN MINOR UNITS"
DIFFERENCE, WHY, WHOM = "THE DIFFERENCE, IN MINOR UNITS", "WHY", "WHOM"


def blanks(data: Mapping[str, object]) -> frozenset[str]:
    """Return the names of the fields to fill in."""
    words = (CAGE_DAY, SIGN_SHOWS, DIFFERENCE, WHY, WHOM)
    return frozenset(name for name, value in data.items() if value in words)
