"""A tap at the real door: taken beside the desk, signed by the tablet and bound to its table; its state comes after."""

import asyncio
import contextlib
import hashlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.http import HttpResponse
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from backoffice.door import table_screen_entries_to_views
from backoffice.door.http_request_forwarding import ForwardedRequest, Upstream
from backoffice.door.table_screen_entries_to_views import LARGE, AnswerLines, EntryReceiver, device_of
from backoffice.models import BadgeSession, TableDevice
from backoffice.table_screen import device_keys_and_signatures, queued_entry_structs_and_chain
from backoffice.table_screen.table_device_request_views import STATE_QUERY
from events import catalogue
from events.errors import Retry
from events.store import open_store
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House
from tests.support.processes.scratch_databases import as_default, read_models
from tests.support.processes.web_process import DoorProcess, Web
from tests.support.tables.table_device import Tablet, act

TABLETS: dict[str, Tablet] = {}


def put(house: House, table: str) -> Tablet:
    """A tablet that is paired with the table, and dora at it; its cookies are `device-TABLE` and `badge-TABLE`."""
    tablet = Tablet(table)
    tablet.device, tablet.sessions["dealer"] = f"{table}-tablet", f"session-{table}"
    tablet.prev = queued_entry_structs_and_chain.first_digest(tablet.device)
    key, now = device_keys_and_signatures.canonical(tablet.jwk), timezone.now()
    device = TableDevice.objects.create(
        id=tablet.device,
        table=table,
        use="screen",
        secret=f"secret-{table}",
        made_by="paul",
        made_at=now,
        ends_at=now + timedelta(minutes=2),
        public_key=key,
        fingerprint=device_keys_and_signatures.fingerprint(key),
        cookie=hashlib.sha256(f"device-{table}".encode()).hexdigest(),
        last_digest=tablet.prev,
    )
    secret = hashlib.sha256(f"badge-{table}".encode()).hexdigest()
    BadgeSession.objects.create(
        id=f"session-{table}", secret=secret, device=device, person="dora", role="dealer", began_at=now
    )
    about = {"device": device.pk, "table": table, "use": "screen", "key": device.fingerprint}
    house.ok("devices", "", "paul", house.action("device.pair", **about))
    return tablet


def fill(folder: Path, tables: tuple[str, ...] = ("FR1",)) -> None:
    """Open tables, each with a tablet."""
    house = House(open_store(f"sqlite:///{folder}/events.sqlite3"))
    try:
        with read_models(f"sqlite:///{folder}/read.sqlite3") as alias, as_default(alias):
            for table in tables:
                if table != "FR1":
                    house.install(table, "roulette", "roulette-french")
                house.open_table(table)
                TABLETS[table] = put(house, table)
            evening_with_everything.project(house)
    finally:
        house.close()


@contextmanager
def browser(door: DoorProcess, table: str, token: str = "") -> Iterator[httpx.Client]:
    """The tablet's browser, with its token: a new one, or `token`."""
    cookies = {"pitledger_table": f"device-{table}", "pitledger_badges": f"badge-{table}"}
    cookies |= {"csrftoken": token} if token else {}
    with httpx.Client(base_url=f"{door.url}/table/{table}", cookies=cookies, timeout=30, trust_env=False) as http:
        http.headers["X-CSRFToken"] = token or http.get("/state").json()["csrf"]
        http.headers["Referer"] = http.headers["Origin"] = door.url
        yield http


class LatePages(BaseHTTPRequestHandler):
    """A process of the pages that answers with its states once `is_read` is set."""

    is_read = threading.Event()

    def do_GET(self) -> None:
        if self.path.endswith("/state"):
            assert self.is_read.wait(30)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"path": self.path}).encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def web(django_db_blocker: DjangoDbBlocker) -> Iterator[Web]:
    tables = tuple(f"FR{number}" for number in range(1, 9))
    with Web(lambda folder: fill(folder, tables), django_db_blocker) as web:
        yield web


