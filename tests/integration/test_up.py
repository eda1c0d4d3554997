"""`./manage.py up`: it stops cleanly and soon, runs once in a data folder, and names a port that is in use."""

import shutil
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.integration.system.running_house import Installation, Up, installation
from tests.servers import free_port
from tests.support.processes.relays_and_topic_readers import within

SOON_S = 60.0  # the machine may be busy


@pytest.fixture
def here(tmp_path: Path, free_port: Callable[[], int]) -> Iterator[Installation]:
    """An installation with an empty data folder."""
    data = tmp_path / "data"
    data.mkdir()
    with installation(data, free_port()) as installed:
        yield installed


def test_ctrl_c_stops_everything_within_seconds_and_a_second_up_is_refused_meanwhile(here: Installation) -> None:
    up = Up(here).wait_until_up()
    pids = {name: here.pid(name) for name in here.names}
    assert None not in pids.values(), pids
    assert httpx.get(f"{here.url}/healthz", timeout=60.0).status_code == 200
    second = here.manage("up")
    assert second.returncode == 1
    assert f"Pitledger is already up on {here.data} (process {up.process.pid})" in second.stderr
    assert {name: here.pid(name) for name in here.names} == pids, "the first one was disturbed"
    began = time.monotonic()
    assert up.stop(signal.SIGINT) == 0, up.output()[-3_000:]
    assert time.monotonic() - began < SOON_S
    assert here.left() == {}
    assert not list((here.data / "run").glob("*.pid"))
    assert "Traceback" not in up.output()
    assert "SecurityWarning" not in up.output()  # which Celery has for root


def test_of_two_that_start_together_one_gets_the_port(here: Installation, tmp_path: Path) -> None:
    data = tmp_path / "other"
    data.mkdir()
    with installation(data, here.port) as there:
        ups = [Up(house, "--only", "broker", "web") for house in (here, there)]
        within(lambda: any(up.process.poll() is not None for up in ups), "both run", SOON_S)
        loser, winner = sorted(ups, key=lambda up: up.process.poll() is None)
        assert loser.process.returncode == 1
        assert f"port {here.port} is in use" in loser.output()
        assert winner.wait_until_up().stop() == 0


def test_a_port_in_use_is_refused_before_anything_starts(here: Installation) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", here.port))
        taken.listen()
        completed = here.manage("up")
    assert completed.returncode == 1
    assert f"port {here.port} is in use: choose another one by PITLEDGER_WEB_PORT or --port" in completed.stderr
    assert "Traceback" not in completed.stderr
    assert here.left() == {}


def test_a_copy_of_a_running_house_leaves_it_alone(here: Installation, tmp_path: Path) -> None:
    """On the same port it is refused before it ends any process. On another port it runs with the original."""
    up = Up(here, "--only", "broker", "web").wait_until_up()
    pids = {name: here.pid(name) for name in ("broker", "web")}
    copied = tmp_path / "copied"
    shutil.copytree(here.data, copied)
    with installation(copied, here.port) as copy:
        refused = copy.manage("up", "--only", "broker", "web")
        assert refused.returncode == 1
        assert f"port {here.port} is in use" in refused.stderr
    with installation(copied, free_port()) as copy:
        second = Up(copy, "--only", "broker", "web").wait_until_up()
        assert {name: here.pid(name) for name in pids} == pids
        assert "that an earlier run left" not in second.output()
        assert second.stop() == 0
    assert up.stop() == 0


def test_an_unknown_process_is_refused_by_name(here: Installation) -> None:
    completed = here.manage("up", "--only", "relais")
    assert completed.returncode == 2
    assert f"no such process: relais (there are {', '.join(sorted(here.names))})" in completed.stderr
