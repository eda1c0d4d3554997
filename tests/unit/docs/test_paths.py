"""The files, modules, functions, classes and fields that a page names exist."""

import ast
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from backoffice.days.reports.report_and_column_structs import Report
from backoffice.kit.page_declaration import Page
from events.rules.game_declaration_and_registry import Game, TableGame
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
SHAPES = {"Page": Page, "Kind": Kind, "Game": Game, "TableGame": TableGame, "Report": Report}


def named_paths(page: Path) -> Iterator[str]:
    """The files and folders that the page names."""
    yield from PATH.findall(page.read_text())


def is_there(path: str) -> bool:
    """Return whether such a file or folder exists, for any GAME and NAME."""
    return any(True for _ in ROOT.glob(HOLE.sub("*", path).rstrip("/")))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_what_it_names_is_there(page: Path) -> None:
    assert [path for path in named_paths(page) if not is_there(path)] == []


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


HOWTOS = sorted((DOCS / "howto").glob("add-*.md"))
NAMING = (*HOWTOS, *sorted((DOCS / "explanation").glob("*.md")), *sorted((DOCS / "adr").glob("0*.md")))
FENCED = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`([^`\n]+)`")
DOTTED = re.compile(r"((?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*)(?:[(=].*)?")
FILE = re.compile(r"[\w/]+\.py")
OPTION = re.compile(r"([a-z_]+)(?:=.*)?")
OF_DJANGO = {"management", "migrations", "templatetags"}
NOT_IN_CODE = {"up.json"}  # a file of data


@cache
def modules() -> Mapping[str, str]:
    """Return the texts of the modules by path, but for the tests of pages."""
    paths = (path for folder in OURS for path in (ROOT / folder).rglob("*.py") if path.parent != Path(__file__).parent)
    return {str(path.relative_to(ROOT)): path.read_text() for path in paths}


@cache
def all_text() -> str:
    return "\n".join(modules().values())


def paths_of(dotted: str) -> list[str]:
    """Return the paths of the modules and packages with this name, which may lack its first parts."""
    path = f"/{dotted.replace('.', '/')}"
    return [known for known in modules() if f"/{known}".endswith((f"{path}.py", f"{path}/__init__.py"))]


def defined(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the names that the statements of a module or class define or import."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement.name
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in statement.names)


@cache
def names_in(path: str) -> frozenset[str]:
    return frozenset(defined(ast.parse(modules()[path]).body))


@cache
def members(name: str) -> frozenset[str]:
    """Return the fields, methods and parameters of the classes with this name; empty where there is no class."""
    declared: set[str] = set()
    texts = [text for text in modules().values() if re.search(rf"^ *class {name}\b", text, re.MULTILINE)]
    for node in (node for text in texts for node in ast.walk(ast.parse(text))):
        if isinstance(node, ast.ClassDef) and node.name == name:
            bases = (base.id for base in node.bases if isinstance(base, ast.Name) and base.id != name)
            declared.update(defined(node.body), *map(members, bases))
            inits = [child for child in node.body if isinstance(child, ast.FunctionDef) and child.name == "__init__"]
            declared.update(arg.arg for init in inits for arg in ast.walk(init) if isinstance(arg, ast.arg))
    return frozenset(declared)


def is_code(text: str) -> bool:
    """Return whether it is a type of an event or action, or another code of the product or of a toy."""
    return re.search(rf'"{re.escape(text)}(\.v\d+)?"', all_text()) is not None


def is_defined(dotted: str) -> bool:
    """Return whether it is a module, a name in a module, a member of a class, or of a library."""
    before, _dot, last = dotted.rpartition(".")
    is_ours = bool(paths_of(dotted)) or any(last in names_in(path) for path in paths_of(before))
    outer = dotted.partition(".")[0]
    return is_ours or last in members(before) or (outer not in OURS and find_spec(outer) is not None)


def gone(text: str) -> Iterator[str]:
    """Yield the files and dotted names of a text that are neither in the code nor codes."""
    for token in INLINE.findall(FENCED.sub("", text)):
        if FILE.fullmatch(token):
            path = HOLE.sub("*", token)
            if not any(True for _ in ROOT.glob(path)) and not any(
                f"/{known}".endswith(f"/{path}") for known in modules()
            ):
                yield token
            continue
        dotted = DOTTED.fullmatch(token)
        if dotted is not None and not (dotted[1] in NOT_IN_CODE or is_defined(dotted[1]) or is_code(dotted[1])):
            yield token


@pytest.mark.parametrize("page", NAMING, ids=name)
def test_its_dotted_names_are_in_the_code(page: Path) -> None:
    assert list(gone(page.read_text())) == []


def inline_calls(text: str) -> Iterator[ast.Call]:
    """Yield the calls between backquotes, also of a keyword alone: `looks=AccessLogRule(SEARCH)`."""
    for token in INLINE.findall(FENCED.sub("", text)):
        for code in (token, f"_({token})"):
            try:
                tree = ast.parse(code, mode="eval")
            except SyntaxError:
                continue
            yield from (node for node in ast.walk(tree) if isinstance(node, ast.Call))
            break


def wrong_calls(text: str) -> Iterator[str]:
    """Yield the calls of functions and classes that are gone, or with fields that are."""
    for call in inline_calls(text):
        called = call.func.id if isinstance(call.func, ast.Name) else "_"
        keywords = {keyword.arg for keyword in call.keywords}
        is_known = re.search(rf"^ *(def|class) {called}\b", all_text(), re.MULTILINE) is not None
        if called != "_" and (not is_known or (members(called) and not keywords <= members(called))):
            yield ast.unparse(call)


@pytest.mark.parametrize("page", HOWTOS, ids=name)
def test_its_calls_are_as_in_the_code(page: Path) -> None:
    assert list(wrong_calls(page.read_text())) == []


def wrong_options(text: str) -> Iterator[str]:
    """Yield the names in the first cells of tables that are no fields of a declaration."""
    fields = {field for shape in SHAPES.values() for field in shape.__struct_fields__}
    for row in re.findall(r"^\|([^|]*)\|", FENCED.sub("", text), re.MULTILINE):
        options = (OPTION.fullmatch(token) for token in INLINE.findall(row))
        yield from (option[0] for option in options if option is not None and option[1] not in fields)


@pytest.mark.parametrize("page", HOWTOS, ids=name)
def test_the_first_cells_of_its_tables_are_in_the_code(page: Path) -> None:
    assert list(wrong_options(page.read_text())) == []


def test_a_name_that_is_left_behind_is_found() -> None:
    text = (
        "`main_table_decider.EVOLVE`, `session.EVOLVE`, `Decisions.rests_on=(1,)`, `Decisions.beside`, `bet.place`,"
        f" `{'gone.py'}`, `looks=Looks(SEARCH)`, `Act('a', meaning=1)`\n\n| `beside` | `anything` |\n| `follows` | |\n"
    )
    assert list(gone(text)) == ["session.EVOLVE", "Decisions.beside", "gone.py"]
    assert list(wrong_calls(text)) == ["Looks(SEARCH)", "Act('a', meaning=1)"]
    assert list(wrong_options(text)) == ["beside"]


def test_the_way_of_an_event_names_every_read_model() -> None:
    step = (DOCS / "explanation" / "way-of-an-event.md").read_text().partition("8. **The projector**")[2]
    named_packages = set(re.findall(r"`(?:projections/)?(\w+)/`", step.partition("9. **")[0]))
    assert named_packages == {path.parent.name for path in (ROOT / "projections").glob("*/models.py")} - {"engine"}


def test_adr_122_lists_every_package() -> None:
    text = (DOCS / "adr" / "0122-arrange-modules-by-subject.md").read_text()
    for root in ("events", "projections", "backoffice"):
        table = text.partition(f"| `{root}` | content |")[2].partition("\n\n")[0]
        packages = {path.parent.name for path in (ROOT / root).glob("*/__init__.py")}
        assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == packages - OF_DJANGO, root


def test_the_map_of_the_readme_leads_to_every_package() -> None:
    text = (ROOT / "README.md").read_text()
    for root in ("events", "projections", "backoffice"):
        packages = {path.parent.name for path in (ROOT / root).glob("*/__init__.py")}
        assert set(re.findall(rf"\]\({root}/(\w+)", text)) == packages - OF_DJANGO, root


def test_the_map_of_adr_122_leads_to_modules_that_exist() -> None:
    text = (DOCS / "adr" / "0122-arrange-modules-by-subject.md").read_text()
    map_ = text.partition("```text\n")[2].partition("```")[0]
    rows = re.findall(r"^([\w., ]*\w|.*\)) +(\S+(?:, \S+)*)$", map_, re.MULTILINE)
    renamed = {module for before, _after in rows for module in before.split(", ")}
    targets = {target for _before, after in rows for target in after.split(", ") if "/" not in target}
    assert len(rows) > 800
    assert {target for target in targets - renamed if not paths_of(target)} == set()


TOYS = {
    "add-a-game.md": ("tests/toys/bigsix/game_declaration.py", "tests/toys/bigsix/bet_and_spin_decider.py"),
    "add-a-kind-of-stream.md": ("tests/toys/stream.py",),
    "add-a-page.md": ("tests/toys/page.py",),
    "add-a-read-model.md": ("tests/toys/read_model.py",),
    "add-a-report.md": ("tests/toys/report.py",),
    "add-an-alert.md": ("tests/toys/alert.py", "tests/toys/watch.py"),
}


@pytest.mark.parametrize("page", sorted(TOYS))
def test_what_it_shows_is_in_its_toy(page: str) -> None:
    """Every name and field in the page's code also occurs in the code that its test runs."""
    toy = " ".join((ROOT / path).read_text() for path in TOYS[page])
    nodes = [node for tree in trees(DOCS / "howto" / page) for node in ast.walk(tree)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    fields = {keyword.arg or "" for node in nodes if isinstance(node, ast.Call) for keyword in node.keywords}
    assert {name for name in (names | fields) - {"_"} if not re.search(rf"\b{name}\b", toy)} == set()
