"""A trace goes from the request to the page. OpenTelemetry is loaded only where traces are configured."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from pytest_django.plugin import DjangoDbBlocker

from events.relay.topic_records import encoded, headers
from events.runtime import tracing
from events.store import Stored, open_store
from tests.integration.door.conftest import ACTIONS, badge_of, let_in
from tests.integration.system.running_house import Installation, Up, installation
from tests.restores.test_backup_page import PeopleAtWork
from tests.support.processes.relays_and_topic_readers import within

STEPS = {"request", "append", "relay", "project", "page"}
RAW = b'{"specversion":"1.0","source":"athens","recordedat":"2026-11-20T18:00:00.000Z"}'


class Collector(ThreadingHTTPServer):
    """An OTLP collector on loopback, which keeps spans by name."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, Span]] = []
        super().__init__(("127.0.0.1", 0), ExporterPostHandler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class ExporterPostHandler(BaseHTTPRequestHandler):
    """Receives the posts of the exporters."""

    server: Collector

    def do_POST(self) -> None:
        body = ExportTraceServiceRequest.FromString(self.rfile.read(int(self.headers["Content-Length"])))
        for group in body.resource_spans:
            part = next(pair.value.string_value for pair in group.resource.attributes if pair.key == "pitledger.part")
            self.server.spans += [(part, span) for scope in group.scope_spans for span in scope.spans]
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()


def test_a_trace_goes_from_the_request_to_the_page(
    collector: Collector, tmp_path: Path, free_port: Callable[[], int], django_db_blocker: DjangoDbBlocker
) -> None:
    data = tmp_path / "house"
    data.mkdir()
    settings = {"STORE": f"sqlite:///{data}/events.sqlite3", "TRACES": collector.url}
    with installation(data, free_port(), **settings) as here:
        with closing(open_store(here.env["PITLEDGER_STORE"])) as store:
            store.create()
        PeopleAtWork(here).close()  # whoever works there, and a table
        with django_db_blocker.unblock():
            let_in(data)
        up = Up(here, "--without", "live", "worker", "beat").wait_until_up()
        position = _buys(here)
        with closing(open_store(here.env["PITLEDGER_STORE"])) as store:
            [event] = store.after(position - 1, 1)
        trace = tracing.place("append", event.raw).trace.to_bytes(16)

        def spans() -> dict[str, tuple[str, Span]]:
            httpx.get(f"{here.url}/sign-in", timeout=60.0)
            return {span.name: (part, span) for part, span in collector.spans if span.trace_id == trace}

        within(lambda: set(spans()) == STEPS, "a step has no span", 60.0)
        spans_ = spans()
        assert up.stop() == 0
    assert {name: part for name, (part, _) in spans_.items()} == {
        "request": "web", "append": "web", "relay": "relay", "project": "projector", "page": "pages",
    }  # fmt: skip
    above = {span.span_id: name for name, (_, span) in spans_.items()}
    assert {name: above.get(span.parent_span_id, "") for name, (_, span) in spans_.items()} == {
        "request": "", "append": "request", "relay": "append", "project": "relay", "page": "project",
    }  # fmt: skip


def _buys(here: Installation) -> int:
    """A buy-in through the door; its position."""
    action = {"type": "buyin.make", "key": "one", "data": {"seat": 1, "player": "p-1", "amount_minor": 100}}
    badge = {"Authorization": f"Bearer {badge_of('dora')}"}
    answer = httpx.post(f"{here.url}{ACTIONS}", json=action, headers=badge, timeout=60.0)
    assert answer.status_code == 200, answer.text
    return int(answer.json()["position"])


def test_a_record_carries_the_trace_beside_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    event = Stored(7, "athens/FR1/2026-11-20", 3, "bet.placed.v1", RAW)
    plain = encoded([event], 6, b"0.abc")
    monkeypatch.setattr(tracing, "is_on", lambda: True)
    traced = encoded([event], 6, b"0.abc")
    header = tracing.place("relay", RAW).header
    assert header.encode() in traced
    assert header.encode() not in plain
    assert RAW in traced
    assert RAW in plain
    assert len(headers(event, 6, b"0.abc")) == 5
    assert tracing.parsed(header) == tracing.place("relay", RAW)
    assert tracing.parsed("00-nothing") is None


def test_nothing_of_it_is_loaded_where_nobody_asked_for_traces(tmp_path: Path) -> None:
    looks = "import sys, backoffice.running.status_reports_of_parts_into_database as r; "
    looks += "from events.runtime import tracing; tracing.begin('web'); "
    looks += "assert not tracing.is_on(); assert not [m for m in sys.modules if m.startswith('opentelemetry')]"
    environment = {"PITLEDGER_DATA": str(tmp_path), "PATH": ""}
    root = Path(__file__).parents[3]
    completed = subprocess.run(
        [sys.executable, "-c", looks], cwd=root, env=environment, capture_output=True, check=False
    )
    assert completed.returncode == 0, completed.stderr.decode()
