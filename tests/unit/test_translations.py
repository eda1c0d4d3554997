"""Catalogues of Greek, Turkish and Russian: whole, of today, with every placeholder, compiled as they are written."""

import re
from collections import Counter

import pytest
from babel.messages import Catalog, Message
from django.conf import settings

from tools.translations import LANGUAGES, compiled, english, missing, source_of, translated

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd%]|\{\w*\}|</?\w+[^>]*>|`[^`]*`")
AS_IN_ENGLISH_MAX = 30  # formats, units, names
OFFERED = [language for language, _name in settings.LANGUAGES if language != "en"]


@pytest.fixture(scope="module")
def today() -> Catalog:
    return english()


def forms(message: Message) -> list[str]:
    """The English forms of a sentence, and for each its translations."""
    return [*message.id] if isinstance(message.id, tuple) else [str(message.id)]


def translations(message: Message) -> list[str]:
    return [*message.string] if isinstance(message.string, tuple) else [str(message.string)]


def keys(catalogue: Catalog) -> set[tuple[object, str]]:
    """Each sentence with its context."""
    return {(message.id, message.context or "") for message in catalogue}


def placeholders(text: str) -> Counter[str]:
    return Counter(PLACEHOLDER.findall(text))


def test_every_language_of_ours_is_offered() -> None:
    assert [*LANGUAGES] == OFFERED


@pytest.mark.parametrize(
    ("word", "context"),
    [
        ("With players", "partners"),  # rounds with them; without context: chips that they hold
        ("due", "reading"),  # a reading that must be done; without context: an amount
        ("Count", "act of counting"),  # without context: how many chips
        ("outside", "limits"),  # without context: the outside numbers of craps
        ("open cage", "not settled"),  # an obstacle; without context: the action
        ("Request", "approval"),  # asks for an approval; without context: asks for chips
        ("Value", "measure"),  # a figure; without context: the worth of chips
        ("Wins", "shares paid"),  # of a level's winners; without context: of the house
        ("Name", "person"),  # without context: of a thing
    ],
)
def test_each_meaning_of_a_word_is_a_sentence_of_its_own(word: str, context: str, today: Catalog) -> None:
    assert today.get(word) is not None
    assert today.get(word, context=context) is not None


@pytest.mark.parametrize("language", OFFERED)
def test_every_sentence_of_today_is_translated_and_no_other(language: str, today: Catalog) -> None:
    catalogue = translated(language)
    assert missing(catalogue) == []
    assert keys(catalogue) == keys(today), "python -m tools.translations"


@pytest.mark.parametrize("language", OFFERED)
def test_placeholders_and_marks_are_those_of_the_sentence(language: str) -> None:
    wrong = [
        (message.id, text)
        for message in translated(language)
        if message.id
        for text in translations(message)
        if placeholders(text) not in [placeholders(form) for form in forms(message)]
    ]
    assert wrong == []


@pytest.mark.parametrize("language", OFFERED)
def test_plural_forms_are_those_of_the_language(language: str) -> None:
    number = {"el": 2, "tr": 1, "ru": 3}[language]
    catalogue = translated(language)
    assert catalogue.num_plurals == number
    assert {len(translations(message)) for message in catalogue if message.pluralizable} == {number}


@pytest.mark.parametrize("language", OFFERED)
def test_few_translations_read_as_the_english(language: str) -> None:
    worded = [
        message for message in translated(language) if re.search("[^\\W\\d_]", PLACEHOLDER.sub("", str(message.id)))
    ]
    same = [message.id for message in worded if message.id and message.string == message.id]
    assert len(same) <= AS_IN_ENGLISH_MAX, same


@pytest.mark.parametrize("language", OFFERED)
def test_the_compiled_catalogue_is_the_written_one(language: str) -> None:
    assert source_of(language).with_suffix(".mo").read_bytes() == compiled(translated(language))
