"""The glossary has one word for each thing, in every language (docs/reference/glossary.tsv)."""

from collections import Counter

import pytest

from backoffice.documents import glossary


@pytest.mark.parametrize("column", ["term", "el", "tr", "ru"])
def test_no_word_stands_for_two_things(column: str) -> None:
    counts = Counter(getattr(term, column).casefold() for term in glossary.terms())
    assert {word: count for word, count in counts.items() if count > 1} == {}


def test_every_term_has_a_meaning_a_place_and_its_words() -> None:
    lacking = [term.term for term in glossary.terms() if not all(value.strip() for value in term[:7])]
    assert lacking == []


def test_a_word_to_avoid_is_no_term() -> None:
    terms = {term.term for term in glossary.terms()}
    assert [term.avoid for term in glossary.terms() if term.avoid in terms] == []


def test_the_page_has_a_row_for_each_term() -> None:
    rows = [line for line in glossary.page().splitlines() if line.startswith("| ") and not line.startswith("| term |")]
    assert len(rows) == len(glossary.terms())