@pytest.fixture(scope="module")
def door(web: Web) -> Iterator[DoorProcess]:
    with DoorProcess(web) as running:
        yield running


@pytest.fixture(scope="module")
def token(door: DoorProcess) -> str:
    with browser(door, "FR1") as http:
        token: str = http.headers["X-CSRFToken"]
        return token


def test_a_tap_is_recorded_in_the_dealer_s_name(door: DoorProcess) -> None:
    tablet = TABLETS["FR1"]
    entry = tablet.entry(act("round.open"))
    with browser(door, "FR1") as http:
        answer = http.post("/queue", json={"entries": [entry]})
        again = http.post("/queue", json={"entries": [entry]})
    assert answer.status_code == 200, answer.text
    [answered] = answer.json()["answers"]
    event = answered["replies"][0]["events"][0]["event"]
    assert (event["type"], event["actor"], event["actordevice"]) == ("round.opened.v1", "dora", tablet.device)
    assert again.json()["answers"] == [answered]
    assert json.loads(entry["body"])["seq"] == 1


def test_another_table_s_door_is_closed_to_it(door: DoorProcess) -> None:
    with browser(door, "FR1") as http:
        answer = http.get(f"{door.url}/table/BJ1/state")
    assert (answer.status_code, answer.json()["title"]) == (403, "Not permitted")


def test_a_foreign_origin_sends_nothing(door: DoorProcess) -> None:
    entry = TABLETS["FR1"].entry(act("x"))
    with browser(door, "FR1") as http:
        http.headers["Origin"] = "https://elsewhere.example"
        assert http.post("/queue", json={"entries": [entry]}).status_code == 403


def test_the_state_of_the_screen_comes_in_a_second_line(door: DoorProcess) -> None:
    entry = TABLETS["FR2"].entry(act("round.open"))
    body = {"entries": [entry], "state_after": True, "group_refusals": True}
    with browser(door, "FR2") as http:
        answer = http.post("/queue", json=body)
        own = http.get("/state?group_refusals=true").json()
    moving = dict.fromkeys(("csrf", "house_time"))
    answers, state = map(json.loads, answer.text.splitlines())
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["X-Accel-Buffering"] == "no", "a proxy passes the first line on at once"
    assert not [name for name in answer.headers if name.startswith("pitledger")]
    assert answers["answers"][0]["status"] == 200, answers
    assert state | moving == own | moving


@pytest.mark.parametrize(("encoding", "table"), [("gzip", "FR3"), ("identity", "FR4")])
def test_the_answers_arrive_before_the_state_is_computed(web: Web, token: str, encoding: str, table: str) -> None:
    LatePages.is_read.clear()
    pages = ThreadingHTTPServer(("127.0.0.1", 0), LatePages)
    threading.Thread(target=pages.serve_forever).start()
    try:
        with DoorProcess(web, PITLEDGER_PAGES_PORT=str(pages.server_port)) as door, browser(door, table, token) as http:
            http.headers["Accept-Encoding"] = encoding
            body = {"entries": [TABLETS[table].entry(act("round.open"))], "state_after": True}
            with http.stream("POST", "/queue", json=body) as answer:
                lines = answer.iter_lines()
                assert json.loads(next(lines))["answers"][0]["state"] == "done"
                LatePages.is_read.set()
                assert json.loads(next(lines)) == {"path": f"/table/{table}/state"}
    finally:
        LatePages.is_read.set()
        pages.shutdown()
        pages.server_close()


def test_a_tap_is_recorded_without_the_process_of_the_pages(web: Web, token: str) -> None:
    with DoorProcess(web, PITLEDGER_PAGES_PORT="1") as alone, browser(alone, "FR5", token) as http:
        answer = http.post("/queue", json={"entries": [TABLETS["FR5"].entry(act("round.open"))], "state_after": True})
    [answers] = map(json.loads, answer.text.splitlines())
    assert answers["answers"][0]["state"] == "done"
    assert answers["last_seq"] == TABLETS["FR5"].seq


