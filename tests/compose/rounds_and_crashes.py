"""A house in containers: a round of each game, crashes of every part and server, down and up, the image's size."""

import json

import pytest

from tests.compose.conftest import PARTS, SERVERS, TABLES, Compose
from tests.compose.rounds import await_that, play_round
from tests.integration.door.test_recipes import TABLES as RECIPES

IMAGE_MAX = 300 * 1_000_000  # bytes above the base image
ENDED_S = 240.0  # for a health check to end a part whose progress has stopped, on a busy machine


@pytest.mark.parametrize("table", RECIPES)
def test_a_round_of_each_game_is_played(compose: Compose, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not compose.manage("web", "events", "--type", "round.opened.v1", "--table", table).strip():
        play_round(compose, table, monkeypatch)


def test_killed_parts_come_back_and_nothing_is_lost(compose: Compose) -> None:
    before = compose.manage("web", "books", "--digest")
    for service in (*PARTS, *SERVERS):
        compose.kill(service)
    compose.await_health()
    assert compose.manage("web", "books", "--digest") == before
    assert "Everything holds." in compose.manage("worker", "verify")


@pytest.mark.parametrize("part", ["relay", "projector"])
def test_a_part_that_hangs_is_ended_and_comes_back(compose: Compose, part: str) -> None:
    before = compose.container(part)["RestartCount"]
    compose.hang(part)
    await_that(ENDED_S, lambda: compose.container(part)["RestartCount"] > before)
    compose.await_health()
    await_that(ENDED_S, lambda: "Every invariant holds" in compose.manage("web", "books", "--check"))


def test_a_container_for_one_command_migrates_nothing_anew(compose: Compose) -> None:
    assert "dora" in compose("run", "--rm", "web", "python", "manage.py", "people", "list")
    assert "no migrations to apply" in compose("logs", "migrate")


def test_a_projection_is_rebuilt_in_the_projector(compose: Compose) -> None:
    assert "equal to the live one" in compose.manage("projector", "rebuild", "tables")


def test_down_and_up_keeps_everything(compose: Compose) -> None:
    before, volumes = compose.manage("web", "books", "--digest"), compose.docker.run("volume", "ls", "--quiet")
    compose("down", "--timeout", "10")
    compose.up()
    assert compose.manage("web", "books", "--digest") == before
    assert compose.docker.run("volume", "ls", "--quiet") == volumes  # none is left behind, none is made anew
    assert "Everything holds." in compose.manage("worker", "verify")
    assert set(TABLES) <= set(compose.manage("web", "events", "--type", "table.installed.v1").replace('"', " ").split())


def test_the_image_is_small(compose: Compose) -> None:
    size = int(compose.docker.run("inspect", "--format", "{{.Size}}", compose.env["PITLEDGER_IMAGE"]))
    base = int(compose.docker.run("inspect", "--format", "{{.Size}}", compose.env["PITLEDGER_IMAGE_PYTHON"]))
    assert 0 < size - base < IMAGE_MAX


def test_the_image_holds_its_bill_of_materials(compose: Compose) -> None:
    bill = json.loads(compose("exec", "-T", "web", "cat", "sbom.cdx.json"))
    assert "django" in {component["name"].lower() for component in bill["components"]}
