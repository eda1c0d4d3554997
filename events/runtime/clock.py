"""The house's clock: the only source of time for everything stamped or bounded.

Usually it is the machine's clock. A played day (of the demo, a test, a training) has a clock of its own, in a small
file for all its processes. PITLEDGER_CLOCK names that file. Such a house has its own time, not the real one.
"""

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path

from events import envelope
from events.error_codes import coded
from events.errors import Invalid
from events.fields import is_time
from events.settings.setting_declarations import MACHINE
from events.settings.settings_from_environment import settings

SETTING = "PITLEDGER_CLOCK"
SINCE_MAX = 2**40  # seconds of the machine's clock
Clock = Callable[[], str]
machine: Clock = envelope.now


class PlayedClock:
    """A clock that a file sets: "TIME since SECONDS" runs from that moment of the machine's clock, "TIME" is stopped.

    Reading it costs one check of the file's date. `advance` is for the one process that plays the day.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = (0, 0)
        self._time, self._since = datetime.min.replace(tzinfo=UTC), None  # type: datetime, float | None
        self._look()

    def __call__(self) -> str:
        return event_time(self.moment())

    def moment(self) -> datetime:
        """Return its time."""
        self._look()
        elapsed_s = 0.0 if self._since is None else max(0.0, time.time() - self._since)
        return self._time + timedelta(seconds=elapsed_s)

    def advance(self, to: str) -> None:
        """Set it forward to a time; it never goes back."""
        if datetime.fromisoformat(to) > self.moment():
            start(self._path, to)

    @property
    def stands(self) -> bool:
        """Return whether it is stopped."""
        self._look()
        return self._since is None

    def stand(self) -> None:
        """Stop it: no one uses this house until it is opened again."""
        _set(self._path, event_time(self.moment()))

    def _look(self) -> None:
        try:
            status = self._path.stat()
            if (status.st_mtime_ns, status.st_ino) != self._seen:
                self._time, self._since = _parse(self._path.read_text())
                self._seen = (status.st_mtime_ns, status.st_ino)
        except OSError as error:
            if self._seen == (0, 0):
                raise Invalid(
                    SETTING, coded("clock-file-unreadable", path=str(self._path), why=str(error.strerror))
                ) from error


def start(path: Path, at: str) -> PlayedClock:
    """A played clock that shows `at` now and runs on."""
    _set(path, f"{at} since {time.time():.3f}")
    return PlayedClock(path)


def _set(path: Path, text: str) -> None:
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(f"{text}\n")
    fresh.replace(path)  # whole, a person who reads meanwhile


def house_clock() -> Clock:
    """The clock of this process's house: the machine's, or the played one of PITLEDGER_CLOCK. Raises Invalid."""
    return played_clock(settings().clock) or machine


def moment() -> datetime:
    """Return the time of the house's clock."""
    return datetime.fromisoformat(house_clock()())


@lru_cache(maxsize=8)
def played_clock(path: str) -> PlayedClock | None:
    """The played clock of this file; None: it is the machine's. Raises Invalid."""
    return None if path == MACHINE else PlayedClock(Path(path))


def event_time(at: datetime) -> str:
    """A moment as events write it."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _parse(text: str) -> tuple[datetime, float | None]:
    at, _, since = text.strip().partition(" since ")
    try:
        if is_time(at) and (not since or 0 <= float(since) < SINCE_MAX):  # nor "nan", nor "inf"
            return datetime.fromisoformat(at), float(since) if since else None
    except ValueError:
        pass
    raise Invalid(SETTING, coded("clock-format", text=text[:80]))