class DoorWithShortLimits(DoorProcess):
    """A door whose limits are a second; `hold` lets the views of a table wait."""

    def command(self) -> list[str]:
        return [*super().command()[:-1], "tests.integration.door.door_with_short_limits:door"]


@contextmanager
def held(web: Web, table: str) -> Iterator[None]:
    """The views of a table wait."""
    waits = web.folder / f"{table}-waits"
    waits.touch()
    try:
        yield
    finally:
        waits.unlink()


def code_of(answer: httpx.Response) -> str:
    assert answer.status_code == 503, answer.text
    assert int(answer.headers["Retry-After"]) > 0
    code: str = answer.json()["code"]
    return code


def test_a_view_that_hangs_is_answered_and_keeps_the_places_of_its_device(web: Web, token: str) -> None:
    entries = [TABLETS["FR6"].entry(act("round.open"))]
    with DoorWithShortLimits(web) as door, browser(door, "FR6", token) as http, browser(door, "FR7", token) as other:
        with held(web, "FR6"):
            codes = [code_of(http.post("/queue", json={"entries": entries})) for _ in range(3)]
            assert other.post("/queue", json={"entries": [TABLETS["FR7"].entry(act("round.open"))]}).status_code == 200
        until = time.monotonic() + 60
        while (answer := http.post("/queue", json={"entries": entries})).status_code != 200:
            codes.append(code_of(answer))
            assert time.monotonic() < until
    assert codes[:3] == ["part-silent-within", "part-silent-within", "part-is-full"]
    [answered] = answer.json()["answers"]
    assert answered["state"] == "done"
    opened = [event for event in events_of(web, "FR6") if event.type == "round.opened.v1"]
    assert [event.id for event in opened] == [answered["replies"][0]["events"][0]["event"]["id"]]


def test_a_state_that_does_not_come_ends_the_answer(web: Web, token: str) -> None:
    LatePages.is_read.clear()
    pages = ThreadingHTTPServer(("127.0.0.1", 0), LatePages)
    threading.Thread(target=pages.serve_forever).start()
    try:
        ports = {"PITLEDGER_PAGES_PORT": str(pages.server_port)}
        with DoorWithShortLimits(web, **ports) as door, browser(door, "FR7", token) as http:
            body = {"entries": [TABLETS["FR7"].entry(act("bets.close"))], "state_after": True}
            answer = http.post("/queue", json=body)
    finally:
        LatePages.is_read.set()
        pages.shutdown()
        pages.server_close()
    [answers] = map(json.loads, answer.text.splitlines())
    assert answers["last_seq"] == TABLETS["FR7"].seq


def test_a_long_line_of_answers_comes_whole(door: DoorProcess) -> None:
    tablet = TABLETS["FR8"]
    stakes = [act("bet.place", bet=f"b{n}", wager="red", amount_minor=500, player="p1", seat=1) for n in range(60)]
    entries = [tablet.entry(act("round.open")), *map(tablet.entry, stakes)]
    with browser(door, "FR8") as http:
        answer = http.post("/queue", json={"entries": entries, "state_after": True})
    first, state = answer.text.splitlines()
    assert len(first) > LARGE
    assert [answered["seq"] for answered in json.loads(first)["answers"]] == list(range(1, 62))
    assert json.loads(state)["device"]["last_seq"] == 61


