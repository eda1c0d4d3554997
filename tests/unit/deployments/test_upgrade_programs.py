"""The programs that the upgrade test runs in two versions import only modules and names of that version.

The upgrade itself runs in `make compose` only. Modules are renamed more often.
"""

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.compose import version_upgrade as upgrade
from tests.conftest import LEFT_OUT

CHECKOUT = Path(__file__).parents[3]
PROJECT = ("backoffice", "events", "projections", "tests", "workers")


def imports(program: str) -> Iterator[tuple[str, str]]:
    """Yield the project's modules that a program imports, each with the imported name ("" for a whole module)."""
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            pairs = [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            pairs = [(node.module or "", alias.name) for alias in node.names]
        else:
            continue
        yield from (pair for pair in pairs if pair[0].split(".")[0] in PROJECT)


def source(module: str, version: str) -> str | None:
    """Return the text of a module of a version ("": of the checkout); None without one."""
    path = module.replace(".", "/")
    for name in (f"{path}.py", f"{path}/__init__.py"):
        if version:
            completed = subprocess.run(
                ["git", "show", f"{version}:{name}"], cwd=CHECKOUT, capture_output=True, check=False
            )
            if completed.returncode == 0:
                return completed.stdout.decode()
        elif (CHECKOUT / name).is_file():
            return (CHECKOUT / name).read_text()
    return None


def is_there(module: str, name: str, version: str) -> bool:
    """Return whether a module of a version exists and has the name, as a module of its package or in its text."""
    text = source(module, version)
    if text is None or not name or source(f"{module}.{name}", version) is not None:
        return text is not None
    return any(
        name in {getattr(node, "name", ""), getattr(node, "id", "")}
        or (isinstance(node, ast.ImportFrom) and name in {alias.asname or alias.name for alias in node.names})
        for node in ast.walk(ast.parse(text))
    )


def missing(program: str, version: str) -> list[tuple[str, str]]:
    pairs = list(imports(program))
    assert pairs
    return [pair for pair in pairs if not is_there(*pair, version)]


def test_the_programs_of_the_former_version_find_their_modules() -> None:
    history = subprocess.run(["git", "cat-file", "-e", upgrade.BEFORE], cwd=CHECKOUT, capture_output=True, check=False)
    if history.returncode:
        pytest.skip(f"{LEFT_OUT}docker (this clone has no history: git fetch --unshallow brings {upgrade.BEFORE})")
    assert missing(upgrade.PLAY, upgrade.BEFORE) == []
    assert missing(upgrade.CANONICAL.format(**upgrade.OLD_NAMES), upgrade.BEFORE) == []
    assert missing("from events.accounting.report import day_reports", upgrade.BEFORE) != []


def test_the_program_of_this_version_finds_its_modules() -> None:
    assert missing(upgrade.CANONICAL.format(**upgrade.NEW_NAMES), "") == []
    assert missing(upgrade.CANONICAL.format(**upgrade.OLD_NAMES), "") != []
