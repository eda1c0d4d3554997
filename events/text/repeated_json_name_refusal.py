"""JSON from outside: a name occurs once in an object, since programs differ in which of two values they take."""

import json

from events.error_codes import coded
from events.errors import Invalid

Pairs = list[tuple[str, object]]


class RepeatedName(ValueError):
    """A name that occurs twice in one object."""


def require_unique_names(raw: bytes | str, field: str = "body") -> None:
    """Raises Invalid for JSON in which an object has a name twice, or whose names cannot all be read.

    A decoder may skip bytes that are not UTF-8, and levels too deep for this check: so they are refused here. Malformed
    JSON in which no string occurs twice is left to its decoder.
    """
    try:
        text = raw.decode() if isinstance(raw, bytes) else raw
        if not _has_different_strings_only(text):
            _decode(text)
    except RepeatedName as error:
        raise Invalid(field, coded("name-twice-in-object", name=str(error))) from None
    except UnicodeDecodeError:
        raise Invalid(field, coded("json-not-utf-8")) from None
    except RecursionError:
        raise Invalid(field, coded("json-too-deep")) from None
    except ValueError as error:
        raise Invalid(field, coded("json-malformed", why=str(error))) from None


def _has_different_strings_only(text: str) -> bool:
    """Return whether no string occurs twice in the text, so no name does: a fast answer for most actions.

    False proves nothing. A backslash may hide a name, or the end of a string.
    """
    if "\\" in text:
        return False
    strings = text.split('"')[1::2]
    return len(set(strings)) == len(strings)


def _pairs(pairs: Pairs) -> None:
    if len(dict(pairs)) < len(pairs):
        names = [name for name, _ in pairs]
        raise RepeatedName(next(name for name in names if names.count(name) > 1))


_decode = json.JSONDecoder(object_pairs_hook=_pairs, parse_int=len, parse_float=len).decode
