"""The access log: a line for everything that was refused, written behind the answers.

Whoever answers only puts a line into a queue; one thread writes what is there to the database, many at once. Nobody
who is refused can so hold up those who are not, and a database that is busy holds up nobody. When too many lines
wait, further ones are dropped and counted. Requests without a valid badge are counted by source: anybody can make them.
"""

import atexit
import logging
import threading
from collections import Counter, deque
from collections.abc import Iterator

from django.conf import settings
from django.db import Error, close_old_connections, connection
from django.utils import timezone

from backoffice.models import Access

log = logging.getLogger(__name__)

MAX_LINES = 10_000  # waiting for the writer
MAX_SOURCES = 1_000  # counted at a time; further ones go together
AT_ONCE = 500  # rows in one statement
WRITE_EVERY_S = 0.5
OTHERS = "others"


class AccessLog:
    """Takes lines from any thread. `write` writes what waits: its own thread does it, or a test."""

    def __init__(self) -> None:
        self._lines: deque[Access] = deque()
        self._strangers: Counter[str] = Counter()
        self._dropped = 0
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    def refused(self, person: str, device: str, what: str, outcome: str) -> None:
        """Somebody who is known was refused something."""
        row = Access(at=timezone.now(), person=person, device=device, what=what[:200], outcome=outcome[:300])
        with self._lock:
            if len(self._lines) >= MAX_LINES:
                self._dropped += 1
            else:
                self._lines.append(row)
        self._see_to_it()

    def stranger(self, source: str) -> None:
        """Somebody from this address had no valid badge."""
        with self._lock:
            known = source in self._strangers or len(self._strangers) < MAX_SOURCES
            self._strangers[source if known else OTHERS] += 1
        self._see_to_it()

    def write(self) -> None:
        """Write all that waits. What the database does not take goes on waiting."""
        with self._writing:
            while rows := self._next():
                try:
                    close_old_connections()
                    Access.objects.bulk_create(rows)
                except Error:
                    with self._lock:
                        self._lines.extendleft(reversed(rows))
                    raise

    def close(self) -> None:
        """Stop the thread, which writes what is left."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def _next(self) -> list[Access]:
        with self._lock:
            self._lines.extend(self._counted())
            return [self._lines.popleft() for _ in range(min(AT_ONCE, len(self._lines)))]

    def _counted(self) -> Iterator[Access]:
        """The counts as lines of their own, which begin anew."""
        strangers, self._strangers = self._strangers, Counter()
        for source, count in strangers.items():
            yield Access(at=timezone.now(), what=f"no badge from {source}"[:200], outcome=f"401 {count} times")
        dropped, self._dropped = self._dropped, 0
        if dropped:
            yield Access(
                at=timezone.now(), what="access log", outcome=f"{dropped} lines were dropped: too many at once"
            )

    def _see_to_it(self) -> None:
        if getattr(settings, "ACCESS_AT_ONCE", False):  # tests look at it, in their own transaction
            self.write()
        elif self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="access", daemon=True)
                    self._thread.start()
                    atexit.register(self.close)

    def _run(self) -> None:
        stopping = False
        while not stopping:
            stopping = self._stop.wait(WRITE_EVERY_S)
            try:
                self.write()
            except Error as error:
                log.warning("the access log waits, %d lines: %s", len(self._lines), error)
                connection.close()


access = AccessLog()
