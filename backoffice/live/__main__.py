"""`python -m backoffice.live`: the live streams at PITLEDGER_LIVE_PORT, on loopback or at PITLEDGER_LIVE_HOST."""

import asyncio
import os
from socket import socket

import django
import h11
import structlog
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backoffice.settings")
django.setup()

from backoffice.live.asgi import LiveStreams  # noqa: E402 - after django.setup()
from backoffice.running.heartbeat import beats  # noqa: E402 - after django.setup()
from backoffice.running.open_files_locks_full_disk import may_hold  # noqa: E402 - after django.setup()
from backoffice.running.status_reports_of_parts_into_database import Reporter, begin_reports  # noqa: E402 - after django.setup()
from events.runtime.garbage_collection import collect_briefly  # noqa: E402 - after django.setup()
from events.settings.settings_from_environment import settings  # noqa: E402 - after django.setup()

CONNECTIONS = 8_192  # those of strangers who are silent go within seconds
SILENT_S = 10.0
GRACE_S = 3  # for a stream whose listener does not accept more messages

log = structlog.get_logger(__name__)


class Protocol(H11Protocol):
    """Hangs up on a person who is there and has nothing answered: no request has come whole, or none since the last
    one.

    (The library's own bound begins again with every byte, and ends with the first of a body that no one asked
    for.)
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._answered: object = None
        self._look_later()

    def connection_lost(self, exc: Exception | None) -> None:
        self._looking.cancel()
        super().connection_lost(exc)

    def _look_later(self) -> None:
        self._looking = self.loop.call_later(SILENT_S, self._look)

    def _look(self) -> None:
        cycle: RequestResponseCycle | None = self.cycle  # None so far, against the library's type
        is_at_work = cycle is not None and not cycle.response_complete
        if self.transport.is_closing() or (not is_at_work and cycle is self._answered):
            self.transport.abort()  # without waiting for clients that read nothing
        else:
            self._answered = cycle
            self._look_later()

    def send_400_response(self, msg: str) -> None:
        """Answer a malformed request; close the connection if another answer may have begun. (The library would begin
        a second answer and log a traceback.)"""
        if self.conn.our_state is h11.IDLE:
            super().send_400_response(msg)
        else:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self.transport.close()


class Server(uvicorn.Server):
    """Server that ends the streams first at a stop. Otherwise they would delay it until the grace period is over.

    Its last report is written here: after the shutdown uvicorn raises the signal again, and no exit handler runs.
    """

    def __init__(self, config: uvicorn.Config, streams: LiveStreams, reporter: Reporter) -> None:
        super().__init__(config)
        self._streams, self._reporter = streams, reporter

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        self._streams.close()
        await super().shutdown(sockets)
        await asyncio.to_thread(self._reporter.report_end)
        log.info("the live streams stop")


async def serve() -> None:
    """Serve until a signal stops the process."""
    streams = LiveStreams()
    config = uvicorn.Config(
        streams,
        host=settings().live_host,
        port=settings().port_of_live(),
        lifespan="off",
        log_level="error",  # errors of strangers' requests are not logged
        access_log=False,
        log_config=None,  # the process's own holds
        http=Protocol,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )
    reporter = begin_reports("live")
    signs = asyncio.create_task(beats("live"))
    await Server(config, streams, reporter).serve()
    signs.cancel()


if __name__ == "__main__":
    may_hold(CONNECTIONS)
    collect_briefly()
    asyncio.run(serve())
