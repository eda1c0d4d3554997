"""One relay at a time: several would break the order. The lock goes with the process that holds it, however it ends."""

import contextlib
import fcntl
import hashlib
import os
import threading
from pathlib import Path
from typing import IO, Any, Protocol
from urllib.parse import unquote

import psycopg

from events.settings.settings import settings
from events.store.sessions import connect, failure_of

# Time after which a silent session of PostgreSQL loses the lock. Its relay sends a message every half second
# (`CHECK_S`), so this host was cut off, or its process has stopped. Another relay then continues.
LOST_S = 20.0

_ADVISORY_KEY = int.from_bytes(hashlib.sha256(b"pitledger.relay").digest()[:8], "big", signed=True)


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
        self._held = False

    def acquire(self) -> bool:
        self._held = self._held or self._shared.acquire(blocking=False)
        return self._held

    def held(self) -> bool:
        return self._held

    def release(self) -> None:
        if self._held:
            self._held = False
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


class AdvisoryLock:
    """A session's advisory lock in the store's PostgreSQL database, on a connection of its own.

    The server ends a session that is silent for `lost_s`, for any reason: no relay waits longer than that for a silent
    one. Its owner then learns by `held` that the lock is another's.
    """

    def __init__(self, url: str, lost_s: float = LOST_S) -> None:
        self._url = url
        self._lost_s = lost_s
        self._connection: psycopg.Connection[tuple[bool]] | None = None

    def acquire(self) -> bool:
        if self.held():
            return True
        try:
            connection = connect(
                self._url, session={"idle_session_timeout": f"{int(self._lost_s * 1_000)}"}, **self._options()
            )
            row = connection.execute("SELECT pg_try_advisory_lock(%s)", (_ADVISORY_KEY,)).fetchone()
        except psycopg.OperationalError as error:
            raise failure_of(error, "the store's database") from error
        if row is None or not row[0]:
            connection.close()
            return False
        self._connection = connection
        return True

    def _options(self) -> dict[str, Any]:
        """Return the server's limit for silence, and the client's for an answer: an isolated relay notices at the same
        time.
        """
        seconds = max(int(self._lost_s), 1)
        keepalives = {"keepalives_idle": seconds, "keepalives_interval": 1, "keepalives_count": 3}
        return keepalives | {
            "autocommit": True,
            "application_name": "pitledger-relay-lock",
            "connect_timeout": seconds,
            "tcp_user_timeout": seconds * 1_000,
        }

    def held(self) -> bool:
        if self._connection is None:
            return False
        try:
            self._connection.execute("SELECT 1")
        except psycopg.OperationalError:
            self.release()
            return False
        return True

    def release(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(psycopg.Error):
                self._connection.close()
            self._connection = None


def lock_for(url: str | None = None) -> RelayLock:
    """The lock that belongs to the store at this URL (default: as `open_store`)."""
    url = url or settings().store
    if url.startswith("sqlite:///"):
        path = Path(unquote(url.removeprefix("sqlite:///"))).absolute()
        return FileLock(path.with_name(f"{path.name}.relay-lock"))
    if url == "memory://":
        return LocalLock(threading.Lock())
    return AdvisoryLock(url)
