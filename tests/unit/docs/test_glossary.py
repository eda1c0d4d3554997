"""The glossary has one word for each thing, in every language (docs/reference/glossary.tsv)."""

import re
from collections import Counter
from pathlib import Path

import pytest
from django.utils.translation import override

from backoffice.wording import glossary_terms
from tools import translations
from tools.documents import glossary_page

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("column", ["term", "el", "tr", "ru"])
def test_no_word_stands_for_two_things(column: str) -> None:
    counts = Counter(getattr(term, column).casefold() for term in glossary_terms.terms())
    assert {word: count for word, count in counts.items() if count > 1} == {}


def test_every_term_has_a_meaning_a_place_and_its_words() -> None:
    lacking = [term.term for term in glossary_terms.terms() if not all(value.strip() for value in term[:7])]
    assert lacking == []


def test_a_word_to_avoid_is_no_term() -> None:
    names = {term.term for term in glossary_terms.terms()}
    assert [term.avoid for term in glossary_terms.terms() if term.avoid in names] == []


def test_the_page_has_a_row_for_each_term() -> None:
    rows = [
        line for line in glossary_page.page().splitlines() if line.startswith("| ") and not line.startswith("| term |")
    ]
    assert len(rows) == len(glossary_terms.terms())


def test_every_meaning_on_a_page_is_collected_for_translation() -> None:
    collected = {message.id for message in translations.english()}
    explained = translations.explained_terms()
    assert {"CTR", "draw", "restatement"} <= explained
    assert [name for name in explained if glossary_terms.meaning_of_term(name) not in collected] == []


@pytest.mark.parametrize(("language", "word"), [("en", "restatement"), ("el", "αναδιατύπωση"), ("de", "restatement")])
def test_a_term_is_shown_in_the_language_of_its_reader(language: str, word: str) -> None:
    with override(language):
        assert glossary_terms.word_and_meaning("restatement")[0] == word


# Labels beside values that are no figures: people, times, states, counts of rows, digests and positions.
NOT_FIGURES = frozenset(
    """
    Access|Address|After|As of event|Assigned to|Before|Between the counts|Boxes|By|By denomination|Carried by|Changes
    Attempts|Compared with|Compared with witness|Continues from|Continues in|Counted by|Created|Day|Digest (SHA-256)
    Discrepancies|Envy, low / high stake|Error|Events|Events not yet at the witness|Events since then|Explanation
    Finished|First problem|From|In|Issued at|Issued by|Kept until|Last head received|Last reached|Not checked|Occurred
    Opened|People|Places|Players|Read|Reason|Records read|Reported|Reporting level|Requested by|Results|Rounds
    SHA-256 at the close|SHA-256 of these lines|Signed heads|Signed up to|Size|Slips|Software|State|Status|Subjects
    Time|Verified up to event
    """.replace("\n", "|").split("|")
)
LABEL = re.compile(r'{% (?:particular|entry|total) _\("([^"]+)"\)|{% head _\("([^"]+)"\) "[^"]*\br\b')
AMOUNT = re.compile(r'_amount\("[^"]+", _\("([^"]+)"\)')


def labels() -> set[str]:
    """Return the labels of figures on pages and in reports."""
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "backoffice").rglob("*.html"))
    reports = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "backoffice/days/reports").rglob("*.py"))
    return {label or head for label, head in LABEL.findall(pages)} | {*AMOUNT.findall(reports)}


def test_every_label_of_a_figure_is_defined() -> None:
    defined = {
        word.strip().casefold() for term in glossary_terms.terms() for word in (term.term, *term.term.split(","))
    }
    left_out = {word.strip() for word in NOT_FIGURES}
    assert len(labels()) > 80
    assert sorted(label for label in labels() - left_out if label.casefold() not in defined) == []
