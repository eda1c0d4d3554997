"""The ports of pages and live streams: one `up` for each port.

Granian lets several processes listen on one port and share its connections. Two `up` that start together would both
find the port free, and then each answer half of the requests from its own data. So an `up` claims its ports first.
"""

import fcntl
import os
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from backoffice.running import embedded_kafka_broker_process
from backoffice.running.open_files_locks_full_disk import sign
from events.errors import Conflict

POLL_S = 0.05


@contextmanager
def claimed(ports: Mapping[int, str], left_over: Collection[int] = ()) -> Iterator[None]:
    """Hold these ports against every other `up` of this user, from its start; `ports` gives the way to choose others.

    Raises Conflict for a port that another `up` holds, or that is already in use. On those in `left_over` a process of
    an earlier run may listen: `must_be_free` checks them after its end.
    """
    with ExitStack() as held:
        for port, how in ports.items():
            if (holder := _claim(port, held)) is not None:
                raise _in_use(port, how, f" by another `up`, process {holder}")
        must_be_free({port: how for port, how in ports.items() if port not in left_over})
        yield


def must_be_free(ports: Mapping[int, str], within_s: float = 0.0) -> None:
    """Raise Conflict for a port on which something still listens after `within_s`."""
    until = time.monotonic() + within_s
    for port, how in ports.items():
        while embedded_kafka_broker_process.accepts(port):
            if time.monotonic() >= until:
                raise _in_use(port, how)
            time.sleep(POLL_S)


def _in_use(port: int, how: str, by: str = "") -> Conflict:
    return Conflict(f"port {port} is in use{by}: choose another one by {how}")


def _claim(port: int, held_files: ExitStack) -> str | None:
    """Lock the port's file until `held_files` is closed, or this process ends; return the holder of a held lock."""
    path = Path(tempfile.gettempdir()) / f"pitledger-{os.getuid()}-{port}.lock"
    try:
        opened = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Conflict(f"port {port} cannot be claimed: {path}: {error.strerror}") from error
    file = held_files.enter_context(os.fdopen(opened, "r+"))
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return file.read().strip() or "unknown"
    sign(file)
    return None
