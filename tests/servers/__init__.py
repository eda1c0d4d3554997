"""Real servers for the tests: found on this machine, started on free loopback ports, and always stopped.

Each server is a context manager (`PostgreSQL`, `Redis`, `ApacheKafka`, `Chromium`) with a data folder of its own, which
it removes at the end. `python -m tests.servers.install` installs missing programs. `python -m tests.servers` runs the
servers by hand.
"""

from tests.servers.chromium import Chromium
from tests.servers.kafka import ApacheKafka
from tests.servers.ports import free_port
from tests.servers.postgres import PostgreSQL
from tests.servers.redis import Redis
from tests.servers.server_base_class import Server, ServerDied, ServerNotReady

__all__ = ["ApacheKafka", "Chromium", "PostgreSQL", "Redis", "Server", "ServerDied", "ServerNotReady", "free_port"]
