"""The access log: a line for every refusal, written after the answers.

An answering thread only puts a line into a queue. One thread writes the queued lines to the database, many at once. So
refusals do not delay other clients, and a busy database delays no one. When too many lines wait, further ones are
dropped and counted. Unlimited refusals are counted, with one line a minute. They are requests without a valid badge, by
source, and those of a badge over its rate limit.
"""

import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta

import msgspec
from django.conf import settings
from django.db import Error, connections
from django.utils import timezone

from backoffice.access.models import Access
from backoffice.access.router import ALIAS
from backoffice.databases.connections_to_replaced_files import close_stale_connections
from backoffice.installation.dependency_injection import Installation
from events.settings.settings_from_environment import settings as of_house

log = logging.getLogger(__name__)

MAX_LINES = 10_000  # waiting for the writer
MAX_COUNTED = 1_000  # sources and badges that are counted at a time; further ones go together
COUNTED_S = 60.0  # from the first one on until the count is a line
AT_ONCE = 500  # rows in one statement
WRITE_EVERY_S = 0.5
OLD_EVERY_S = 3_600.0  # between two deletions of expired lines
OTHERS = "others"
DROPPED = "access log"  # subject of the line with the number of dropped lines


class RefusalGroup(msgspec.Struct, frozen=True):
    """Refusals that are counted together in one line."""

    what: str
    status: int
    person: str = ""
    device: str = ""


class AccessLog:
    """Access log that takes lines from any thread. `write` writes the queued lines, in its own thread or in a test."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lines: deque[Access] = deque()
        self._counts: Counter[RefusalGroup] = Counter()
        self._counting_since = 0.0
        self._dropped = 0
        self._look_at = 0.0  # for old lines
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    def refused(self, person: str, device: str, what: str, outcome: str) -> None:
        """Record that a known person or device was refused something."""
        row = Access(at=timezone.now(), person=person, device=device, what=what[:200], outcome=outcome[:300])
        with self._lock:
            if len(self._lines) >= MAX_LINES:
                self._dropped += 1
            else:
                self._lines.append(row)
        self._see_to_it()

    def record_act(self, person: str, what: str) -> None:
        """Record an act that is no event, such as issuing a badge or erasing a name."""
        self.refused(person, "", what, "done")

    def stranger(self, source: str) -> None:
        """Count a request from this address without a valid badge."""
        self._count(RefusalGroup(f"no badge from {source}"[:200], 401), RefusalGroup(f"no badge from {OTHERS}", 401))

    def refused_sign_in(self, person: str, what: str, source: str) -> None:
        """A password or code was refused. `person`: whose it was to be, "" where no one has this id."""
        counted = RefusalGroup(f"{what} from {source}"[:200], 401, person)
        self._count(counted, RefusalGroup(f"{what} from {OTHERS}", 401))

    def too_often(self, person: str, device: str, source: str) -> None:
        """Count a request of a known person over the rate limit of a badge or device."""
        counted = RefusalGroup(f"too often from {source}"[:200], 429, person, device)
        self._count(counted, RefusalGroup(f"too often from {OTHERS}", 429))

    def _count(self, counted: RefusalGroup, others: RefusalGroup) -> None:
        with self._lock:
            if not self._counts:
                self._counting_since = self._clock()
            self._counts[counted if counted in self._counts or len(self._counts) < MAX_COUNTED else others] += 1
        self._see_to_it()

    def write(self, *, counts: bool = False) -> None:
        """Write all queued lines, and the counts if their minute is over, or always.

        Lines that the database does not accept stay in the queue.
        """
        with self._writing:
            self._end_counts(counts)
            while rows := self._next_batch():
                try:
                    close_stale_connections()
                    Access.objects.bulk_create(rows)
                except Error:
                    with self._lock:
                        self._lines.extendleft(reversed(rows))
                    raise

    def close(self) -> None:
        """Stop the thread, which writes the remaining lines."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def _next_batch(self) -> list[Access]:
        with self._lock:
            return [self._lines.popleft() for _ in range(min(AT_ONCE, len(self._lines)))]

    def _end_counts(self, anyway: bool) -> None:
        """Write the counts as lines of their own, and start them again. They are few, so that none is dropped."""
        with self._lock:
            if self._counts and (anyway or self._clock() - self._counting_since >= COUNTED_S):
                counts, self._counts = self._counts, Counter()
                self._lines.extend(_refusal_line(counted, times) for counted, times in counts.items())
            dropped, self._dropped = self._dropped, 0
            if dropped:
                outcome = f"{dropped} lines were dropped: too many at once"
                self._lines.append(Access(at=timezone.now(), what=DROPPED, outcome=outcome, count=dropped))

    def _let_go(self) -> None:
        """Delete expired lines from time to time."""
        if self._clock() >= self._look_at:
            self._look_at = self._clock() + OLD_EVERY_S
            forget_old(of_house().access_days)

    def _see_to_it(self) -> None:
        if settings.ACCESS_AT_ONCE:
            self.write(counts=True)
        elif self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="access", daemon=True)
                    self._thread.start()

    def _run(self) -> None:
        stopping = False
        while not stopping:
            stopping = self._stop.wait(WRITE_EVERY_S)
            try:
                self.write(counts=stopping)
                self._let_go()
            except Error as error:
                log.warning("the access log waits, %d lines: %s", len(self._lines), error)
                connections[ALIAS].close()


def _refusal_line(counted: RefusalGroup, times: int) -> Access:
    outcome = f"{counted.status} {times} times"
    log.info("refused %s: %s", f"{counted.person} {counted.what}".strip(), outcome)
    return Access(
        at=timezone.now(), person=counted.person, device=counted.device, what=counted.what, outcome=outcome, count=times
    )


def forget_old(days: int) -> int:
    """Delete the lines that are older; how many they were."""
    close_stale_connections()
    old = Access.objects.filter(at__lt=timezone.now() - timedelta(days=days))
    return old.delete()[0]


@contextmanager
def access_log(house: Installation) -> Iterator[AccessLog]:
    """Yield the access log of this process, which writes its remaining lines at the end."""
    with closing(AccessLog()) as lines:
        yield lines
