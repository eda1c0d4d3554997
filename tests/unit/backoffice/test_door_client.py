"""The client of the door: it keeps a connection, opens another one after a break, and names the missing socket."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from backoffice.http import door_client
from backoffice.http.door_client import DoorClient

BODY = b"{}"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Server:
    """A server that answers each request with the next of `answers`; None closes the connection instead."""

    def __init__(self) -> None:
        self.answers: list[bytes | None] = []
        self.requests: list[bytes] = []
        self.connections = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _address = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            while request := _request(connection):
                self.requests.append(request)
                answer = self.answers.pop(0) if self.answers else ANSWER
                if answer is None:
                    return
                connection.sendall(answer)

    def close(self) -> None:
        self._socket.close()


def _request(connection: socket.socket) -> bytes:
    """The next whole request, which ends with the body of `post`; nothing after the last one."""
    request = b""
    while not request.endswith(BODY) and (piece := connection.recv(65_536)):
        request += piece
    return request


@pytest.fixture
def server() -> Iterator[Server]:
    with closing(Server()) as server:
        yield server


@pytest.fixture
def client(server: Server) -> Iterator[DoorClient]:
    with closing(DoorClient("127.0.0.1", server.port, within_s=0.5)) as client:
        yield client


def post(client: DoorClient) -> door_client.DoorAnswer:
    return client.post("/api", content=BODY, headers={"Authorization": "Pass x"})


def test_requests_one_after_the_other_share_a_connection(server: Server, client: DoorClient) -> None:
    answers = [post(client) for _ in range(3)]
    assert [(answer.status_code, answer.content) for answer in answers] == [(200, b"ok")] * 3
    assert server.connections == 1
    assert b"Host: localhost\r\n" in server.requests[0]
    assert b"Authorization: Pass x\r\n" in server.requests[0]


def test_a_connection_that_was_unused_for_long_is_not_used_again(
    server: Server, client: DoorClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    post(client)
    monkeypatch.setattr(door_client, "IDLE_S", 0.0)
    post(client)
    assert server.connections == 2


def test_the_next_request_after_a_break_has_a_new_connection(server: Server, client: DoorClient) -> None:
    post(client)
    for broken in (None, b"no answer\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"):
        server.answers = [broken]
        with pytest.raises((ConnectionError, TimeoutError)):
            post(client)
        assert post(client).content == b"ok"
    assert server.connections == 4


def test_a_door_that_does_not_answer_is_a_timeout(server: Server, client: DoorClient) -> None:
    server.answers = [b""]
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        post(client)
    assert time.monotonic() - began < 5


def test_a_closed_door_is_a_connection_error(server: Server, client: DoorClient) -> None:
    server.close()
    with closing(DoorClient("127.0.0.1", _unused_port(), within_s=0.5)) as elsewhere, pytest.raises(ConnectionError):
        post(elsewhere)


def _unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])
