"""Receive the entries of table screens by Django's views, in the process that has the desk.

A tap needs no way to another process and back. The state of a screen is computed in the process of the pages, after the
answer was sent. The answer has two lines of JSON: the answers to the entries, for which the dealer's tap waits, and the
state.
"""

import asyncio
import io
import re
import secrets
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from gzip import GzipFile
from http import HTTPStatus
from threading import Lock
from typing import Any
from wsgiref.types import WSGIEnvironment

from django.http import parse_cookie
from django.urls import get_resolver
from django.utils.text import StreamingBuffer
from granian._granian import RSGIProtocolClosed
from msgspec.structs import replace

from backoffice.door.http_request_forwarding import WITHIN_S, ForwardedRequest, Upstream, UpstreamAnswer
from backoffice.http import signed_person_passes
from backoffice.http.shared_request_ambiguity_checks import Pairs
from backoffice.people.house_address_of_request import HSTS, address_of, cookies_of
from backoffice.site.wsgi_application_behind_door import django_application
from backoffice.table_screen.device_authentication import COOKIE
from backoffice.table_screen.table_device_request_views import STATE_QUERY
from events.error_codes import coded
from events.errors import PitledgerError, Retry

PATHS = re.compile(r"(/table/[^/]+)/(?:queue|reader|entries|session)")
METHODS = ("POST", "DELETE")
PART = "the web process"
THREADS = 8
WAITING_MAX = 64
OF_ONE_DEVICE = 2  # at a time: a device that does not wait for its answers holds no more threads
STATE_WITHIN_S = WITHIN_S - 5  # so that the end of the lines is still sent
LARGE = 32_768  # bytes of a line that the event loop does not compress itself
_OF_BODIES = ("content-type", "content-length", "accept-encoding")
_NDJSON = "application/x-ndjson"
_COMPRESSION_LEVEL = 1  # a local network is fast, and the processor is not
_RANDOM_MAX = 100  # characters, so that the length reveals no content (BREACH)


class AnswerLines:
    """The two lines of an answer, each compressed as a piece of its own if the client accepts gzip."""

    def __init__(self, *, is_compressed: bool) -> None:
        self._pieces = StreamingBuffer()
        name = "a" * secrets.randbelow(_RANDOM_MAX)
        self._gzip = (
            GzipFile(filename=name, mode="wb", compresslevel=_COMPRESSION_LEVEL, fileobj=self._pieces, mtime=0)
            if is_compressed
            else None
        )

    def headers(self, of_first: Pairs) -> Pairs:
        """Return the headers of the whole answer, by those of its first line."""
        headers = dict(of_first)
        vary = [name for name in (headers.get("vary", ""), "Accept-Encoding") if name]
        return [
            *((name, value) for name, value in of_first if name not in ("vary", "content-type", "content-length")),
            ("vary", ", ".join(vary)),
            ("content-type", _NDJSON),
            ("content-encoding", "gzip" if self._gzip else "identity"),
            ("x-accel-buffering", "no"),  # nginx would collect both lines before it passes them on
        ]

    def first_piece(self, line: bytes) -> bytes:
        """Return the piece with the first line."""
        return self._piece(line)

    def last_piece(self, line: bytes) -> bytes:
        """Return the piece with the last line, and the end; no line where it is empty."""
        piece = self._piece(line) if line else b""
        if self._gzip is None:
            return piece
        self._gzip.close()
        return piece + self._pieces.read()

    def _piece(self, line: bytes) -> bytes:
        if self._gzip is None:
            return line + b"\n"
        self._gzip.write(line + b"\n")
        self._gzip.flush()
        return self._pieces.read()


