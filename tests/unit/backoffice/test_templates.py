"""Templates are read by people: no line runs out of the window, and each of Django's tags stands on one."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TEMPLATES = sorted((ROOT / "backoffice" / "templates").rglob("*.html"))
WIDEST = 120


def test_there_are_templates() -> None:
    assert len(TEMPLATES) > 40


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.relative_to(ROOT / "backoffice/templates").as_posix())
def test_a_line_of_a_template_has_at_most_120_columns(path: Path) -> None:
    long = [number for number, line in enumerate(path.read_text().splitlines(), 1) if len(line) > WIDEST]
    assert long == [], f"{path}: split these lines, or make a part of them"


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.relative_to(ROOT / "backoffice/templates").as_posix())
def test_no_tag_is_broken_over_lines(path: Path) -> None:
    """Django would print it as text."""
    assert not re.search(r"\{%(?:(?!%\}).)*\n", path.read_text()), path
