"""A house in containers moves from PostgreSQL 15 to 17 by the commands of docs/howto/upgrade-postgresql.md."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.compose import standins
from tests.compose.conftest import BUILD_S, UP_S, Compose, set_up
from tests.compose.docker import CHECKOUT, Docker
from tests.compose.rounds import await_that, play_round
from tests.restores.documentation_page_commands import blocks

PAGE = CHECKOUT / "docs" / "howto" / "upgrade-postgresql.md"
SECTION = "In containers"
WAIT_S = 240.0


@pytest.fixture
def house(docker: Docker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Compose]:
    """A house in a folder of its own, as the page has it, after a round and a jackpot."""
    secrets, folder = tmp_path / "secrets", tmp_path / "house"
    secrets.mkdir(mode=0o700)
    house = Compose(docker, secrets, standins.make(docker))
    house("build", timeout_s=BUILD_S)
    (folder / "tools").mkdir(parents=True)
    shutil.copy(CHECKOUT / "tools" / "Caddyfile", folder / "tools")
    text = (CHECKOUT / "docker-compose.yml").read_text()
    free = re.sub(r'ports: \["127\.0\.0\.1:\d+:', 'ports: ["127.0.0.1:0:', text)  # Docker chooses free ones
    (folder / "docker-compose.yml").write_text(free)
    house.files = (str(folder / "docker-compose.yml"),)
    try:
        house.up()
        set_up(house)
        play_round(house, "BJ1", monkeypatch)
        await_that(WAIT_S, lambda: "shares.locked.v1" in house.manage("web", "events", "--type", "shares.locked.v1"))
        await_that(WAIT_S, lambda: "Every invariant holds" in house.manage("web", "books", "--check"))
        house.manage("web", "search", "table:BJ1")  # a line of the access log
        yield house
    finally:
        house("down", "--volumes", "--timeout", "5")
        old = f"{house.env['COMPOSE_PROJECT_NAME']}_postgres"
        subprocess.run(["docker", "volume", "rm", old], env=docker.env, capture_output=True, check=False)


def test_a_house_moves_to_the_newest_version(house: Compose, docker: Docker, tmp_path: Path) -> None:
    dump, override, restore = blocks(PAGE, SECTION)
    [image] = re.findall(r"image: (\S+)", override)
    docker.run("tag", standins.make_newest_postgres(docker), image)
    folder, lines = tmp_path / "house", house.manage("web", "refusal-log", "--json")
    assert "Everything holds." in run(dump, house, folder)
    assert (folder / "digest").read_text().strip()
    (folder / "docker-compose.override.yml").write_text(override)
    house.files = (*house.files, str(folder / "docker-compose.override.yml"))
    assert "Everything holds." in run(restore, house, folder)
    version = house("exec", "-T", "postgres", "psql", "--username=postgres", "-Atc", "SHOW server_version_num")
    assert version.startswith("17")
    project = house.env["COMPOSE_PROJECT_NAME"]
    assert {f"{project}_postgres", f"{project}_postgres-17"} <= set(docker.run("volume", "ls", "--quiet").split())
    assert lines.strip()
    assert house.manage("web", "refusal-log", "--json").startswith(lines)


def run(block: str, house: Compose, folder: Path) -> str:
    """Run a block with the shell in the folder of the house, and return its output."""
    completed = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        cwd=folder,
        env=house.docker.env | house.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=2 * UP_S,
        check=False,
    )
    assert completed.returncode == 0, f"{block}\nended with {completed.returncode}:\n{completed.stdout}"
    return completed.stdout
