"""The page about the comparisons says what the tests beside this file compare, with which versions, and why."""

import re
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.peers

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "explanation" / "peers.md").read_text(encoding="utf-8")
PROGRAMS = sorted(path.stem.removeprefix("test_") for path in HERE.glob("test_*.py") if path != Path(__file__))
CODE = re.compile(r"\b(?:[BPL]\.\d+|(?:GRC|BYC|BJ|BAC|ROU)-\d+)")


def comparison(program: str) -> ModuleType:
    return import_module(f"tests.peers.test_{program}")


def row(program: str) -> str:
    """The line of the page's table; it begins with the program and its version."""
    name = program.replace("_", "-")
    match = re.search(rf"^\| {name} {re.escape(version(name))} \|.*$", PAGE, re.MULTILINE)
    assert match, f"{name} {version(name)} has no row"
    return match[0]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_page_gives_the_clauses_of_every_difference(program: str) -> None:
    module = comparison(program)
    listed = [*getattr(module, "EXPLAINED", {}).values(), *getattr(module, "NO_PLACE", {}).values()]
    assert set(CODE.findall(str(listed))) == set(CODE.findall(row(program)))


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_page_gives_the_numbers_that_the_tests_count(program: str) -> None:
    module = comparison(program)
    counted = [value for name, value in vars(module).items() if name in ("ROUNDS", "COUPS", "PLACES")]
    counted += getattr(module, "THROWS", {}).values()
    assert all(f"{number:,}" in row(program) for number in counted)
