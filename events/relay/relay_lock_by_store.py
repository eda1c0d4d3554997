"""One relay at a time: several would break the order. The lock goes with the process that holds it, however it ends."""

import contextlib
import fcntl
import os
import threading
from pathlib import Path
from typing import IO, Protocol
from urllib.parse import unquote

from events.settings.settings_from_environment import settings


class RelayLock(Protocol):
    """The right to send this store's events."""

    def acquire(self) -> bool:
        """Try once; True when this process holds it from now on (or did already). Raises Retry where that is
        unknown.
        """

    def held(self) -> bool:
        """Return whether this process still holds the lock: a lost connection to the database loses it."""

    def release(self) -> None:
        """Let the next one in."""


class LocalLock:
    """Lock of a store in memory, which only this process sees: all its relays share one `threading.Lock`."""

    def __init__(self, shared: threading.Lock) -> None:
        self._shared = shared
        self._is_held = False

    def acquire(self) -> bool:
        self._is_held = self._is_held or self._shared.acquire(blocking=False)
        return self._is_held

    def held(self) -> bool:
        return self._is_held

    def release(self) -> None:
        if self._is_held:
            self._is_held = False
            self._shared.release()


class FileLock:
    """A lock file next to the SQLite store. The kernel opens it when the process ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    def acquire(self) -> bool:
        if self._file is None:
            file = self._path.open("a+")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.close()
                return False
            with contextlib.suppress(OSError):  # the holder is written for people: a full disk must not block the lock
                os.ftruncate(file.fileno(), 0)
                os.write(file.fileno(), f"{os.getpid()}\n".encode())
            self._file = file
        return True

    def held(self) -> bool:
        return self._file is not None

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def lock_for(url: str | None = None) -> RelayLock:
    """The lock that belongs to the store at this URL (default: as `open_store`)."""
    url = url or settings().store
    if url.startswith("sqlite:///"):
        path = Path(unquote(url.removeprefix("sqlite:///"))).absolute()
        return FileLock(path.with_name(f"{path.name}.relay-lock"))
    if url == "memory://":
        return LocalLock(threading.Lock())
    from events.relay.advisory_lock import AdvisoryLock  # here: a house on SQLite never loads the driver

    return AdvisoryLock(url)
