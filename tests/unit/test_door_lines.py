"""Answers in lines at the door: each line is passed on as it arrives, other answers are read whole."""

import asyncio
from collections.abc import Awaitable, Callable

from backoffice.door import live_stream_forwarding
from backoffice.door.forward import ForwardedRequest, Upstream, UpstreamAnswer
from backoffice.http.ndjson_content_type import KIND

REQUEST = ForwardedRequest("POST", "/table/FR1/queue", "", [("host", "localhost")], b"{}", "127.0.0.1")
SOON_S = 20.0
Answering = Callable[[asyncio.StreamWriter], Awaitable[None]]


class Client:
    """The connection of a client, as the server offers it."""

    def __init__(self) -> None:
        self.status, self.headers, self.pieces = 0, list[tuple[str, str]](), list[bytes]()
        self.arrived = asyncio.Event()

    def response_stream(self, status: int, headers: list[tuple[str, str]]) -> "Client":
        self.status, self.headers = status, headers
        return self

    async def send_bytes(self, piece: bytes) -> None:
        self.pieces.append(piece)
        self.arrived.set()


def passed(answering: Callable[[Client], Answering]) -> tuple[Client, UpstreamAnswer | None]:
    """The client and the answer after one request to a process that answers so."""

    async def run() -> tuple[Client, UpstreamAnswer | None]:
        client = Client()
        answer = answering(client)

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            await answer(writer)
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server, asyncio.timeout(SOON_S):
            upstream = Upstream("the pages", "127.0.0.1", server.sockets[0].getsockname()[1], at_once=1)
            returned = await live_stream_forwarding.pass_lines(upstream, REQUEST, client)
            await upstream.pass_on(REQUEST)  # its turn is free again
        return client, returned

    return asyncio.run(run())


def head(kind: str) -> bytes:
    return f"HTTP/1.0 200 OK\r\ncontent-type: {kind}\r\n\r\n".encode()


def test_the_first_line_is_passed_on_before_the_second_exists() -> None:
    def answering(client: Client) -> Answering:
        async def answer(writer: asyncio.StreamWriter) -> None:
            writer.write(head(KIND) + b'{"answers": []}\n')
            await client.arrived.wait()
            writer.write(b'{"layout": null}\n')

        return answer

    client, returned = passed(answering)
    assert returned is None
    assert client.status == 200
    assert b"".join(client.pieces) == b'{"answers": []}\n{"layout": null}\n'
    assert client.pieces[0] == b'{"answers": []}\n'


def test_another_answer_is_returned_whole() -> None:
    def answering(_client: Client) -> Answering:
        async def answer(writer: asyncio.StreamWriter) -> None:
            writer.write(head("application/problem+json") + b'{"status": 409}')

        return answer

    client, returned = passed(answering)
    assert returned is not None
    assert (client.pieces, returned.status, returned.body) == ([], 200, b'{"status": 409}')
