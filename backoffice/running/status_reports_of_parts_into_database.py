"""Reports of the parts: every few seconds each writes its progress into the database of the read models.

So the state of all parts is visible, also in other containers and on other machines. A report has the time of the
part's last progress, its wait, the servers that do not answer it, and its position. It adds its counters to the totals
in the database. Times are those of the database server, so the clocks of two machines are never compared. The parts
that sign heads and relay events have no Django, so the statements are plain SQL.
"""

import atexit
import ctypes
import os
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from typing import Any
from urllib.parse import quote, unquote

import msgspec

from backoffice.running.part_names_and_own_part import own_part
from backoffice.running.version import version
from events.errors import PitledgerError
from events.runtime import metric_counters, tracing
from events.settings.settings_from_environment import settings
from events.store.driver_exception_classes import database_errors

EVERY_S = 5.0
WAIT_S = 3  # for the database; the next report comes soon
FORGOTTEN_S = 86_400.0  # of a container that is gone
_FILE = "sqlite:///"
_REPORT = """
INSERT INTO backoffice_partreport
    (id, part, host, pid, version, started_s, reported_s, progress_s, is_ended, waits, figures)
VALUES ({0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0})
ON CONFLICT (id) DO UPDATE SET pid = excluded.pid, version = excluded.version, started_s = excluded.started_s,
    reported_s = excluded.reported_s, progress_s = excluded.progress_s, is_ended = excluded.is_ended,
    waits = excluded.waits, figures = excluded.figures
"""
_COUNT = """
INSERT INTO backoffice_partcount (id, metric, labels, suffix, value) VALUES ({0}, {0}, {0}, {0}, {0})
ON CONFLICT (id) DO UPDATE SET value = backoffice_partcount.value + excluded.value
"""
_FORGET = "DELETE FROM backoffice_partreport WHERE reported_s < {0}"


class PartFigures(msgspec.Struct, frozen=True):
    """Figures of a part, in addition to its times. `clock_offset_s`: its machine's clock minus the database
    server's.
    """

    position: int = 0
    queues: dict[str, int] = {}
    away: dict[str, str] = {}
    clock_offset_s: float = 0.0


class Reporter:
    """Reports for one part of this process, from a thread of its own."""

    def __init__(self, part: str, url: str, every_s: float = EVERY_S) -> None:
        self.part, self._url, self._every_s = part, url, every_s
        self._started, self._progress = time.time(), 0.0  # 0.0: its loop gives no sign, so a report is enough
        self._waits, self._position = "", 0
        self._database: _File | _Server | None = None
        self._is_ended = threading.Event()
        self._writing = threading.Lock()
        self._has_forgotten = False

    def start(self) -> None:
        """Report from now on, and report an orderly end of the process."""
        threading.Thread(target=self._run, name="reports", daemon=True).start()
        atexit.register(self.report_end)

    def made_progress(self) -> None:
        """Note that the part's own loop has come round."""
        self._progress = time.time()

    def report_state(self, *, waits: str | None = None, position: int | None = None) -> None:
        """Record the part's wait, or its position."""
        self._waits = self._waits if waits is None else waits
        self._position = self._position if position is None else position

    def report_end(self) -> None:
        """Say that the part has ended."""
        if not self._is_ended.is_set():
            self._is_ended.set()
            self.report()
            with self._writing:
                self._hang_up()

    def report(self) -> bool:
        """Write one report; False where the database takes none: the counts wait for the next one."""
        counts = metric_counters.take_counts()
        with self._writing:
            try:
                self._write(counts)
            except _troubles():
                metric_counters.add(counts.items())
                self._hang_up()
                return False
        return True

    def _run(self) -> None:
        spare = SpareMemory()
        while not self._is_ended.is_set():
            self.report()
            spare.look()
            self._is_ended.wait(self._every_s)

    def _write(self, counts: Mapping[metric_counters.Series, float]) -> None:
        if self._database is None:
            self._database = _open_database(self._url)
        now = self._database.database_time()
        with self._database.transaction() as cursor:
            if not self._has_forgotten:
                cursor.execute(self._database.adapt_statement(_FORGET), [now - FORGOTTEN_S])
            cursor.execute(self._database.adapt_statement(_REPORT), self._row(now))
            if counts:
                rows = [_row(series, value) for series, value in sorted(counts.items())]
                cursor.executemany(self._database.adapt_statement(_COUNT), rows)
        self._has_forgotten = True

    def _row(self, now: float) -> list[Any]:
        """The report's values. `now` is the database server's."""
        offset, host = time.time() - now, socket.gethostname()
        figures = PartFigures(self._position, metric_counters.queue_depths(), metric_counters.servers_away(), offset)
        times = [self._started - offset, now, self._progress - offset if self._progress else now]
        which = [f"{self.part}@{host}", self.part, host, os.getpid(), version(), *times]
        return [*which, self._is_ended.is_set(), self._waits[:500], msgspec.json.encode(figures).decode()]

    def _hang_up(self) -> None:
        if self._database is not None:
            with suppress(*_troubles()):
                self._database.close()
            self._database = None


