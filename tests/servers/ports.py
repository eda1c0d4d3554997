"""Free loopback ports."""

import fcntl
import functools
import os
import random
import socket
import tempfile
from pathlib import Path

LOOPBACK = "127.0.0.1"

# Below 32768: above it the kernel hands ports to outgoing connections, and a server may fail to bind there.
# Outside the range in which the embedded broker of a house chooses its own (20,000 to 32,000).
LOWEST, HIGHEST = 10_000, 19_999
TRIES_MAX = 200

_choice = random.SystemRandom()  # test runs side by side must not draw the same numbers
_given: set[int] = set()
_file = Path(tempfile.gettempdir(), f"pitledger-ports-{os.getuid()}")


def is_free(port: int) -> bool:
    """Tell whether that loopback port is free."""
    with socket.socket() as probe:
        # As servers do: the last connections of a server that is gone linger for a minute.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True


def free_port() -> int:
    """Return a free loopback port below 32768, which no other process of a test run gets at the same time."""
    for _ in range(TRIES_MAX):
        port = _choice.randint(LOWEST, HIGHEST)
        if port not in _given and _reserve(port) and is_free(port):
            _given.add(port)
            return port
    raise OSError(f"no free port between {LOWEST} and {HIGHEST} after {TRIES_MAX} tries")


def _reserve(port: int) -> bool:
    """Reserve a port for this process until it ends: a server binds later, and may be restarted on its port."""
    try:
        fcntl.lockf(_reservations(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    return True


@functools.cache
def _reservations() -> int:
    """Return the descriptor of a file with a byte for each port, which the processes of all test runs lock."""
    return os.open(_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
