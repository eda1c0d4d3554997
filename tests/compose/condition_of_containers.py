"""The condition of a house in containers: parts are killed, hang, pause or stop, and servers become unreachable.

`/healthz`, `/metrics` and the System page name each problem and its remedy, and report when all is well again. Docker
restarts a part that hangs.
"""

import json
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import httpx
import pytest

from tests.compose.conftest import PARTS, SECRETS, Compose
from tests.compose.observer import Administrator, Observer, await_well
from tests.compose.restore_in_containers import play
from tests.compose.rounds import await_that

WAIT_S = 240.0
# The parts that serve are asked meanwhile, and break in tests of their own.
BROKEN = ("relay", "projector", "worker", "beat", "live")


@pytest.fixture(scope="module")
def observer(compose: Compose) -> Observer:
    """A program with the token, in a house that is well."""
    observer = Observer(compose)
    await_well(observer, WAIT_S)
    return observer


@pytest.fixture(scope="module")
def administrator(compose: Compose) -> Iterator[Administrator]:
    """The administrator, signed in."""
    with closing(Administrator(compose)) as administrator:
        yield administrator


def test_each_container_that_serves_says_how_the_whole_house_is(compose: Compose, observer: Observer) -> None:
    for part in ("web", "pages", "live"):
        assert observer.health(part) == {"status": "ok"}
    for part in ("web", "pages"):
        gauges = observer.metrics(part)
        assert {part: gauges[f"pitledger_part_up {part}"] for part in PARTS} == dict.fromkeys(PARTS, 1.0)
        servers = ("store", "read", "kafka", "task broker")
        assert {server: gauges[f"pitledger_server_up {server}"] for server in servers} == dict.fromkeys(servers, 1.0)
        assert gauges["pitledger_healthy"] == 1.0
        assert gauges["pitledger_store_position"] > 0
    assert httpx.get(f"{compose.address()}/metrics").status_code == 403


def test_the_administrator_sees_every_part_and_server(administrator: Administrator, observer: Observer) -> None:
    page = administrator.page("/system")
    for text in (*(f"{part} Running" for part in PARTS), "Event store Answers", "Kafka Answers", "No problems"):
        assert text in page, page


@pytest.mark.parametrize("way", ["killed", "paused", "stopped", "hung"])
def test_parts_that_do_no_work_are_named_everywhere(
    compose: Compose, observer: Observer, administrator: Administrator, way: str
) -> None:
    restarts = {part: compose.container(part)["RestartCount"] for part in BROKEN}
    state, words = ("stopped", "Stopped") if way == "stopped" else ("silent", "No progress")
    with broken(compose, way):
        play(compose)  # an event that nobody reads meanwhile
        seen: set[str] = set()
        until = time.monotonic() + WAIT_S
        while missing := {f"{place} {part}" for place in ("health", "metrics", "System") for part in BROKEN} - seen:
            assert time.monotonic() < until, missing
            seen |= {f"health {part}" for part in BROKEN if f"{part} {state}" in observer.problems()}
            gauges, page = observer.metrics(), administrator.page("/system")
            seen |= {f"metrics {part}" for part in BROKEN if gauges.get(f"pitledger_part_up {part}") == 0.0}
            seen |= {f"System {part}" for part in BROKEN if f"{part} {words}" in page}
            time.sleep(1.0)
        assert observer.health()["status"] == "degraded"
        if way != "hung":  # by now Docker may have started some of them again
            gauges = observer.metrics()
            assert (gauges["pitledger_part_up web"], gauges["pitledger_healthy"]) == (1.0, 0.0)
            assert gauges["pitledger_projection_lag_events floor"] > 0
            assert "event behind" in administrator.page("/system")
    await_well(observer, WAIT_S)
    if way == "hung":
        assert all(compose.container(part)["RestartCount"] > restarts[part] for part in BROKEN)
    assert "No problems" in administrator.page("/system")
    assert "Every invariant holds" in compose.manage("web", "books", "--check")


