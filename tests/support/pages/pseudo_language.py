"""A language in which every translated sentence is in brackets, so that text outside of brackets is untranslated.

It uses the code of Esperanto, which Django knows and the house does not offer.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path

from babel.messages import Catalog
from django.test import override_settings
from django.utils.translation import trans_real

from backoffice import settings as house_settings
from tools.translations import compiled, english

CODE = "eo"
OPEN, CLOSE = "⟦", "⟧"
_INNERMOST = re.compile(rf"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}")
_READ_ALOUD = re.compile(r'\b(?:title|aria-label|placeholder|alt)="([^"]*)"')
_CODE = re.compile(r"[\w-]*[./@][\w./@-]*|\b[0-9a-f]{8,}\b")  # event types, streams, rulesets, files; digests
_NOT_WORDS = re.compile(r"<(script|style|code|kbd|time|pre)\b.*?</\1>|<[^>]*>", re.DOTALL)


def bracketed(text: str) -> str:
    """Return a sentence as the language says it."""
    return f"{OPEN}{text}{CLOSE}"


def catalogue() -> Catalog:
    """Return every sentence of the house in brackets."""
    whole = Catalog(locale=CODE, domain="django", fuzzy=False)
    for message in english():
        if message.id:
            several = isinstance(message.id, tuple)
            translated = tuple(map(bracketed, message.id)) if several else bracketed(str(message.id))
            whole.add(message.id, string=translated, context=message.context, flags=message.flags)
    return whole


@contextmanager
def spoken(folder: Path) -> Iterator[None]:
    """Have the house use this language during the block."""
    path = folder / CODE / "LC_MESSAGES/django.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(compiled(catalogue()))
    languages = [*house_settings.LANGUAGES, (CODE, "Brackets")]
    with override_settings(LANGUAGES=languages, LOCALE_PATHS=[folder], PITLEDGER_LANGUAGE=CODE):
        _forget()
        yield
    _forget()


def untranslated(html: str) -> list[str]:
    """Return the words of a page that stand outside of the brackets."""
    read_aloud = " ".join(text for text in _READ_ALOUD.findall(html) if " " in text)  # else the code of a word
    text = unescape(f"{_NOT_WORDS.sub(' ', html)} {read_aloud}")
    while _INNERMOST.search(text):
        text = _INNERMOST.sub(" ", text)
    return re.findall(r"[^\W\d_]{3,}", _CODE.sub(" ", text))


def _forget() -> None:
    """Have catalogues read again: Django remembers them for as long as a process runs."""
    vars(trans_real)["_translations"].clear()
    vars(trans_real)["_default"] = None
    trans_real.reset_cache(setting="LANGUAGES")
