"""Backup and restore in containers, by the commands of docs/howto/backup.md and of the drill of docs/howto/restore.md.

New volumes or a second project, the same secrets.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.compose.conftest import UP_S, Compose
from tests.compose.docker import CHECKOUT, DockerError
from tests.compose.rounds import await_that
from tests.restores.documentation_page_commands import blocks

DRILL = CHECKOUT / "docs" / "howto" / "restore.md"
PAGE = CHECKOUT / "docs" / "howto" / "backup.md"
USER = 10001  # of the image
WAIT_S = 240.0


@pytest.fixture
def backing_up(compose: Compose, tmp_path: Path) -> Iterator[Compose]:
    """The house with the two folders that its settings name."""
    tmp_path.chmod(0o711)
    for setting, name in (("PITLEDGER_BACKUP", "backups"), ("PITLEDGER_BACKUP_KEYS", "keys")):
        folder = tmp_path / name
        folder.mkdir()
        os.chown(folder, USER, -1)
        compose.env[setting] = str(folder)
    compose.up()
    yield compose
    del compose.env["PITLEDGER_BACKUP"], compose.env["PITLEDGER_BACKUP_KEYS"]
    compose.up()


def test_a_house_comes_back_into_new_volumes(backing_up: Compose) -> None:
    made, restored = _blocks()
    run = backing_up
    await_that(WAIT_S, lambda: "Every invariant holds" in run.manage("web", "books", "--check"))
    digest = run.manage("web", "books", "--digest")
    people = run.manage("web", "people", "list")
    for line in made:
        if "exec" in line:
            run(*line.split()[2:])
    # The worker's own schedule makes one too.
    name = max(path.parent.name for path in Path(run.env["PITLEDGER_BACKUP"]).glob("*/manifest.json"))
    run("down", "--volumes", "--timeout", "10")
    output = ""
    for line in restored:
        output += run(*line.replace("NAME", name).split()[2:], timeout_s=UP_S)
    assert "Everything holds" in output
    await_that(WAIT_S, lambda: "Every invariant holds" in run.manage("web", "books", "--check"))
    assert run.manage("web", "books", "--digest") == digest
    assert run.manage("web", "people", "list") == people
    assert "Everything holds." in run.manage("live", "verify")


def test_a_container_that_does_not_sign_refuses_a_backup_and_makes_no_folder(compose: Compose) -> None:
    with pytest.raises(DockerError, match="worker"):
        compose.manage("web", "backup", "/tmp/backup")
    assert compose("exec", "-T", "web", "find", "/tmp", "-name", "backup*").strip() == ""


def test_the_drill_restores_into_a_second_project(backing_up: Compose) -> None:
    in_house, in_scratch = blocks(DRILL, "Drill in containers")
    await_that(WAIT_S, lambda: "Every invariant holds" in backing_up.manage("web", "books", "--check"))
    printed = [backing_up(*line.split()[2:]) for line in in_house.splitlines()]
    name, *lines = in_scratch.splitlines()
    assert name == "export COMPOSE_PROJECT_NAME=drill"
    project = backing_up.env["COMPOSE_PROJECT_NAME"]
    backing_up.env["COMPOSE_PROJECT_NAME"] = f"{project}-drill"
    try:
        restored = [backing_up(*line.split()[2:], timeout_s=UP_S) for line in lines]
    finally:
        backing_up("down", "--volumes", "--timeout", "5")
        backing_up.env["COMPOSE_PROJECT_NAME"] = project
    assert "Everything holds." in restored[2]
    assert _digest(restored[3]) == _digest(printed[2])
    assert "Everything holds." in backing_up.manage("web", "verify")  # the house itself goes on


def _digest(output: str) -> str:
    """The digest that a command prints, among the lines of compose about containers that it makes."""
    [digest] = re.findall(r"^[0-9a-f]{64}$", output, re.MULTILINE)
    return str(digest)


def _blocks() -> tuple[list[str], list[str]]:
    """The commands that make a backup, and those that restore it."""
    section = PAGE.read_text().split("## In containers")[1].split("\n## ")[0]
    first, second = re.findall(r"^```\n(.*?)^```", section, re.MULTILINE | re.DOTALL)[:2]
    return [line for line in first.splitlines() if line.startswith("docker")], second.splitlines()
