"""`./manage.py docs`: it writes, checks, and reports a schema that breaks a published one."""

import functools
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tools.documents import all_generated_documents

generated = functools.cache(all_generated_documents.generate)  # takes seconds, and nothing here changes what it says
SAMPLE = "events/bet.placed.v1.json"


def docs(folder: Path, **options: Any) -> None:
    call_command("docs", folder=folder, **options)


@pytest.fixture(autouse=True)
def _generated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_generated_documents, "generate", generated)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A docs folder, freshly written, outside of any repository."""
    folder_ = tmp_path / "house" / "docs"
    for path, text in generated().items():
        (folder_ / path).parent.mkdir(parents=True, exist_ok=True)
        (folder_ / path).write_text(text, encoding="utf-8")
    return folder_


def git(folder: Path, *arguments: str) -> None:
    names = ("-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *names, *arguments], cwd=folder.parent, check=True, capture_output=True)


@pytest.fixture
def committed(folder: Path) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "docs")
    return folder


def add_field(folder: Path, name: str, *, path: str = SAMPLE) -> None:
    """Add a field to the stored schema, as an earlier version with one more field."""
    schema = json.loads((folder / path).read_text())
    schema["$defs"]["data"]["properties"][name] = {"type": "string", "default": ""}
    (folder / path).write_text(json.dumps(schema))


def test_fresh(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs(folder, check=True)
    assert "fresh" in capsys.readouterr().out


def test_writes_everything_and_takes_away_what_is_left_over(tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "gone.v1.json").write_text("{}")
    (tmp_path / "by-hand.md").write_text("mine")
    docs(tmp_path)
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert written == {*generated(), "by-hand.md"}


def test_stale_says_what_and_how_to_fix(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "par" / "craps-gr.md").write_text("old")
    (folder / "openapi.json").unlink()
    (folder / "par" / "bingo.md").write_text("a game that is no more")
    with pytest.raises(CommandError, match="make docs") as error:
        docs(folder, check=True)
    assert error.value.returncode == 1
    errors = capsys.readouterr().err
    assert all(f"stale: docs/{path}" in errors for path in ("par/craps-gr.md", "openapi.json", "par/bingo.md"))
    assert (folder / "par" / "craps-gr.md").read_text() == "old"


def test_a_removed_field_is_found_on_disk(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_field(folder, "tip_minor")
    with pytest.raises(CommandError, match="upcaster"):
        docs(folder, check=True)
    assert "incompatible: event bet.placed.v1: data.tip_minor: the field is gone" in capsys.readouterr().err


def test_a_removed_type_is_found(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "actions" / "bet.shout.json").write_text("{}")
    with pytest.raises(CommandError):
        docs(folder, check=True)
    assert "incompatible: action bet.shout: the type is gone" in capsys.readouterr().err


def test_what_is_committed_counts_and_not_what_was_written_over_it(
    folder: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    add_field(folder, "tip_minor")
    request.getfixturevalue("committed")
    docs(folder)
    assert "incompatible" in capsys.readouterr().err
    with pytest.raises(CommandError, match="upcaster"):
        docs(folder, check=True)
    assert "(since HEAD)" in capsys.readouterr().err


def test_the_commit_before_counts_too(
    folder: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    add_field(folder, "tip_minor")
    request.getfixturevalue("committed")
    docs(folder)
    git(folder, "commit", "--quiet", "-am", "broken")
    with pytest.raises(CommandError, match="upcaster"):
        docs(folder, check=True)
    assert "(since HEAD^)" in capsys.readouterr().err
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "something else")
    docs(folder, check=True)
    with pytest.raises(CommandError, match="upcaster"):
        docs(folder, check=True, against="HEAD~2")


def test_a_released_tag_counts(folder: Path, request: pytest.FixtureRequest) -> None:
    add_field(folder, "tip_minor")
    request.getfixturevalue("committed")
    git(folder, "tag", "-a", "v1", "-m", "v1")
    docs(folder)
    for message in ("one", "two", "three"):
        git(folder, "commit", "--quiet", "--allow-empty", "-am", message)
    with pytest.raises(CommandError, match="upcaster"):
        docs(folder, check=True)


def test_a_commit_that_does_not_exist(committed: Path) -> None:
    with pytest.raises(CommandError, match="commit nowhere does not exist") as error:
        docs(committed, check=True, against="nowhere")
    assert error.value.returncode == 2


def test_a_repository_without_docs_or_commits(tmp_path: Path) -> None:
    folder = tmp_path / "house" / "docs"
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet")
    docs(folder)
    docs(folder, check=True)
    (folder.parent / "README").write_text("x")
    git(folder, "add", "README")
    git(folder, "commit", "--quiet", "-m", "no docs yet")
    docs(folder, check=True)
