"""A reason in people's words as a part of an account.

A reason of the list of adjustments keeps its code. Two reasons never differ by case, hyphen or punctuation alone, so
that their accounts have different names in Beancount too (`events/money/posting_rules.py`).
"""

import re
import string
import unicodedata

from events.accounting.report_rules_version_numbers import LAST, REASON_IN_ANY_SCRIPT
from events.progressives.level_changes_and_notices import REASONS
from events.text.id_spelling_normalization import is_latin, is_letter

MOST_OF_REASON = 60  # characters of a reason in the name of an account
OTHER = "other"  # a reason without a letter or a digit
ASCII = frozenset(string.ascii_lowercase + string.digits)
_NOT_LATIN = re.compile(r"[^a-z0-9]+")


def reason_part(text: str, layout: int = LAST) -> str:
    """Return the letters and digits of a reason, in lower case, with single spaces between words.

    Of a reason in Latin script those are a to z and 0 to 9. The layouts 1 to 3 read every reason so, and call one in
    another script "other".
    """
    latin = _reason_words(_NOT_LATIN.sub(" ", text.lower()))
    is_kept = layout < REASON_IN_ANY_SCRIPT or (latin and all(is_latin(char) for char in text if is_letter(char)))
    words = latin if is_kept else _in_any_script(text)
    code = words.replace(" ", "-")
    return code if code in REASONS else words or OTHER


def _in_any_script(text: str) -> str:
    plain = "".join(map(_account_character, unicodedata.normalize("NFKC", text).lower()))
    words = _reason_words(plain)
    return words[:1].upper().lower() + words[1:]  # letters with one capital are one letter in Beancount: σ and ς


def _account_character(char: str) -> str:
    """A letter or a decimal digit; nothing for a mark, which no account may have; a space for any other character."""
    category = unicodedata.category(char)
    if char in ASCII or category == "Nd" or (is_letter(char) and not is_latin(char)):
        return char
    return "" if category[0] == "M" else " "


def _reason_words(text: str) -> str:
    return " ".join(text.split())[:MOST_OF_REASON].rstrip()
