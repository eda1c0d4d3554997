"""Codes as people read them, in the reader's language.

The house declares the words (`events/house/code_to_words_lookup.py`).
"""

from collections.abc import Iterable

from django.utils.translation import gettext

from events.house import code_to_words_lookup as declared

# Fields of actions and events whose values are codes. Text that people write in other fields is not translated.
CODES = {"action", "after_win", "ball", "band", "basis", "colour", "item", "kind", "level", "on_zero", "outcome"}
CODES |= {"policy", "post", "reason", "role", "ruling", "setting", "side", "tender", "to", "wager", "way", "wheel"}
CODES |= {"why", "winner", "category", "concerns", "disposition", "roles", "severity", "subject_roles"}


def word(code: str, field: str = "", ruleset: str = "") -> str:
    """Return the words for a code; "" for none."""
    return gettext(declared.word(code, field, ruleset)) if code else ""


def code_words(codes: Iterable[str]) -> str:
    """Several, one after the other."""
    return ", ".join(word(code) for code in codes)


def value(name: str, text: str) -> str:
    """Return the word of a code in a field; other text unchanged."""
    return word(text, name) if name in CODES and declared.is_known(text, name) else text


def status(code: str) -> str:
    """Return the status of a table or a hit in words."""
    return {
        "new": gettext("new"),
        "open": gettext("open"),
        "closed": gettext("closed"),
        "counted": gettext("counted"),
        "pending": gettext("pending"),
        "locked": gettext("awarded"),
        "authorised": gettext("authorised"),
        "paid": gettext("paid"),
        "void": gettext("void"),
        "refused": gettext("refused"),
    }.get(code, code)
