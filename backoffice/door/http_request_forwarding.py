"""Passes a request on to another process of the house, and its answer back. Few at a time; the rest comes again.

To the other process it is HTTP/1.0, a connection a request: the answer ends where the connection does. It is read whole
before it is passed on, so no one who takes an answer slowly keeps its process waiting. A live stream is passed on as it
arrives, until either side ends it.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any
from urllib.parse import quote

import msgspec
from granian._granian import RSGIProtocolClosed

from backoffice.http import live_stream_addresses, signed_person_passes
from backoffice.http.shared_request_ambiguity_checks import Pairs
from backoffice.people.house_address_of_request import HSTS
from events.error_codes import coded
from events.errors import Retry

WITHIN_S = 30.0
CONNECT_S = 2.0
AT_ONCE = 8
WAITING_MAX = 64
MAX_HEAD = 64 * 1024
LISTENERS_MAX = 512  # more than the live process has places for: it decides who leaves
_PIECE = 65_536  # bytes of a stream
# RFC 9110, 7.6.1: headers of this connection, which are not passed on, and headers that are written again.
OF_CONNECTIONS = {
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "content-length",
    "expect",
}
OF_ANSWERS = OF_CONNECTIONS | {"date", "server"}
PATH_SAFE = "/:@!$&'()*+,;=~"  # RFC 3986, 3.3


class ForwardedRequest(msgspec.Struct, frozen=True):
    """A request to pass on: the path as it reads, and the client's address."""

    method: str
    path: str
    query: str
    headers: Pairs
    body: bytes
    source: str
    may_observe: bool = False  # `backoffice/http/monitoring_access.py`
    is_secure: bool = False  # for an address of the house with HTTPS

    def header(self, name: str) -> str:
        """The value of a header, by its name in lower case; "" where it was not sent."""
        for key, value in self.headers:
            if key == name:
                return value
        return ""


class UpstreamAnswer(msgspec.Struct, frozen=True):
    """An answer of another process."""

    status: int
    headers: Pairs
    body: bytes


class Upstream:
    """The way to one process."""

    def __init__(self, name: str, host: str, port: int, at_once: int = AT_ONCE, waiting_max: int = WAITING_MAX) -> None:
        self._name, self._host, self._port = name, host, port
        self._turns = asyncio.Semaphore(at_once)
        self._request_max = at_once + waiting_max
        self._request_count = 0

    async def pass_on(self, request: ForwardedRequest, within_s: float = WITHIN_S) -> UpstreamAnswer:
        """The other process's answer. Raises Busy where too many wait, Retry where none comes."""
        if self._request_count >= self._request_max:
            raise Retry(coded("part-is-full", part=self._name))
        self._request_count += 1
        try:
            async with asyncio.timeout(within_s), self._turns:
                return await self._upstream_answer(request)
        except TimeoutError:
            raise Retry(coded("part-silent-within", part=self._name, seconds=f"{within_s:g}")) from None
        except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            raise Retry(coded("part-silent", part=self._name)) from error
        finally:
            self._request_count -= 1

    @asynccontextmanager
    async def open_stream(
        self, request: ForwardedRequest
    ) -> "AsyncIterator[tuple[UpstreamAnswer, asyncio.StreamReader]]":
        """Return the head of a streamed answer, and the source of its body. Raises as `pass_on`."""
        if self._request_count >= self._request_max:
            raise Retry(coded("part-is-full", part=self._name))
        self._request_count += 1
        try:
            async with AsyncExitStack() as stack:
                async with asyncio.timeout(WITHIN_S):
                    reader, writer = await stack.enter_async_context(self._connected())
                    head = await self._head_of_answer(request, reader, writer)
                yield _answer(head, b""), reader
        except TimeoutError:
            raise Retry(coded("part-silent-within", part=self._name, seconds=f"{WITHIN_S:g}")) from None
        except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            raise Retry(coded("part-silent", part=self._name)) from error
        finally:
            self._request_count -= 1

    async def _upstream_answer(self, request: ForwardedRequest) -> UpstreamAnswer:
        async with self._connected() as (reader, writer):
            head = await self._head_of_answer(request, reader, writer)
            return _answer(head, await reader.read())

    @asynccontextmanager
    async def _connected(self) -> "AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]":
        async with asyncio.timeout(CONNECT_S):
            reader, writer = await asyncio.open_connection(self._host, self._port, limit=MAX_HEAD)
        try:
            yield reader, writer
        finally:
            writer.close()

    async def _head_of_answer(
        self, request: ForwardedRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bytes:
        writer.write(_request_head(request) + request.body)
        await writer.drain()
        return await reader.readuntil(b"\r\n\r\n")


def _request_head(request: ForwardedRequest) -> bytes:
    target = quote(request.path, safe=PATH_SAFE) + (f"?{request.query}" if request.query else "")
    headers = [(name, value) for name, value in request.headers if name.lower() not in OF_CONNECTIONS]
    source = (
        signed_person_passes.SOURCE.lower(),
        signed_person_passes.of_source(request.source, may_observe=request.may_observe),
    )
    added = [source, ("content-length", str(len(request.body)))]
    lines = [f"{request.method} {target} HTTP/1.0", *(f"{name}: {value}" for name, value in (*headers, *added))]
    return "\r\n".join((*lines, "", "")).encode("latin-1", "replace")


def _answer(head: bytes, body: bytes) -> UpstreamAnswer:
    """Parse an answer. Raises ValueError for other bytes."""
    status, *lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    pairs = ((name.strip(), value.strip()) for name, _, value in (line.partition(":") for line in lines))
    return UpstreamAnswer(int(status.split(" ", 2)[1]), list(_forwarded_headers(pairs)), body)


def _forwarded_headers(pairs: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    return (pair for pair in pairs if pair[0].lower() not in OF_ANSWERS)


def is_stream(request: ForwardedRequest) -> bool:
    """Return whether a live stream is requested."""
    return request.method == "GET" and (
        request.path == live_stream_addresses.ALERTS
        or request.path.startswith((live_stream_addresses.PROGRESSIVES, live_stream_addresses.TABLES))
    )


async def pass_through(live: Upstream, request: ForwardedRequest, proto: Any) -> None:
    """Forward the answer of the live process until either side ends it. Raises Retry where there is no live process.

    A closed listener is detected at the next piece: a stream has a beat every two seconds.
    """
    async with live.open_stream(request) as (answer, reader):
        secure = [("strict-transport-security", HSTS)] if request.is_secure else []
        transport = proto.response_stream(answer.status, [*answer.headers, *secure])
        with suppress(RSGIProtocolClosed, OSError):
            while piece := await reader.read(_PIECE):
                await transport.send_bytes(piece)
