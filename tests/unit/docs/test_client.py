"""The client in Python that the documentation hands out: typed, one file, and it says everything again until it is
answered."""

import ast
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from backoffice.openapi import action_interface_openapi_document as openapi
from docs.clients.pitledger_client import Client, NoAnswer, Refused, RoundOpen, Wire
from tools.documents import python_client_generation

ROOT = Path(__file__).parents[3]
FILE = ROOT / "docs" / python_client_generation.PATH
KEY = "FR1:2026-11-21:1"


class PreparedAnswerHandler(BaseHTTPRequestHandler):
    """A server that gives the prepared answers in turn, and keeps the requests."""

    protocol_version = "HTTP/1.1"
    answers: ClassVar[list[tuple[int, dict[str, Any], dict[str, str]]]] = []
    requests: ClassVar[list[tuple[str, str | None, str | None, bytes]]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        about = (self.path, self.headers.get("Authorization"), self.headers.get("Pitledger-Device"), body)
        self.requests.append(about)
        status, answer, headers = self.answers.pop(0)
        content = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST

    def log_message(self, *_: object) -> None:
        """Silent."""


@pytest.fixture
def at() -> Iterator[str]:
    PreparedAnswerHandler.answers.clear()
    PreparedAnswerHandler.requests.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), PreparedAnswerHandler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def client(at: str, patience_s: float = 60.0) -> Iterator[Client]:
    wire = Wire(at, patience_s=patience_s, pause_s=0.01)
    yield Client(at, wire=wire).by("badge", "device")
    wire.close()


def test_it_needs_nothing_but_python() -> None:
    modules = {
        name.partition(".")[0]
        for node in ast.walk(ast.parse(FILE.read_text()))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert modules <= sys.stdlib_module_names | {"__future__"}
    subprocess.run([sys.executable, "-I", str(FILE)], check=True, cwd="/")


def test_every_operation_has_its_method() -> None:
    names = {
        operation["operationId"].replace("-", "_")
        for verbs in openapi.build()["paths"].values()
        for operation in verbs.values()
    }
    assert names <= set(dir(Client))
    assert len(names) > 10


def test_every_schema_has_its_type() -> None:
    text = FILE.read_text()
    for name in openapi.build()["components"]["schemas"]:
        kind = python_client_generation.class_name(name)
        assert (
            name.endswith(".actions")
            or f"\nclass {kind}(TypedDict)" in text
            or f"\n{kind}: TypeAlias" in text
            or (f"\n{kind} = TypedDict" in text)
        ), name


def test_what_is_not_answered_is_said_again_with_the_same_bytes(at: str) -> None:
    done = {"position": 7, "answers": []}
    PreparedAnswerHandler.answers += [(503, {"title": "Not yet"}, {"Retry-After": "1"}), (502, {}, {}), (200, done, {})]
    opened: RoundOpen = {"type": "round.open", "key": KEY, "data": {}}
    with client(at) as house:
        assert house.act_tables("FR 1/2", [opened], gaming_day="2026-11-21") == done
        assert house.wire.repeated == 2
    first, *others = PreparedAnswerHandler.requests
    assert others == [first, first]
    path, badge, device, body = first
    assert path == "/api/v1/tables/FR%201%2F2/actions?gaming_day=2026-11-21"
    assert (badge, device) == ("Bearer badge", "device")
    assert json.loads(body) == {"mode": "atomic", "actions": [opened]}


def test_a_refusal_is_not_repeated_and_keeps_its_clause(at: str) -> None:
    problem = {"status": 422, "title": "A rule forbids this", "detail": "at most 10000", "clause": "roulette I.1"}
    PreparedAnswerHandler.answers.append((422, problem, {}))
    message = r"422 A rule forbids this: at most 10000 \(roulette I\.1\)"
    with client(at) as house, pytest.raises(Refused, match=message) as refused:
        house.read_tables()
    assert refused.value.problem == problem
    assert len(PreparedAnswerHandler.requests) == 1


def test_patience_ends(at: str) -> None:
    PreparedAnswerHandler.answers += [(503, {"title": "Not yet"}, {})] * 1_000
    with client(at, patience_s=0.05) as house, pytest.raises(NoAnswer, match="Not yet"):
        house.read_position(at_least=3, within=None)
    assert {path for path, *_ in PreparedAnswerHandler.requests} == {"/api/v1/position?at_least=3"}


def test_a_house_that_is_away_is_waited_for() -> None:
    with client("http://127.0.0.1:9", patience_s=0.05) as house, pytest.raises(NoAnswer, match="refused"):
        house.layout("FR1")
