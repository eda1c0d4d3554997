"""Free loopback ports."""

import random
import socket

LOOPBACK = "127.0.0.1"

# Below 32768: above it the kernel hands ports to outgoing connections, and the embedded broker may fail to bind there.
LOWEST, HIGHEST = 20_000, 32_000
TRIES_MAX = 200

_choice = random.SystemRandom()  # test runs side by side must not draw the same numbers
_given: set[int] = set()


def is_free(port: int) -> bool:
    """Tell whether nobody listens on that loopback port."""
    with socket.socket() as probe:
        # As servers do: the last connections of a server that is gone linger for a minute.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True


def free_port() -> int:
    """Return a loopback port below 32768 that is free now and was not given out by this process before."""
    for _ in range(TRIES_MAX):
        port = _choice.randint(LOWEST, HIGHEST)
        if port not in _given and is_free(port):
            _given.add(port)
            return port
    raise OSError(f"no free port between {LOWEST} and {HIGHEST} after {TRIES_MAX} tries")
