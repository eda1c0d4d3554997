"""Texts of the table screen in the reader's language."""

import re
from functools import lru_cache
from typing import Any, TypeVar, cast

import msgspec
from django.utils.translation import get_language, gettext

from backoffice.tables.open_slips_and_progressive_for_screen import open_slips, progressive_view
from backoffice.wording.error_code_sentences import coded_sentence
from events.rules.screen_declarations import Pad, Place
from events.tables.screen.screen import Say, Screen
from events.tables.screen.step_refusals_by_decider import Refusal
from events.tables.terminal_snapshot import Layout

L = TypeVar("L", bound=Layout)
_encode = msgspec.json.Encoder().encode
_NUMBER = re.compile(r"[0-9]+")
_LABEL = re.compile(r"(?P<words>.*?)(?P<numbers>(?: [0-9][0-9, /-]*)?)")


def _fill(label: str, texts: list[str]) -> str:
    """The label with these texts in place of its numbers."""
    following = iter(texts)
    return _NUMBER.sub(lambda _number: next(following), label)


def translate_label(label: str) -> str:
    """Return a label in the reader's language; its numbers stay."""
    return _translated(label, get_language() or "en")


def translator() -> Say:
    """Return `say` for many labels of one answer: the reader's language is looked up once."""
    language = get_language() or "en"
    return lambda label: _translated(label, language)


@lru_cache(maxsize=20_000)
def _translated(label: str, _language: str) -> str:
    """ "Card to box 3" is a text with a number, "Straight up 17" a word with one."""
    numbers_in_text = _NUMBER.findall(label)
    template = _fill(label, [f"{{{place}}}" for place in range(len(numbers_in_text))])
    if numbers_in_text and (translated := gettext(template)) != template:
        return translated.format(*numbers_in_text)
    parts = _LABEL.fullmatch(label)
    words, numbers = (parts["words"], parts["numbers"]) if parts else (label, "")
    if not words:
        return label
    text = gettext(words)
    if text == words:
        text = gettext(words[:1].lower() + words[1:])
        text = text[:1].upper() + text[1:] if words[:1].isupper() else text
    return f"{text}{numbers}"


def in_language(layout: L) -> L:
    """Return a layout with labels, encoded once, and with refusals in the reader's language.

    A screen also has its progressive and its open slips.
    """
    language = get_language() or "en"
    if isinstance(layout, Screen):
        pads = _encoded_pads(_encode(layout.pads), language)
        layout = cast("L", msgspec.structs.replace(_screen_in_language(layout), pads=cast(Any, pads)))
    return msgspec.structs.replace(layout, places=cast(Any, _encoded(layout.places, language)))


@lru_cache(maxsize=1_000)
def _encoded_pads(pads: bytes, _language: str) -> msgspec.Raw:
    """Return pads in the reader's language, encoded: the same ones come with every state of a table."""
    return msgspec.Raw(_encode([_pad_in_language(pad) for pad in msgspec.json.decode(pads, type=tuple[Pad, ...])]))


def _pad_in_language(pad: Pad) -> Pad:
    options = tuple(msgspec.structs.replace(option, label=translate_label(option.label)) for option in pad.options)
    return msgspec.structs.replace(pad, label=translate_label(pad.label), options=options)


def _screen_in_language(screen: Screen) -> Screen:
    change = msgspec.structs.replace
    language = get_language() or "en"
    translated_by_id: dict[int, Refusal] = {}  # one refusal may concern every place of the cloth

    def in_language(refusal: Refusal | None) -> Refusal | None:
        if refusal is None:
            return None
        if id(refusal) not in translated_by_id:
            params = msgspec.json.encode(refusal.params) if refusal.params else b"{}"
            sentence = _sentence(refusal.code, params, screen.currency, language)
            translated_by_id[id(refusal)] = change(refusal, message=sentence) if sentence else refusal
        return translated_by_id[id(refusal)]

    return change(
        screen,
        progressive_view=progressive_view(screen),
        slips=open_slips(screen),
        steps=tuple(change(step, refusal=in_language(step.refusal)) for step in screen.steps),
        refused_places=tuple(change(place, refusal=in_language(place.refusal)) for place in screen.refused_places),
        place_units=tuple(change(unit, refusal=in_language(unit.refusal)) for unit in screen.place_units),
    )


@lru_cache(maxsize=5_000)
def _sentence(code: str, params: bytes, currency: str, _language: str) -> str:
    """The sentence of a refusal: most steps of a table meet the same one after every tap."""
    return coded_sentence(code, msgspec.json.decode(params), currency)


# By the identity of the places, which are one object for each ruleset, and the language.
_encodings: dict[tuple[int, str], tuple[tuple[Place, ...], msgspec.Raw]] = {}
ENCODINGS_MAX = 200


def _encoded(places: tuple[Place, ...], language: str) -> msgspec.Raw:
    key = (id(places), language)
    if key not in _encodings:
        translated = [msgspec.structs.replace(place, label=translate_label(place.label)) for place in places]
        if len(_encodings) >= ENCODINGS_MAX:
            _encodings.clear()
        _encodings[key] = (places, msgspec.Raw(msgspec.json.encode(translated)))
    return _encodings[key][1]
