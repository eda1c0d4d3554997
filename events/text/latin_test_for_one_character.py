"""The script of a letter."""

import unicodedata

_END_OF_LATIN = 0x250  # the blocks before it hold Latin letters, and signs that are called letters: º, µ


def is_letter(char: str) -> bool:
    return unicodedata.category(char)[0] == "L"


def is_latin(char: str) -> bool:
    """Return whether a letter is Latin."""
    return ord(char) < _END_OF_LATIN or "LATIN" in unicodedata.name(char, "")