@pytest.mark.parametrize(("size", "is_elsewhere"), [(LARGE, False), (LARGE + 1, True)])
def test_the_event_loop_compresses_no_long_line(
    monkeypatch: pytest.MonkeyPatch, size: int, *, is_elsewhere: bool
) -> None:
    threads: list[int] = []
    sent: list[bytes] = []

    class ThreadNotingLines(AnswerLines):
        """They note the thread of the first line."""

        def first_piece(self, line: bytes) -> bytes:
            threads.append(threading.get_ident())
            return super().first_piece(line)

    def view(environ: dict[str, object], start_response: Any) -> Any:
        start_response("200 OK", [("Content-Type", "application/json"), (STATE_QUERY, "")])
        return HttpResponse(b"x" * size)

    class Proto:
        """The connection, which notes the answer."""

        def response_stream(self, *_: object) -> "Proto":
            return self

        async def send_bytes(self, piece: bytes) -> None:
            sent.append(piece)

    async def answer() -> None:
        receiver = EntryReceiver(Upstream("the pages", "127.0.0.1", 1))
        receiver._django = view
        with contextlib.closing(receiver):
            assert await receiver.answer(request_of("one"), Proto()) is None

    monkeypatch.setattr(table_screen_entries_to_views, "AnswerLines", ThreadNotingLines)
    asyncio.run(answer())
    assert (threads != [threading.get_ident()]) is is_elsewhere
    assert b"".join(sent) == b"x" * size + b"\n"


def events_of(web: Web, table: str) -> list[Any]:
    """The events of a table, as another process reads them."""
    store = open_store(f"sqlite:///{web.folder}/events.sqlite3")
    try:
        return [
            catalogue.decode(event.type, event.raw)
            for event in store.after(0, 1_000_000)
            if f"/tables/{table}/" in event.stream
        ]
    finally:
        store.close()


def test_a_query_in_other_letters_is_read(door: DoorProcess) -> None:
    with browser(door, "FR1") as http, socket.create_connection((http.base_url.host, http.base_url.port)) as line:
        line.sendall("POST /table/FR1/queue?q=\u03b1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n".encode())
        assert line.recv(100).split()[1] == b"403"


def test_one_device_holds_two_threads_at_most() -> None:
    waiting, allowed = threading.Semaphore(0), threading.Event()

    def view(environ: dict[str, object], start_response: Any) -> Any:
        waiting.release()
        assert allowed.wait(30)
        start_response("200 OK", [("Content-Type", "application/json")])
        return HttpResponse(b"{}")

    async def statuses() -> list[int]:
        receiver = EntryReceiver(Upstream("the pages", "127.0.0.1", 1))
        receiver._django = view
        with contextlib.closing(receiver):
            taken = [asyncio.create_task(receiver.answer(request_of("one"), None)) for _ in range(2)]
            taken.append(asyncio.create_task(receiver.answer(request_of("other"), None)))
            for _ in taken:
                assert await asyncio.to_thread(waiting.acquire, timeout=30)
            for again in (request_of("one"), request_of("one", extra="a=b")):
                with pytest.raises(Retry):
                    await receiver.answer(again, None)
            allowed.set()
            answers = [await task for task in taken]
            answers.append(await receiver.answer(request_of("one"), None))
            return [answer.status for answer in answers if answer is not None]

    assert asyncio.run(statuses()) == [200] * 4


def request_of(device: str, extra: str = "", rest: str = "queue") -> ForwardedRequest:
    """A request of a device, by its cookie; `extra` is another cookie."""
    cookies = "; ".join(filter(None, [extra, f"pitledger_table={device}"]))
    return ForwardedRequest(
        "POST", f"/table/FR1/{rest}", "", [("host", "localhost"), ("cookie", cookies)], b"{}", "127.0.0.1"
    )


def test_cookies_make_no_second_device() -> None:
    assert device_of(request_of("one")) == device_of(request_of("one", extra="a=b")) != device_of(request_of("two"))
    assert device_of(request_of("one", extra="__Host-pitledger_table=x")) == device_of(request_of("one")), (
        "it belongs to another address"
    )
    assert device_of(request_of("one", rest="reader")) == device_of(request_of("two", rest="reader")), (
        "a reader signs and has no cookie"
    )
