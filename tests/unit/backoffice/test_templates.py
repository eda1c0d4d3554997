"""People read templates: no line is wider than the window, and each of Django's tags is on one line."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TEMPLATES = sorted(ROOT.glob("backoffice/*/templates/**/*.html"))
WIDEST = 120


def test_there_are_templates() -> None:
    assert len(TEMPLATES) > 40


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.relative_to(ROOT / "backoffice").as_posix())
def test_a_line_of_a_template_has_at_most_120_columns(path: Path) -> None:
    long = [number for number, line in enumerate(path.read_text().splitlines(), 1) if len(line) > WIDEST]
    assert long == [], f"{path}: split these lines, or make a part of them"


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.relative_to(ROOT / "backoffice").as_posix())
def test_no_tag_is_broken_over_lines(path: Path) -> None:
    """Django would print it as text."""
    assert not re.search(r"\{%(?:(?!%\}).)*\n", path.read_text()), path


NAMES = {"Pitledger", "JSON", "data theme"}  # of ours and of a format; the attribute that is told by a cookie


def unmarked(text: str) -> list[str]:
    """The words of a template that no translation would reach: outside of Django's tags, and in attributes."""
    text = re.sub(r"\{% *blocktranslate.*?\{% *endblocktranslate *%\}", " ", text, flags=re.DOTALL)
    text = re.sub(r"\{[%{].*?[%}]\}", " ", text, flags=re.DOTALL)
    attributes = re.findall(r'(?:title|aria-label|placeholder|alt)="([^"]*)"', text)
    text = re.sub(r"<(script|code|kbd)\b.*?</\1>|<[^>]*>|&\w+;", " ", text, flags=re.DOTALL)
    words = [*re.findall(r"[^\W\d_]{2,}", text), *re.findall(r"[^\W\d_]{2,}", " ".join(attributes))]
    return [word for word in words if word not in " ".join(NAMES)]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.relative_to(ROOT / "backoffice").as_posix())
def test_every_word_is_marked_for_translation(path: Path) -> None:
    assert unmarked(path.read_text()) == []


def test_an_unmarked_word_is_found() -> None:
    assert unmarked('<p title="Help">{% translate "yes" %} no <b>maybe</b></p>') == ["no", "maybe", "Help"]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.relative_to(ROOT / "backoffice").as_posix())
def test_a_sentence_over_several_lines_reaches_translators_without_line_breaks(path: Path) -> None:
    pattern = r"\{% *blocktranslate([^%]*)%\}(.*?)\{% *endblocktranslate *%\}"
    sentences = re.findall(pattern, path.read_text(), re.DOTALL)
    assert [text for options, text in sentences if "\n" in text and "trimmed" not in options] == []
