"""Terms of the glossary, and their meanings on pages, in the language of the reader."""

import csv
import functools
from typing import NamedTuple

from django.utils.translation import get_language, gettext

from backoffice.running import database_and_mail_settings

SOURCE = database_and_mail_settings.ROOT / "docs/reference/glossary.tsv"


class GlossaryTerm(NamedTuple):
    """One row of the glossary; `avoid` is a pattern of words that must not be used for it, or is empty."""

    group: str
    term: str
    meaning: str
    where: str
    el: str
    tr: str
    ru: str
    avoid: str

    def word(self) -> str:
        """Return the term in the language of the reader."""
        words = {"el": self.el, "tr": self.tr, "ru": self.ru}
        return words.get((get_language() or "en").split("-")[0]) or gettext(self.term)


def terms() -> list[GlossaryTerm]:
    """Return the terms in the order of the file."""
    with SOURCE.open(encoding="utf-8", newline="") as file:
        return [GlossaryTerm(**row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


@functools.cache
def _by_name() -> dict[str, GlossaryTerm]:
    return {term.term: term for term in terms()}


def meaning_of_term(name: str) -> str:
    """Return the meaning of a term in the language of the reader. Raises KeyError for a word outside the glossary."""
    return gettext(_by_name()[name].meaning)


def word_and_meaning(name: str) -> tuple[str, str]:
    """Return a term and its meaning in the language of the reader. Raises KeyError for a word outside the glossary."""
    return _by_name()[name].word(), meaning_of_term(name)
