"""The paper's font, and the Unicode escapes that replace its missing characters.

The font has Latin, Greek and Cyrillic. Chinese, Japanese, Korean and emoji are not in it, and Arabic and Hebrew need a
layout from right to left. A paper with such characters explains the escapes.
"""

import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont

SANS, BOLD = "DejaVuSansCondensed", "DejaVuSansCondensed-Bold"  # names are Greek here as often as Latin
_FONTS = [TTFont(name, Path(__file__).parent / "fonts" / f"{name}.ttf") for name in (SANS, BOLD)]
for font in _FONTS:
    registerFont(font)

_FROM_THE_RIGHT = ("R", "AL", "AN")
_BEYOND = 0x10000  # readers of PDF copy characters from here on wrongly
_MARK = "\\"  # begins an escape


def printable(words: str) -> str:
    """Return words as the font prints them: composed (NFC), with Unicode escapes ("\\u4e2d") for missing characters."""
    return "".join(map(_printable, unicodedata.normalize("NFC", words)))


@cache
def _printable(character: str) -> str:
    code = ord(character)
    if character == "\n" or (
        code < _BEYOND
        and all(code in font.face.charToGlyph for font in _FONTS)
        and unicodedata.bidirectional(character) not in _FROM_THE_RIGHT
    ):
        return character
    return f"{_MARK}u{code:04x}" if code < _BEYOND else f"{_MARK}U{code:08x}"


def explanation() -> str:
    """Return the explanation of escapes for a paper that has them."""
    return _("Characters missing in this font are printed as Unicode escapes, such as %(escape)s.") % {
        "escape": f"{_MARK}u4e2d"
    }


def is_escaped(parts: Iterable[Any]) -> bool:
    """Return whether any text of these parts of a paper, at any depth, has an escaped character."""
    return any(_has_escape(part) for part in parts)


def _has_escape(part: Any) -> bool:
    if isinstance(part, str):
        return printable(part) != unicodedata.normalize("NFC", part) or f"{_MARK}u" in part or f"{_MARK}U" in part
    if (cells := getattr(part, "_cellvalues", None)) is not None:
        return any(_has_escape(cell) for row in cells for cell in row)
    if (inner := getattr(part, "_content", None)) is not None:
        return is_escaped(inner)
    return _has_escape(part.getPlainText()) if hasattr(part, "getPlainText") else False
