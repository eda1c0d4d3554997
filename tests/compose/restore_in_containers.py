"""A restore in containers, as the how-tos say it: decisions in the worker, the rest in other containers."""

import json
import re
import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from events.runtime import clock
from events.store import open_store
from tests.compose.conftest import PARTS, Compose
from tests.compose.docker import DockerError
from tests.compose.rounds import await_that
from tests.support.houses.small_house import reopened_house

WAIT_S = 240.0
DUMP = "/tmp/events.dump"


def test_an_older_store_is_accepted_in_the_worker_and_the_house_goes_on(compose: Compose) -> None:
    last = signed(compose)
    in_postgres(compose, "pg_dump", "--username=postgres", "--format=custom", f"--file={DUMP}", "events")
    play(compose)
    await_that(WAIT_S, lambda: signed(compose) > last)
    with stopped(compose):
        put_back(compose)
    with pytest.raises(DockerError, match=r"docker compose exec worker python manage\.py"):
        compose.manage("web", "heads", "--accept-restored", str(last))
    for part in ("worker", "live"):
        with pytest.raises(DockerError, match="ended with 1"):
            compose.manage(part, "verify")
    compose.manage("worker", "heads", "--accept-restored", str(last))
    compose.manage("relay", "relay", "--empty-topic")
    compose.manage("projector", "rebuild", "all", "--approve")
    await_that(WAIT_S, lambda: "Every invariant holds" in output(compose, "web", "books", "--check"))
    for part in ("worker", "web", "live"):
        assert "Everything holds." in compose.manage(part, "verify")
    play(compose)
    await_that(WAIT_S, lambda: signed(compose) > last)
    assert "Everything holds." in compose.manage("worker", "verify")


def test_heads_that_were_emptied_and_signed_anew_contradict_the_signer_s_memory(compose: Compose) -> None:
    """Every container detects an attacker who changes the database without the worker's volume."""
    before = signed(compose)
    in_postgres(compose, "pg_dump", "--username=postgres", "--format=custom", f"--file={DUMP}", "events")
    with stopped(compose):
        for statement in (
            "ALTER TABLE pitledger_heads DISABLE TRIGGER ALL",
            "DELETE FROM pitledger_heads",
            "DELETE FROM pitledger_snapshots",
            "ALTER TABLE pitledger_heads ENABLE TRIGGER ALL",
        ):
            in_postgres(compose, "psql", "--username=postgres", "--dbname=events", "--command", statement)
    for part in ("worker", "web"):
        with pytest.raises(DockerError, match="findings"):
            compose.manage(part, "verify", "--no-read-models")
    await_that(WAIT_S, lambda: "no head: the store or the topic is not what it was" in compose("logs", "worker"))
    with stopped(compose):
        put_back(compose)
    await_that(WAIT_S, lambda: "Everything holds." in output(compose, "web", "verify"))
    assert signed(compose) >= before


def test_the_signer_s_volume_is_the_worker_s_alone_and_its_loss_heals(compose: Compose) -> None:
    project = compose.env["COMPOSE_PROJECT_NAME"]
    users = compose.docker.run("ps", "--all", "--filter", f"volume={project}_keys", "--format", "{{.Names}}").split()
    assert users == [f"{project}-worker-1"]
    with pytest.raises(DockerError, match="Read-only file system"):
        compose("exec", "-T", "web", "touch", "/var/lib/pitledger/keys/heads.pub")
    before = signed(compose)
    compose("rm", "--stop", "--force", "worker")
    compose.docker.run("volume", "rm", f"{project}_keys")
    compose.up()
    play(compose)
    await_that(WAIT_S, lambda: signed(compose) > before)
    assert "Everything holds." in compose.manage("web", "verify")


def signed(compose: Compose) -> int:
    """The number of the last head, as a container that does not sign sees it."""
    text = re.search(r"^\{.*^\}", output(compose, "web", "heads", "--json"), re.DOTALL | re.MULTILINE)
    assert text is not None
    report = json.loads(text[0])
    return int(report["signer"]["number"]) if report["signer"] else 0


def output(compose: Compose, part: str, *words: str) -> str:
    """Return the output of a command, with any exit code."""
    try:
        return compose.manage(part, *words)
    except DockerError as error:
        return str(error)


def play(compose: Compose) -> None:
    """Append one event: grant a new person the role of dealer."""
    with closing(reopened_house(open_store(compose.store_url(), clock.machine))) as house:
        house.grant(f"dealer-{secrets.token_hex(4)}", "dealer")


def in_postgres(compose: Compose, *words: str) -> str:
    return compose("exec", "-T", "postgres", *words)


def put_back(compose: Compose) -> None:
    """The event store as it was dumped, with the owner and the guards that it had."""
    in_postgres(compose, "dropdb", "--username=postgres", "--force", "events")
    made = ("--owner=pitledger_owner", "--template=template0", "--encoding=UTF8", "events")
    in_postgres(compose, "createdb", "--username=postgres", *made)
    in_postgres(compose, "pg_restore", "--username=postgres", "--dbname=events", DUMP)


@contextmanager
def stopped(compose: Compose) -> Iterator[None]:
    """Stop all parts during the block; the servers continue."""
    compose("stop", "--timeout", "10", *PARTS)
    yield
    compose("start", *PARTS)
    compose.await_health()
