"""The ports on which pages and live streams listen: one `up` a port.

Granian lets several processes listen on one port and share what comes in. Two `up` that start together would both find
the port free, and then each answer half of the requests from its own data. So an `up` claims its ports before it looks.
"""

import fcntl
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from events.errors import Conflict
from events.relay import embedded


@contextmanager
def claimed(ports: Mapping[int, str]) -> Iterator[None]:
    """Hold these ports against every other `up` of this user, however early it is; `ports` says how to choose others.

    Raises Conflict for a port that another `up` holds, or on which something listens already.
    """
    with ExitStack() as held:
        for port, how in ports.items():
            holder = _claim(port, held)
            if holder is not None or embedded.accepts(port):
                by = f" by another `up`, process {holder}" if holder else ""
                raise Conflict(f"port {port} is in use{by}: choose another one by {how}")
        yield


def _claim(port: int, held: ExitStack) -> str | None:
    """Lock the port's file until `held` is closed, or this process ends; who has it, if somebody has."""
    path = Path(tempfile.gettempdir()) / f"pitledger-{os.getuid()}-{port}.lock"
    try:
        opened = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Conflict(f"port {port} cannot be claimed: {path}: {error.strerror}") from error
    file = held.enter_context(os.fdopen(opened, "r+"))
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return file.read().strip() or "unknown"
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    return None
