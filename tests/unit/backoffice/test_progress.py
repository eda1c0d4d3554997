"""The health check of a container."""

import os
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from backoffice.running import container_health_check


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    return tmp_path


def beat(folder: Path, name: str, seconds_ago: float) -> None:
    path = folder / "run" / f"{name}.beat"
    path.touch()
    at = time.time() - seconds_ago
    os.utime(path, (at, at))


def test_a_part_is_healthy_while_it_beats(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert container_health_check.main(["relay", str(folder / "run")]) == 1
    beat(folder, "relay", 5)
    assert container_health_check.main(["relay", str(folder / "run")]) == 0
    beat(folder, "relay", 90)
    assert container_health_check.main(["relay", str(folder / "run")]) == 1
    assert capsys.readouterr().out == "relay has not started its work\nrelay gave no sign of life for 90 s\n"


@pytest.mark.parametrize(("status", "code"), [(200, 0), (404, 0), (503, 1)])
def test_a_part_that_serves_is_healthy_while_it_answers(status: int, code: int) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        assert container_health_check.main(["--port", str(server.server_port)]) == code
        thread.join()


def test_a_port_on_which_nothing_listens_is_not_healthy() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        assert container_health_check.main(["--port", str(taken.getsockname()[1])]) == 1