@contextmanager
def broken(compose: Compose, way: str) -> Iterator[None]:
    """Break the parts for the duration of the block. Docker itself restarts the parts that hang."""
    if way == "hung":
        for part in BROKEN:
            compose.hang(part)
        yield
        return
    containers = [compose.container(part)["Id"] for part in BROKEN]
    if way == "killed":
        compose.docker.run("update", "--restart", "no", *containers)  # a crash that is not mended at once
        for part in BROKEN:
            compose.kill(part)
    else:
        compose({"paused": "pause", "stopped": "stop"}[way], *BROKEN)
    try:
        yield
    finally:
        compose("unpause" if way == "paused" else "start", *BROKEN)
        compose.docker.run("update", "--restart", "unless-stopped", *containers)


@pytest.mark.parametrize(("part", "witnesses"), [("pages", ("web", "live")), ("web", ("pages", "live"))])
def test_a_part_that_serves_and_hangs_is_named_by_the_others_and_started_again(
    compose: Compose, observer: Observer, part: str, witnesses: tuple[str, ...]
) -> None:
    before = compose.container(part)["RestartCount"]
    compose.hang(part)
    seen: set[str] = set()
    until = time.monotonic() + WAIT_S
    while set(witnesses) - seen:
        assert time.monotonic() < until, seen
        seen |= {witness for witness in witnesses if f"{part} silent" in observer.problems(witness)}
        time.sleep(1.0)
    await_that(WAIT_S, lambda: compose.container(part)["RestartCount"] > before)
    compose.await_health()
    await_well(observer, WAIT_S)


@pytest.mark.parametrize(("server", "name"), [("kafka", "kafka"), ("redis", "task broker")])
def test_a_broker_that_is_away_is_named(
    compose: Compose, observer: Observer, administrator: Administrator, server: str, name: str
) -> None:
    compose("stop", "--timeout", "5", server)
    try:
        await_that(WAIT_S, lambda: f"{name} away" in observer.problems())
        assert observer.metrics()[f"pitledger_server_up {name}"] == 0.0
        assert "Does not answer" in administrator.page("/system")
    finally:
        compose("start", server)
    await_well(observer, WAIT_S)


def test_databases_that_are_away_are_said_and_no_part_is_restarted_for_them(
    compose: Compose, observer: Observer
) -> None:
    before = {part: compose.container(part)["RestartCount"] for part in PARTS}
    compose("stop", "--timeout", "5", "postgres")
    try:
        served = ("web", "pages", "live")
        await_that(WAIT_S, lambda: {observer.health(part)["status"] for part in served} == {"degraded"})
    finally:
        compose("start", "postgres")
    await_well(observer, WAIT_S)
    assert {part: compose.container(part)["RestartCount"] for part in PARTS} == before


def test_every_part_logs_json_on_request_and_no_secret(compose: Compose) -> None:
    compose.env["PITLEDGER_LOG"] = "json"
    try:
        compose.up()
        compose("stop", "--timeout", "5", "kafka", "redis")  # so that the parts that need them say so
        await_that(WAIT_S, lambda: all(logged(compose, part) for part in ("relay", "worker", "beat")))
        compose("start", "kafka", "redis")
        compose.await_health()
        compose("restart", "--timeout", "10", *PARTS)  # a part that stops says so
        compose.await_health()
        lines = {part: logged(compose, part) for part in PARTS}
        assert {part for part in PARTS if not lines[part]} == set()
        assert "the store or the topic is not what it was" not in "".join(lines["beat"])  # it is not the signer
        secrets = [compose.secret(name) for name in SECRETS]
        for part in PARTS:
            for line in lines[part]:
                entry = json.loads(line)
                assert {"time", "level", "message"} <= entry.keys(), (part, line)
                assert entry["part"] == part
                assert not [secret for secret in secrets if secret in line], part
    finally:
        del compose.env["PITLEDGER_LOG"]
        compose.up()


def logged(compose: Compose, part: str) -> list[str]:
    """Return the lines that a part has logged since it was made."""
    return compose("logs", "--no-log-prefix", "--no-color", part).splitlines()
