"""`python -m backoffice.live`: the live streams at PITLEDGER_LIVE_PORT, on loopback or at PITLEDGER_LIVE_HOST."""

import asyncio
import os
from socket import socket

import django
import uvicorn

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backoffice.settings")
django.setup()

from backoffice.live.app import LiveStreams  # noqa: E402
from events.settings import settings  # noqa: E402

GRACE_S = 3  # for a stream whose listener does not take what it is sent


class Server(uvicorn.Server):
    """Ends the streams first when it is told to stop: they would hold it until the grace is over."""

    def __init__(self, config: uvicorn.Config, streams: LiveStreams) -> None:
        super().__init__(config)
        self._streams = streams

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        self._streams.hub.close()
        await super().shutdown(sockets)


async def serve() -> None:
    """Until a signal says stop."""
    streams = LiveStreams()
    config = uvicorn.Config(
        streams,
        host=settings().live_host,
        port=settings().port_of_live(),
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )
    await Server(config, streams).serve()


if __name__ == "__main__":
    asyncio.run(serve())
