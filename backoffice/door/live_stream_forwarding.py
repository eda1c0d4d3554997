"""Live streams at the house's own address: passed on from the live process as they arrive, until either side ends."""

from contextlib import suppress
from typing import Any

from granian._granian import RSGIProtocolClosed

from backoffice.door.http_request_forwarding import ForwardedRequest, Upstream
from backoffice.people.request_address_binding_cookies import HSTS
from backoffice.progressives.live_state import PATH
from backoffice.surveillance.wall_stream_url_constant import PATH as ALERTS
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
        secure = [("strict-transport-security", HSTS)] if request.is_secure else []
        transport = proto.response_stream(answer.status, [*answer.headers, *secure])
        with suppress(RSGIProtocolClosed, OSError):
            while piece := await reader.read(PIECE):
                await transport.send_bytes(piece)
