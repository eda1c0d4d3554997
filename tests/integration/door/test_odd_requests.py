"""Every port refuses malformed and partial requests in plain words, and writes nothing of them to any log."""

import re
import socket
import struct
import time
from collections.abc import Iterator

import pytest

from tests.integration.door.conftest import ACTIONS, ask, badge_of
from tests.servers.ports import LOOPBACK
from tests.servers.server_base_class import Server

HOST = b"Host: localhost\r\n"
GET = b"GET /healthz HTTP/1.1\r\n" + HOST
BAD_CHUNK = b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"
ODD = {
    "to be a proxy": b"CONNECT localhost:443 HTTP/1.1\r\n" + HOST + b"\r\n",
    "to be a proxy for others": b"CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n",
    "to be a proxy, and at once what is behind": b"CONNECT / HTTP/1.1\r\n" + HOST + b"\r\n\x16\x03\x01aaaa\r\n\r\n",
    "to be a proxy, with a body": b"CONNECT localhost:443 HTTP/1.1\r\n" + HOST + BAD_CHUNK,
    "by a whole address": b"GET http://example.org/healthz HTTP/1.1\r\n" + HOST + b"\r\n",
    "for all": b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n",
    "in a version to come": b"GET /healthz HTTP/9.9\r\n" + HOST + b"\r\n",
    "in HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "without a host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "of two hosts": GET + HOST + b"\r\n",
    "of half a host": b"GET /healthz HTTP/1.1\r\nHost: [::1\r\n\r\n",
    "with a huge header": GET + b"X: " + b"x" * 70_000 + b"\r\n\r\n",
    "with a huge address": b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
    "with percents of nothing": b"GET /live/progressives/%zz%ff%00%ed%a0%80 HTTP/1.1\r\n" + HOST + b"\r\n",
    "in another alphabet": "GET /live/progressives/é HTTP/1.1\r\n".encode() + HOST + b"\r\n",
    "with a query of nothing": b"GET /api/v1/position?within=%ff&position=%zz HTTP/1.1\r\n" + HOST + b"\r\n",
    "for a socket": GET + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n",
    "for an upgrade to anything": GET + b"Connection: Upgrade\r\nUpgrade: x\r\nContent-Length: 4\r\n\r\nabcd",
    "with a length below zero": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: -3\r\n\r\nabc",
    "with two lengths": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    "in chunks of nothing": b"POST / HTTP/1.1\r\n" + HOST + BAD_CHUNK,
    "with a header that is none": GET + b"nonsense\r\n\r\n",
    "with letters of no alphabet": GET + b"Cookie: a=\xff\r\nAuthorization: Bearer \xff\r\nOrigin: http://[\r\n\r\n",
    "in secret": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 100,
    "nothing": b"\x00\x01\r\n\r\n",
    "once, and then nothing": GET + b"\r\n\x00\x01\r\n\r\n",
}
HALF = {
    "half a line": b"GET /healthz HT",
    "half of the headers": b"GET /healthz HTTP/1.1\r\nHost: loc",
    "half a body": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 100\r\n\r\nabc",
    "a body of which some comes": b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    "half an action": f"POST {ACTIONS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {badge_of('dora')}\r\n"
    "Content-Length: 100\r\n\r\n{".encode(),
}


def log_of(server: Server) -> str:
    return (server.folder / "server.log").read_text(errors="replace")


@pytest.fixture(params=["door", "live", "web"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Yield the door, the live process or the pages. Afterwards their log must have no new line about a fault."""
    running: Server = request.getfixturevalue(request.param)
    before = len(log_of(running))
    yield running
    assert ask(running.port, "GET", "/healthz").status == 200
    assert not re.search("Traceback|ERROR|Exception|WARNING", log_of(running)[before:]), log_of(running)[before:]


def raw_answer(server: Server, raw: bytes) -> bytes:
    """Return the answer, up to its end or a moment of silence."""
    with socket.create_connection((LOOPBACK, server.port), timeout=30) as connection:
        connection.sendall(raw)
        connection.shutdown(socket.SHUT_WR)
        try:
            return connection.recv(65_536)
        except ConnectionError:
            return b""


@pytest.mark.parametrize("name", ODD)
def test_a_request_that_is_none_is_refused_in_plain_words(server: Server, name: str) -> None:
    answer = raw_answer(server, ODD[name])
    statuses = rb"200|4\d\d|505|503" if b"/live/" in ODD[name] else rb"200|4\d\d|505"  # no live process runs
    assert not answer or re.match(rb"HTTP/1\.[01] (" + statuses + rb") ", answer), answer
    assert b"Traceback" not in answer


@pytest.mark.parametrize("begun", HALF)
@pytest.mark.parametrize("how", ["quietly", "rudely"])
def test_who_hangs_up_in_the_middle_leaves_nothing(server: Server, begun: str, how: str) -> None:
    with socket.create_connection((LOOPBACK, server.port), timeout=30) as connection:
        connection.sendall(HALF[begun])
        time.sleep(0.05)  # so that it is read before the end comes
        if how == "rudely":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
