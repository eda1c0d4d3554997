"""The checker of the English reads docstrings, marked words, refusals and templates with their lines."""

import tomllib
from pathlib import Path

from tools.prose.check import EXCEPTIONS_MAX, HERE, covered
from tools.prose.text_extraction import Text, descriptions, docstrings, error_sentences, marked_words, template_words

MODULE = '''"""A module."""

LABEL = _("drop box")


def close(day: str) -> None:
    """Close a day."""
    raise Refused(f"day {day} is open", "000 §1")
'''


def test_docstrings_are_read_with_their_lines() -> None:
    assert [*docstrings(MODULE)] == [Text(1, "A module."), Text(7, "Close a day.")]


def test_marked_words_and_refusals_are_read() -> None:
    assert [*marked_words(MODULE)] == [Text(3, "drop box"), Text(8, "day X is open")]


def test_words_of_templates_are_read() -> None:
    page = (
        '<h1>{% translate "Drop" %}</h1>\n{% blocktranslate %}{{ n }} tables{% endblocktranslate %}{% head _("Win") %}'
    )
    assert sorted(template_words(page)) == [Text(1, "Drop"), Text(2, "Win"), Text(2, "X tables")]


def test_descriptions_of_an_api_are_read() -> None:
    document = '{\n  "summary": "A \\"check\\".",\n  "description": {\n    "description": "The day"\n  }\n}\n'
    assert [*descriptions(document)] == [Text(2, 'A "check".'), Text(4, "The day")]


def test_files_can_be_left_out() -> None:
    every, fewer = covered(["tools/prose/*.py"]), covered(["tools/prose/*.py", "!tools/prose/check.py"])
    assert {path.name for path in {*every} - {*fewer}} == {"check.py"}


def test_exceptions_are_few_and_have_reasons() -> None:
    rows = (HERE / "exceptions.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert len(rows) <= EXCEPTIONS_MAX
    assert all(row.split("\t")[3].strip() for row in rows)


def test_every_covered_pattern_names_a_file() -> None:
    lists = tomllib.loads((HERE / "covered.toml").read_text(encoding="utf-8"))
    patterns = [pattern.removeprefix("!") for patterns in lists.values() for pattern in patterns]
    root = Path(__file__).resolve().parents[3]
    assert [pattern for pattern in patterns if not any(root.glob(pattern))] == []


def test_sentences_of_the_catalogue_of_errors_are_read() -> None:
    source = 'subject\tcode\tproblem\tremedy\tparameters\ncage\tcage-open\tThe "cage" is open.\tClose it.\t\n'
    assert [*error_sentences(source)] == [Text(2, 'The "cage" is open.'), Text(2, "Close it.")]
