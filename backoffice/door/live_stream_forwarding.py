"""Live streams at the house's own address: passed on from the live process as they arrive, until either side ends."""

import asyncio
from asyncio import StreamReader
from contextlib import suppress
from typing import Any

from granian._granian import RSGIProtocolClosed
from msgspec.structs import replace

from backoffice.door.forward import WITHIN_S, ForwardedRequest, Upstream, UpstreamAnswer
from backoffice.http import ndjson_content_type
from backoffice.people.request_host import HSTS
from backoffice.progressives.live_state import PATH
from backoffice.surveillance.wall_stream_path import PATH as ALERTS
from backoffice.table_screen import live_stream_access

LISTENERS_MAX = 512  # more than the live process has places for: it decides who leaves
PIECE = 65_536


def is_stream(request: ForwardedRequest) -> bool:
    """Return whether a live stream is requested."""
    return request.method == "GET" and (
        request.path == ALERTS or request.path.startswith((PATH, live_stream_access.PATH))
    )


async def pass_through(live: Upstream, request: ForwardedRequest, proto: Any) -> None:
    """Send what the live process sends, until either side ends it. Raises Retry where there is no live process.

    A closed listener is detected at the next piece: a stream has a beat every two seconds.
    """
    async with live.opened(request) as (answer, reader):
        await _pass_pieces(request, answer, reader, proto)


async def pass_lines(pages: Upstream, request: ForwardedRequest, proto: Any) -> UpstreamAnswer | None:
    """Send an answer in lines as they arrive, and return None; return any other answer. Raises as `Upstream.pass_on`.

    The process of the pages does not wait for a slow client: such an answer fits into the buffers of its connection.
    """
    async with pages.opened(request, takes_turn=True) as (answer, reader):
        kind = next((value for name, value in answer.headers if name.lower() == "content-type"), "")
        if kind != ndjson_content_type.KIND:
            async with asyncio.timeout(WITHIN_S):
                return replace(answer, body=await reader.read())
        await _pass_pieces(request, answer, reader, proto, within_s=WITHIN_S)
    return None


async def _pass_pieces(
    request: ForwardedRequest, answer: UpstreamAnswer, reader: StreamReader, proto: Any, within_s: float | None = None
) -> None:
    secure = [("strict-transport-security", HSTS)] if request.is_secure else []
    transport = proto.response_stream(answer.status, [*answer.headers, *secure])
    with suppress(RSGIProtocolClosed, OSError):  # a TimeoutError is an OSError
        async with asyncio.timeout(within_s):
            await _send_pieces(reader, transport)


async def _send_pieces(reader: StreamReader, transport: Any) -> None:
    while piece := await reader.read(PIECE):
        await transport.send_bytes(piece)
