"""Ids and names of actions: one spelling, no invisible characters, no two scripts in a word. Pure.

Letters keep their case. Stored ids stay as they are: events are not checked here.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from events.error_codes import ErrorText, coded
from events.errors import Invalid
from events.text.look_alike_character_table import PROTOTYPES

T = TypeVar("T", bound=msgspec.Struct)
ID_MAX = 200  # characters: longer texts are sentences that people wrote
_JOINERS = "\u200c\u200d"  # Persian and Indic sentences need them
# They take no room, though Unicode counts them among marks and letters.
_EMPTY = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0") | {
    chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
_TOGETHER = frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"})  # written together
_ALIKE = str.maketrans("01I|", "OlLl") | {ord("I"): "l"}
_END_OF_LATIN = 0x250  # the blocks before it hold Latin letters, and signs that are called letters: º, µ
_HYPHENS = frozenset("\u2043\u02d7\u2212\u2796\u06d4\u00b7\u30fb")


def normalized(text: str, field: str = "") -> str:
    """Return the stored form of an id or a name: NFC. Raises Invalid, with the field, for one that resembles
    another.
    """
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text)
    require_visible(text, field)
    for word in _letter_runs(text):
        scripts = {_script(letter) for letter in word}
        if len(scripts) > 1 and not scripts <= _TOGETHER:
            names = " and ".join(sorted(script.capitalize() for script in scripts))
            raise Invalid(field, coded("letters-mixed", word=word, scripts=names))
    return text


def require_visible(text: str, field: str = "", allowed: str = "") -> None:
    """Raise Invalid, with the field, for invisible characters; `allowed` are accepted ones."""
    for character in text:
        is_unseen = unicodedata.category(character) in ("Cc", "Cf", "Cn", "Co", "Cs") or character in _EMPTY
        if is_unseen and character not in allowed:
            name = unicodedata.name(character, "a control character").lower()
            raise Invalid(field, coded("character-invisible", character=f"U+{ord(character):04X}", name=name))


def spellings(text: str) -> tuple[str, ...]:
    """Return a text as written, composed and decomposed: old events may have any of these."""
    if text.isascii():
        return (text,)
    return tuple(dict.fromkeys((text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text))))


@lru_cache(maxsize=4_096)
def skeletons(text: str) -> frozenset[str]:
    """Return the keys by which ids are compared: equal if two differ by case or hyphens only, or look alike."""
    if text.isascii():  # no letter of ASCII has a prototype, and its one hyphen is the hyphen
        return frozenset({text.lower(), text.translate(_ALIKE).lower()})
    plain = unicodedata.normalize("NFKC", text)
    return frozenset({_folded_text(plain), _folded_text(plain.translate(PROTOTYPES).translate(_ALIKE))})


def require_distinct(name: str, others: Iterable[str], kind: str, field: str) -> None:
    """Raise Invalid, with the field, for a new id that looks like one of others."""
    own = skeletons(name)
    for other in others:
        if other != name and not own.isdisjoint(skeletons(other)):
            raise Invalid(field, resemblance_refusal(name, kind, other))


def resemblance_refusal(name: str, kind: str, other: str) -> ErrorText:
    """Return why an id is refused for its resemblance to another one."""
    return coded("id-looks-alike", name=name, what=kind, other=other)


def _folded_text(text: str) -> str:
    hyphened = "".join("-" if _is_hyphen(character) else character for character in text)
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", hyphened.casefold()))


def _is_hyphen(character: str) -> bool:
    return unicodedata.category(character) == "Pd" or character in _HYPHENS


def _letter_runs(text: str) -> Iterator[str]:
    """Letters in a row."""
    row = ""
    for character in f"{text} ":
        if unicodedata.category(character)[0] in "LM":
            row += character if character.isalpha() else ""
        elif row:
            yield row
            row = ""


@lru_cache(maxsize=4_096)
def _script(letter: str) -> str:
    """The script of a letter: the first word of its name."""
    name = unicodedata.name(unicodedata.normalize("NFKC", letter)[0], "")
    return name.split(" ", 1)[0].partition("-")[0] or "unknown"


# --- the data of an action --------------------------------------------------------------------------------------------


def normalize_data(data: T, raw: bytes) -> T:
    """Return an action's data with every id and name normalized; `raw` is the sent text. Raises Invalid, with the
    field."""
    if raw.isascii() and b"\\u" not in raw:  # as with nearly every action
        return data
    changed = _normal(data, inspect.type_info(type(data)), "data")
    return data if changed == data else changed


def _normal(value: Any, shape: inspect.Type, field: str) -> Any:
    """The value with its ids normalized; texts that people wrote stay as they are."""
    if isinstance(value, str):
        return _normal_text(value, shape, field)
    if isinstance(value, msgspec.Struct):
        shapes = {field_.name: field_.type for field_ in _fields(type(value))}
        changes = {name: _normal(getattr(value, name), kind, f"{field}.{name}") for name, kind in shapes.items()}
        changes = {name: changed for name, changed in changes.items() if changed is not getattr(value, name)}
        return msgspec.structs.replace(value, **changes) if changes else value
    inner = _item_type(shape)
    if isinstance(value, dict):
        return {_normal(key, inner, field): _normal(item, inner, field) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_normal(item, inner, field) for item in value)
    return value


def _normal_text(text: str, shape: inspect.Type, field: str) -> str:
    lengths = [part.max_length or 0 for part in _type_parts(shape) if isinstance(part, inspect.StrType)]
    if max(lengths, default=0) > ID_MAX:
        require_visible(text, field, _JOINERS)
        return text
    return normalized(text, field)


@cache
def _fields(shape: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    info = inspect.type_info(shape)
    return info.fields if isinstance(info, inspect.StructType) else ()


def _item_type(shape: inspect.Type) -> inspect.Type:
    """Return the type of the items of a list, or of the values of a mapping."""
    for part in _type_parts(shape):
        if isinstance(part, inspect.ListType | inspect.VarTupleType):
            return part.item_type
        if isinstance(part, inspect.DictType):
            return part.value_type
    return inspect.AnyType()


def _type_parts(shape: inspect.Type) -> tuple[inspect.Type, ...]:
    return shape.types if isinstance(shape, inspect.UnionType) else (shape,)


def is_letter(char: str) -> bool:
    """Return whether a character is a letter of any script."""
    return unicodedata.category(char)[0] == "L"


def is_latin(char: str) -> bool:
    """Return whether a letter is Latin."""
    return ord(char) < _END_OF_LATIN or "LATIN" in unicodedata.name(char, "")