def _row(series: metric_counters.Series, value: float) -> list[Any]:
    metric, labels, suffix = series
    names = msgspec.json.encode(labels).decode()
    return [f"{metric} {names} {suffix}", metric, names, suffix, value]


def _troubles() -> tuple[type[Exception], ...]:
    return (*database_errors(), OSError, PitledgerError)


def _open_database(url: str) -> "_File | _Server":
    return _File(unquote(url.removeprefix(_FILE))) if url.startswith(_FILE) else _Server(url)


class _File:
    """The read models in an SQLite file, which is not made by this."""

    def __init__(self, path: str) -> None:
        name = f"file:{quote(path)}?mode=rw"
        self._connection = sqlite3.connect(
            name, timeout=WAIT_S, uri=True, check_same_thread=False, isolation_level=None
        )

    def adapt_statement(self, statement: str) -> str:
        return statement.format("?")

    def database_time(self) -> float:
        return time.time()

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        with closing(self._connection.cursor()) as cursor:
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield cursor
            except BaseException:
                cursor.execute("ROLLBACK")
                raise
            cursor.execute("COMMIT")

    def close(self) -> None:
        self._connection.close()


class _Server:
    """The read models on PostgreSQL."""

    def __init__(self, url: str) -> None:
        from events.store.postgres_session_settings import connect  # here: a house on SQLite never loads the driver

        self._connection = connect(url, connect_timeout=WAIT_S)
        self._connection.autocommit = True

    def adapt_statement(self, statement: str) -> str:
        return statement.format("%s")

    def database_time(self) -> float:
        """The server's clock, halfway through the question."""
        before = time.time()
        row = self._connection.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone()
        took = time.time() - before
        return float(row[0]) + took / 2 if row else before

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        with self._connection.transaction(), self._connection.cursor() as cursor:
            yield cursor

    def close(self) -> None:
        self._connection.close()


# --- the reporters of this process ------------------------------------------------------------------------------------

_reporters: dict[str, Reporter] = {}


def begin_reports(part: str = "") -> Reporter:
    """Report for a part of this process (default: its start name) until it ends; repeated calls start one reporter."""
    part = part or own_part()
    metric_counters.own_part = part
    if part not in _reporters:
        tracing.begin(part)
        _reporters[part] = Reporter(part, settings().read)
        _reporters[part].start()
    return _reporters[part]


def note_progress(name: str) -> None:
    """Note that the loop of a part came round, by the name of its beats, where it reports."""
    if (reporter := _reporters.get("projector" if name == "project" else name)) is not None:
        reporter.made_progress()


def note(part: str, *, waits: str | None = None, position: int | None = None) -> None:
    """Record this part's wait or its position, where it reports."""
    if (reporter := _reporters.get(part)) is not None:
        reporter.report_state(waits=waits, position=position)


# Freed memory that the C library keeps, returned to the system while the process is idle.
# A part that catches up reads many events at once. Without this, it would keep the freed memory for days.
IDLE_MAX = 0.1  # of a processor since the last look
USED_S = 0.2  # of processor time since memory was given back: less frees little
LOOKS = 2  # that give memory back: the last rows may be freed only after the first


class SpareMemory:
    """Returns memory to the system when a check finds the process idle after work."""

    def __init__(self, give_back: Callable[[], None] | None = None) -> None:
        self._give_back = give_back or _trim
        self._at, self._used_s, self._given_s, self._due = time.monotonic(), 0.0, 0.0, LOOKS

    def look(self) -> None:
        """Give memory back where that is due; cheap where it is not."""
        now, used_s = time.monotonic(), time.process_time()
        is_idle = used_s - self._used_s < IDLE_MAX * (now - self._at)
        self._at, self._used_s = now, used_s
        if used_s - self._given_s > USED_S:
            self._due = LOOKS
        if is_idle and self._due:
            self._give_back()
            self._due -= 1
            self._given_s = time.process_time()


def _trim() -> None:
    """Have glibc return the free pages of its heaps; other C libraries lack the call."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
