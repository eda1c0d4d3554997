"""The client of the door: it keeps a connection, opens another one after a break, and names the missing socket."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection

import pytest

from backoffice.http import http_client_to_door
from backoffice.http.http_client_to_door import DoorClient

BODY = b"{}"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class PreparedAnswerServer:
    """A server that answers each request with the next of `answers`.

    It closes the connection after an answer of less than a whole one, and instead of an answer for None.
    """

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
                if answer and answer != ANSWER:
                    return

    def close(self) -> None:
        self._socket.close()


def _request(connection: socket.socket) -> bytes:
    """The next whole request, which ends with the body of `post`; nothing after the last one."""
    request = b""
    while not request.endswith(BODY) and (piece := connection.recv(65_536)):
        request += piece
    return request


@pytest.fixture
def server() -> Iterator[PreparedAnswerServer]:
    with closing(PreparedAnswerServer()) as server:
        yield server


@pytest.fixture
def client(server: PreparedAnswerServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[DoorClient]:
    """Return a client whose time is too long for a busy machine to matter."""
    monkeypatch.setattr(http_client_to_door, "IDLE_S", 3_600.0)
    with closing(DoorClient("127.0.0.1", server.port, within_s=60)) as client:
        yield client


def post(client: DoorClient) -> http_client_to_door.DoorAnswer:
    return client.post("/api", content=BODY, headers={"Authorization": "Pass x"})


def test_requests_one_after_the_other_share_a_connection(server: PreparedAnswerServer, client: DoorClient) -> None:
    answers = [post(client) for _ in range(3)]
    assert [(answer.status_code, answer.content) for answer in answers] == [(200, b"ok")] * 3
    assert server.connections == 1
    assert b"Host: localhost\r\n" in server.requests[0]
    assert b"Authorization: Pass x\r\n" in server.requests[0]


def test_a_connection_that_was_unused_for_long_is_not_used_again(
    server: PreparedAnswerServer, client: DoorClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    post(client)
    monkeypatch.setattr(http_client_to_door, "IDLE_S", 0.0)
    post(client)
    assert server.connections == 2


def test_the_next_request_after_a_break_has_a_new_connection(server: PreparedAnswerServer, client: DoorClient) -> None:
    post(client)
    for broken in (None, b"no answer\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"):
        server.answers = [broken]
        with pytest.raises(ConnectionError):
            post(client)
        assert post(client).content == b"ok"
    assert server.connections == 4


def test_after_a_break_no_other_idle_connection_is_used(server: PreparedAnswerServer, client: DoorClient) -> None:
    """A door that restarted broke every connection: the next attempt opens a new one."""
    for _ in range(2):
        connection = HTTPConnection("127.0.0.1", server.port)
        connection.connect()
        connection.sock.shutdown(socket.SHUT_RDWR)
        client._idle.append((time.monotonic(), connection))
    with pytest.raises(ConnectionError):
        post(client)
    assert post(client).content == b"ok"


def test_a_door_that_does_not_answer_is_a_timeout(server: PreparedAnswerServer) -> None:
    server.answers = [b""]
    with closing(DoorClient("127.0.0.1", server.port, within_s=0.2)) as client, pytest.raises(TimeoutError):
        post(client)


def test_a_closed_door_is_a_connection_error() -> None:
    with closing(socket.socket()) as bound:  # it listens to no one, and keeps the port from others
        bound.bind(("127.0.0.1", 0))
        client = DoorClient("127.0.0.1", bound.getsockname()[1], within_s=60)
        with closing(client), pytest.raises(ConnectionError):
            post(client)
