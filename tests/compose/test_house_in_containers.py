"""docker-compose.yml builds, starts, plays, survives crashes and keeps everything over down and up."""

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from backoffice import passes
from docs.clients import pitledger_client
from docs.clients.pitledger_client import Client, Wire
from tests.compose.conftest import PARTS, SERVERS, TABLES, Compose
from tests.compose.docker import DockerError
from tests.integration.door.test_recipes import KEYS, blocks
from tests.integration.door.test_recipes import TABLES as RECIPES

IMAGE_MAX = 300 * 1_000_000  # bytes above the base image
LOCKED_S = 60.0


def test_every_container_is_healthy_and_bounded(compose: Compose) -> None:
    assert compose.states() == dict.fromkeys((*PARTS, *SERVERS), "healthy")
    for part in PARTS:
        host = compose.container(part)["HostConfig"]
        assert (host["ReadonlyRootfs"], host["CapDrop"], host["Memory"] > 0) == (True, ["ALL"], True)
    assert compose("exec", "-T", "web", "id", "-u").strip() == "10001"
    assert httpx.get(f"{compose.address()}/healthz").json() == {"status": "ok"}


def test_a_secret_is_only_where_it_is_needed(compose: Compose) -> None:
    values = {name: compose.secret(name) for name in ("db_password", "secret_key", "head_key", "db_owner_password")}
    for part in PARTS:
        environment = " ".join(compose.container(part)["Config"]["Env"])
        assert not [name for name, value in values.items() if value in environment], part
    for part, without in {"relay": "head_key", "live": "head_key", "web": "db_owner_password"}.items():
        assert without not in compose("exec", "-T", part, "ls", "/run/secrets").split()


def test_the_role_of_the_house_cannot_touch_the_guards(compose: Compose) -> None:
    def sql(statement: str) -> str:
        word = compose.secret("db_password")
        psql = ("psql", "--set=ON_ERROR_STOP=1", f"postgresql://pitledger:{word}@127.0.0.1/events", "-Atc", statement)
        return compose("exec", "-T", "postgres", *psql).strip()

    assert sql("SELECT rolsuper FROM pg_roles WHERE rolname = current_user") == "f"
    assert int(sql("SELECT count(*) FROM pitledger_events")) > 0
    for statement in (
        "ALTER TABLE pitledger_events DISABLE TRIGGER ALL",
        "DROP TRIGGER pitledger_events_refuse ON pitledger_events",
        "DELETE FROM pitledger_events",
        "TRUNCATE pitledger_events",
        "SET session_replication_role = replica",
    ):
        with pytest.raises(DockerError, match=r"must be owner|is never edited|permission denied"):
            sql(statement)


@pytest.mark.parametrize("table", RECIPES)
def test_a_round_of_each_game_is_played(compose: Compose, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"HOUSE": compose.address(), "TABLE": table, "DAY": datetime.now(UTC).date().isoformat()}
    given |= {"INSPECTOR": compose.badges["ines"], "DEALER": compose.badges["dora"], "NO_COMMISSION": "BA2"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(sys.modules, "pitledger_client", pitledger_client)
    names: dict[str, Any] = {}
    page = RECIPES[table][0]
    *begin, last = blocks(page)
    for block in begin:
        exec(compile(block, page, "exec"), names)  # noqa: S102 - what the page tells the reader to run
    _agree(compose, table, names["inspector"].layout(table))
    exec(compile(last, page, "exec"), names)  # noqa: S102 - the same
    assert names["inspector"].layout(table)["round"] == 2
    names["house"].wire.close()


def test_the_jackpot_was_locked_by_the_worker(compose: Compose) -> None:
    _within(LOCKED_S, lambda: "shares.locked.v1" in compose.manage("web", "events", "--type", "shares.locked.v1"))


def test_the_books_hold_and_the_pages_know_of_a_verification_elsewhere(compose: Compose) -> None:
    _within(LOCKED_S, lambda: "Every invariant holds" in compose.manage("web", "books", "--check"))
    assert "Everything holds." in compose.manage("worker", "verify")
    asked = "import django; django.setup(); from backoffice.queries.integrity import integrity; print(integrity().last)"
    django = ("--env", "DJANGO_SETTINGS_MODULE=backoffice.settings")
    assert compose("exec", "-T", *django, "pages", "python", "-c", asked).startswith("Verification(")


def test_killed_parts_come_back_and_nothing_is_lost(compose: Compose) -> None:
    before = compose.manage("web", "books", "--digest")
    for service in ("relay", "projector", "worker", "web", "pages", "kafka"):
        compose.kill(service)
    compose.await_health()
    assert compose.manage("web", "books", "--digest") == before
    assert "Everything holds." in compose.manage("worker", "verify")


def test_down_and_up_keeps_everything(compose: Compose) -> None:
    before = compose.manage("web", "books", "--digest")
    compose("down", "--timeout", "10")
    compose.up()
    assert compose.manage("web", "books", "--digest") == before
    assert "Everything holds." in compose.manage("worker", "verify")
    assert set(TABLES) <= set(compose.manage("web", "events", "--type", "table.installed.v1").replace('"', " ").split())


def test_the_image_is_small(compose: Compose) -> None:
    size = int(compose.docker.run("inspect", "--format", "{{.Size}}", compose.env["PITLEDGER_IMAGE"]))
    base = int(compose.docker.run("inspect", "--format", "{{.Size}}", compose.env["PITLEDGER_IMAGE_PYTHON"]))
    assert 0 < size - base < IMAGE_MAX


def _agree(compose: Compose, table: str, layout: Any) -> None:
    """Give the approval of every key holder to the requests that wait at a table, as the pages send it."""
    for number, waiting in enumerate(layout["requests"]):
        for person in KEYS:
            wire = Wire(compose.address(), patience_s=0.0)
            shown = passes.to_act(person, time.time(), compose.secret("secret_key"))
            data = {"request": waiting["request"], "content": waiting["content"]}
            action: Any = {"type": "approval.give", "key": f"{table}-{person}-{number}", "data": data}
            Client(compose.address(), shown, wire=wire, scheme=passes.SCHEME).act_tables(table, [action])
            wire.close()


def _within(seconds: float, holds: Callable[[], bool]) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, f"not within {seconds:g} s"
        time.sleep(1.0)
