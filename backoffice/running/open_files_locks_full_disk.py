"""Files of a process: the number of open ones, locks, and small files on a full disk."""

import errno
import fcntl
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from events.errors import Conflict

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
    """Leave out files for people on a full disk: no process stops for them."""
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


@contextmanager
def hold_file_lock(lock: Path, *, or_else: str = "") -> Iterator[None]:
    """One at a time with this lock, of all processes: the others wait, or with `or_else` get it as a Conflict."""
    with lock.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (fcntl.LOCK_NB if or_else else 0))
        except BlockingIOError:
            raise Conflict(or_else) from None
        yield
