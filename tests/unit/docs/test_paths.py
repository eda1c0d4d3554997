"""Files, folders and modules that a page names are there, and its declarations are written as they must be."""

import ast
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backoffice.kit.page_declaration import Page
from events.rules.game_registry import Game, TableGame
from events.streams.stream_kind_declaration import Kind
from tests.unit.docs.test_docs import DOCS, PAGES, ROOT, name

OURS = ("events", "projections", "backoffice", "workers", "tests", "tools")
PATH = re.compile(rf"`((?:{'|'.join(OURS)})/[\w/.*-]*)`")
HOLE = re.compile(r"(?<![A-Za-z])[A-Z]{4,}(?![A-Za-z])")  # GAME, NAME: whatever it is called
CODE = (
    re.compile(r"^ *```python\n(.*?)^ *```", re.DOTALL | re.MULTILINE),
    re.compile(r"((?:^    .*\n|^\n)+)", re.MULTILINE),
)
PROGRAM = re.compile(r"python -m (tests(?:\.\w+)+)")
SHAPES = {"Page": Page, "Kind": Kind, "Game": Game, "TableGame": TableGame}


def named(page: Path) -> Iterator[str]:
    """The files and folders that the page names."""
    yield from PATH.findall(page.read_text())


def is_there(path: str) -> bool:
    """Return whether such a file or folder exists, for any GAME and NAME."""
    return any(True for _ in ROOT.glob(HOLE.sub("*", path).rstrip("/")))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_what_it_names_is_there(page: Path) -> None:
    assert [path for path in named(page) if not is_there(path)] == []


def programs() -> list[str]:
    """Return the programs of the tests that the pages run with `python -m`."""
    modules = {module for page in PAGES for module in PROGRAM.findall(page.read_text())}
    return sorted(f"{module}.__main__" if (ROOT / module.replace(".", "/")).is_dir() else module for module in modules)


@pytest.mark.parametrize("module", programs())
def test_a_program_of_the_tests_needs_no_settings_of_django(module: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True, cwd=ROOT, env=environment)


def trees(page: Path) -> Iterator[ast.AST]:
    """The page's code that can be read as Python."""
    for pattern in CODE:
        for code in pattern.findall(page.read_text()):
            try:
                yield ast.parse(textwrap.dedent(code.strip("\n")))
            except SyntaxError:
                continue


def calls(page: Path) -> Iterator[ast.Call]:
    """The calls in it."""
    yield from (node for tree in trees(page) for node in ast.walk(tree) if isinstance(node, ast.Call))


@pytest.mark.parametrize("page", sorted((DOCS / "howto").glob("add-*.md")), ids=name)
def test_its_declarations_have_the_fields_that_there_are(page: Path) -> None:
    for call in calls(page):
        shape: Any = SHAPES.get(getattr(call.func, "id", ""))
        if shape is not None:
            assert {keyword.arg for keyword in call.keywords} <= set(shape.__struct_fields__), page


def test_the_declarations_are_found() -> None:
    names = {getattr(call.func, "id", "") for page in (DOCS / "howto").glob("add-*.md") for call in calls(page)}
    assert names >= SHAPES.keys()


TOYS = {
    "add-a-game.md": ("tests/toys/bigsix/game_declaration.py", "tests/toys/bigsix/handlers.py"),
    "add-a-kind-of-stream.md": ("tests/support/toy_stream.py",),
    "add-a-page.md": ("tests/toys/page.py",),
    "add-a-read-model.md": ("tests/support/toy_read_model.py",),
    "add-an-alert.md": ("tests/support/toy_alert.py",),
}


@pytest.mark.parametrize("page", sorted(TOYS))
def test_what_it_shows_is_in_its_toy(page: str) -> None:
    """Every name and field in the page's code also occurs in the code that its test runs."""
    toy = " ".join((ROOT / path).read_text() for path in TOYS[page])
    nodes = [node for tree in trees(DOCS / "howto" / page) for node in ast.walk(tree)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    fields = {keyword.arg or "" for node in nodes if isinstance(node, ast.Call) for keyword in node.keywords}
    assert {name for name in (names | fields) - {"_"} if not re.search(rf"\b{name}\b", toy)} == set()
