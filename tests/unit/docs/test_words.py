"""One meaning a word (docs/reference/glossary.md): names that meant something else as well do not come back."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
OURS = ("events", "projections", "workers", "backoffice", "tools")
ALIASES = {"was", "said", "at_table", "h"}  # of types, actions, facts, heads
CLASSES = {"TaskPort": "Sender", "Read": "Endpoint", "Fact": "an event of a read model", "Exceptions": "errors"}
MODULES = {"facts.py", "reads.py", "reader.py", "ports.py", "process.py"}
NAMES = {"reading.py", "house.py"}  # each in one place only
PLACES = {"events/progressives/fact_structs.py", "events/house/stream_declaration.py", "tools/demo/demo_house_setup.py"}


def modules() -> list[Path]:
    return [path for name in OURS for path in sorted((ROOT / name).rglob("*.py")) if "migrations" not in path.parts]


def name_faults(path: Path) -> Iterator[str]:
    """Yield the names in a module that have another meaning elsewhere."""
    where = str(path.relative_to(ROOT))
    if path.name in MODULES or (path.name in NAMES and where not in PLACES):
        yield f"{where}: a module says what it answers"
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ClassDef) and node.name in CLASSES and where not in PLACES:
            yield f"{where}: {node.name} is {CLASSES[node.name]}"
        if isinstance(node, ast.alias) and node.asname in ALIASES:
            yield f"{where}: {node.name} goes by its own name, not {node.asname}"


def test_no_name_means_two_things() -> None:
    assert [line for path in modules() for line in name_faults(path)] == []


@pytest.mark.parametrize("text", ["from events.progressives import types as was\n", "class TaskPort: ...\n"])
def test_a_second_meaning_is_found(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    path = tmp_path / "module.py"
    path.write_text(text)
    assert len([*name_faults(path)]) == 1