class EntryReceiver:
    """Takes entries, decisions on entries, and people at a screen. In the event loop's thread, the views in others."""

    def __init__(self, pages: Upstream) -> None:
        get_resolver().url_patterns  # noqa: B018 - it loads all views, which the first request would wait for
        self._pages, self._django = pages, django_application()
        self._threads = ThreadPoolExecutor(THREADS, "entries")
        self._requests_by_device = Counter[str]()  # requests in threads or waiting for one, by device
        self._count_lock = Lock()

    def close(self) -> None:
        """Let go of the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def answer(self, request: ForwardedRequest, proto: Any) -> UpstreamAnswer | None:
        """Return the answer to a request, or None where it was sent in lines. Raises Retry."""
        answer = await self._viewed(request)
        state_query = next((value for name, value in answer.headers if name == STATE_QUERY), None)
        if state_query is None:
            return answer
        answer = replace(answer, headers=[pair for pair in answer.headers if pair[0] != STATE_QUERY])
        await self._send_lines(request, answer, state_query, proto)
        return None

    async def _viewed(self, request: ForwardedRequest) -> UpstreamAnswer:
        device = device_of(request)
        self._enter(device)
        viewed = self._threads.submit(self._answered, request)
        viewed.add_done_callback(lambda _: self._leave(device))  # a view that hangs keeps its place
        try:
            async with asyncio.timeout(WITHIN_S):
                return await asyncio.wrap_future(viewed)  # the timeout cancels a view that has not begun
        except TimeoutError:  # the device sends it again
            raise Retry(coded("part-silent-within", part=PART, seconds=f"{WITHIN_S:g}")) from None

    def _enter(self, device: str) -> None:
        """Count a request. Raises Retry where too many are here."""
        with self._count_lock:
            if (
                self._requests_by_device.total() >= THREADS + WAITING_MAX
                or self._requests_by_device[device] >= OF_ONE_DEVICE
            ):
                raise Retry(coded("part-is-full", part=PART))
            self._requests_by_device[device] += 1

    def _leave(self, device: str) -> None:
        """Stop counting a request: its view has ended, or will not begin. In any thread."""
        with self._count_lock:
            self._requests_by_device[device] -= 1
            if not self._requests_by_device[device]:
                del self._requests_by_device[device]

    def _answered(self, request: ForwardedRequest) -> UpstreamAnswer:
        """Return Django's answer, not compressed."""
        head: list[tuple[str, list[tuple[str, str]]]] = []

        def start_response(
            status: str, headers: list[tuple[str, str]], _error: Any = None
        ) -> Callable[[bytes], object]:
            head[:] = [(status, headers)]
            return io.BytesIO().write

        response: Any = self._django(environ_of(request), start_response)
        try:
            body = b"".join(response)
        finally:
            response.close()
        [(status, headers)] = head
        return UpstreamAnswer(int(status[:3]), [(name.lower(), value) for name, value in headers], body)

    async def _send_lines(
        self, request: ForwardedRequest, answer: UpstreamAnswer, state_query: str, proto: Any
    ) -> None:
        """Send the answers at once, and the state of the screen as soon as the process of the pages has computed it."""
        lines = AnswerLines(is_compressed="gzip" in request.header("accept-encoding"))
        secure = [("strict-transport-security", HSTS)] if request.is_secure else []
        transport = proto.response_stream(answer.status, [*lines.headers(answer.headers), *secure])
        with suppress(RSGIProtocolClosed, OSError):  # a TimeoutError is an OSError
            async with asyncio.timeout(WITHIN_S):
                is_large = len(answer.body) > LARGE
                first = (
                    await asyncio.to_thread(lines.first_piece, answer.body)
                    if is_large
                    else lines.first_piece(answer.body)
                )
                await transport.send_bytes(first)
                state = await self._state(request, state_query)
                await transport.send_bytes(await asyncio.to_thread(lines.last_piece, state))

    async def _state(self, request: ForwardedRequest, query: str) -> bytes:
        """Return the state of the screen; empty where it cannot be computed: the device asks for it and gets the
        reason."""
        path = request.path.rpartition("/")[0] + "/state"
        headers = [pair for pair in request.headers if pair[0] not in _OF_BODIES]
        try:
            answer = await self._pages.pass_on(
                replace(request, method="GET", path=path, query=query, headers=headers, body=b""),
                STATE_WITHIN_S,
            )
        except PitledgerError:
            return b""
        return answer.body if answer.status == HTTPStatus.OK else b""


def takes(request: ForwardedRequest) -> bool:
    """Return whether a request is for this process."""
    return request.method in METHODS and PATHS.fullmatch(request.path) is not None


def device_of(request: ForwardedRequest) -> str:
    """Return the identity of a device: the credential of a screen; address and table of a reader.

    Other cookies do not count: with them a device would pass for many.
    """
    cookies = cookies_of(parse_cookie(request.header("cookie")), address_of(request.header("host")))
    credential = cookies.get(COOKIE)
    if credential and not request.path.endswith("/reader"):  # which is known by its signature
        return credential
    return f"{request.source} {request.path}"


def environ_of(request: ForwardedRequest) -> WSGIEnvironment:
    """Return a request as WSGI has it (PEP 3333), with the client's address as the door passes it on."""
    source = signed_person_passes.of_source(request.source, may_observe=request.may_observe)
    fields: dict[str, str] = {}
    for name, value in [*request.headers, (signed_person_passes.SOURCE, source)]:
        if name not in _OF_BODIES:
            field = f"HTTP_{name.upper().replace('-', '_')}"
            fields[field] = f"{fields[field]}, {value}" if field in fields else value  # RFC 9110, 5.3
    return {
        **fields,
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": request.path.encode().decode("latin-1"),
        "QUERY_STRING": request.query.encode().decode("latin-1"),
        "CONTENT_TYPE": request.header("content-type"),
        "CONTENT_LENGTH": str(len(request.body)),
        "REMOTE_ADDR": request.source,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(request.body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
