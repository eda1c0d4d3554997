"""Word of an append on PostgreSQL: the append itself notifies, in its transaction.

`wakeup_on_append_across_processes.py` has the interface.
"""

import contextlib
import select
import threading
import time
from typing import Any

import psycopg

from events.errors import Invalid
from events.store.postgres_session_settings import connect
from events.store.sql_files import names

EVENTS = "pitledger_events"
CONNECT_AGAIN_S = 1.0


class NotifiedNews:
    """PostgreSQL's notifications, on a connection of its own. While it cannot be had, no word comes."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: psycopg.Connection[Any] | None = None
        self._next_try_s = 0.0

    def wait(self, seconds: float, stop: threading.Event) -> bool:
        try:
            if self._connection is None:
                return self._listen(seconds, stop)
            if not select.select([self._connection], [], [], seconds)[0]:
                return False
            return bool(list(self._connection.notifies(timeout=0)))
        except (psycopg.Error, Invalid, OSError, ValueError):  # the last: closed under us
            self.close()
            return False

    def _listen(self, seconds: float, stop: threading.Event) -> bool:
        """Begin to listen, which is a reason to look: earlier word was not heard."""
        if time.monotonic() < self._next_try_s:
            stop.wait(seconds)
            return False
        self._next_try_s = time.monotonic() + CONNECT_AGAIN_S
        self._connection = connect(self._url, autocommit=True, application_name="pitledger-news")
        self._connection.execute(f'LISTEN "{names(EVENTS)["events"]}"'.encode())
        return True

    def close(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(psycopg.Error):
                self._connection.close()
            self._connection = None
