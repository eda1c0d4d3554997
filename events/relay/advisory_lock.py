"""The relay's lock in the store's PostgreSQL database."""

import contextlib
import hashlib
from typing import Any

import psycopg

from events.store.database_login_errors import failure_of
from events.store.postgres_session_settings import connect

# Time after which a silent session of PostgreSQL loses the lock. Its relay sends a message every half second
# (`CHECK_S`), so this host was cut off, or its process has stopped. Another relay then continues.
LOST_S = 20.0

_ADVISORY_KEY = int.from_bytes(hashlib.sha256(b"pitledger.relay").digest()[:8], "big", signed=True)


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
