"""Files of a process: how many it may have open, and what becomes of small ones on a full disk."""

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

SPARE = 1_024
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


def may_hold(connections: int) -> None:
    """Connections are files, and many systems give a process fewer to begin with than it may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + SPARE
    wanted = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))


@contextmanager
def if_there_is_room() -> Iterator[None]:
    """What is written for people, or for who looks after a process, is left out on a full disk: nobody stops for it."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise


def sign(lock: IO[str]) -> None:
    """Write into a file that is locked whose lock it is."""
    with if_there_is_room():
        os.ftruncate(lock.fileno(), 0)
        os.write(lock.fileno(), f"{os.getpid()}\n".encode())
