"""The live process closes the connection of a client that awaits no answer, even if its request continues slowly."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
import uvicorn

from backoffice.live import __main__ as live

Send = Callable[[dict[str, Any]], Awaitable[None]]
ASKS = b"GET /healthz HTTP/1.1\r\nHost: here\r\n"
DRIP_S = 0.02


async def answers(scope: object, receive: object, send: Send) -> None:
    """Answer at once, for any body."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


async def streams(scope: object, receive: object, send: Send) -> None:
    """Stream for longer than a silent client may stay connected."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(30):
        await send({"type": "http.response.body", "body": b"more", "more_body": True})
        await asyncio.sleep(DRIP_S)
    await send({"type": "http.response.body", "body": b"end"})


async def _held(application: Any, parts: Sequence[bytes], rest: bytes) -> bytes:
    """Return the bytes that a client receives. It sends the parts in turn, then `rest` repeatedly until the end."""
    config = uvicorn.Config(application, http=live.Protocol, log_level="critical", lifespan="off")
    config.load()
    state, loop = uvicorn.server.ServerState(), asyncio.get_running_loop()
    server = await loop.create_server(lambda: live.Protocol(config, state, {}), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    received = asyncio.create_task(reader.read())
    try:
        for part in parts:
            writer.write(part)
            await asyncio.sleep(DRIP_S)
        while not received.done():
            writer.write(rest)
            await asyncio.sleep(DRIP_S)
        return await received
    except OSError:
        return b"cut"
    finally:
        writer.close()
        server.close()


def held(application: Any, parts: Sequence[bytes], rest: bytes = b"x") -> bytes:
    return asyncio.run(asyncio.wait_for(_held(application, parts, rest), 60.0))


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "SILENT_S", 0.2)


@pytest.mark.parametrize(
    "parts",
    [
        [b""],
        [ASKS],
        [ASKS + b"Content-Length: 1000000\r\n\r\n"],
        [ASKS + b"Transfer-Encoding: chunked\r\n\r\nf4240\r\n"],
        [ASKS + b"\r\n", ASKS],
    ],
    ids=["nothing", "headers", "a body", "a body in chunks", "a second request"],
)
def test_what_never_comes_is_not_waited_for(parts: list[bytes]) -> None:
    assert b" 500 " not in held(answers, parts)


def test_who_listens_is_not_hung_up_on() -> None:
    assert held(streams, [ASKS + b"Connection: close\r\n\r\n"], rest=b"").rstrip().endswith(b"end\r\n0")


def test_a_listener_who_says_nonsense_is_hung_up_on(caplog: pytest.LogCaptureFixture) -> None:
    got = held(streams, [ASKS + b"Transfer-Encoding: chunked\r\n\r\n", b"nothing\r\n"], rest=b"")
    assert got.startswith(b"HTTP/1.1 200 ")
    assert b"end" not in got
    assert [record for record in caplog.records if record.exc_info] == []
