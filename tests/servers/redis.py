"""Redis, without persistence."""

import functools
import shutil

import redis

from tests.servers.ports import LOOPBACK
from tests.servers.server_base_class import Server


@functools.cache
def find() -> str | None:
    """Return the program, Redis or its fork Valkey."""
    return shutil.which("redis-server") or shutil.which("valkey-server")


class Redis(Server):
    """One server with the usual 16 databases, of which tests get number 0."""

    name = "redis"

    @property
    def url(self) -> str:
        return f"redis://{self.address}/0"

    def command(self) -> list[str]:
        program = find()
        if program is None:
            raise FileNotFoundError("redis-server is not installed")
        settings = {"bind": LOOPBACK, "port": str(self.port), "dir": str(self.folder), "save": "", "appendonly": "no"}
        return [program, *(part for name, value in settings.items() for part in (f"--{name}", value))]

    def answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url, socket_timeout=5) as client:
                return bool(client.ping())
        except redis.ConnectionError:  # still loading
            return False

    def flush(self) -> None:
        """Forget everything."""
        with redis.Redis.from_url(self.url, socket_timeout=5) as client:
            client.flushall()
