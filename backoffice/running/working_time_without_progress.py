"""Time in which a part could have worked without a sign of progress. Only the standard library is imported.

The time in which its threads wait for a processor or a disk does not count: a busy machine makes a part slow, not dead.
So a hanging or paused part differs from a starved one. Without `/proc`, all time counts.
"""

import os
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")
WORKING = 0.01  # of a processor: a part that starts and uses more of one makes progress
_STATE, _SESSION, _USER, _SYSTEM, _STARTED = 0, 3, 11, 12, 19  # in /proc/PID/stat, after the name
_TICKS = os.sysconf("SC_CLK_TCK")


class Work(NamedTuple):
    """Work of the threads of a part so far, in seconds, and their state now."""

    used_s: float
    waited_s: float  # for a processor
    is_waiting: bool  # for a processor or a disk
    is_paused: bool


class Silence(NamedTuple):
    """The state of a watch between two checks; `seconds` is the time in which the part could have worked without a
    sign."""

    seconds: float = 0.0
    sign: float = 0.0  # any value that differs between two signs of progress
    at: float = 0.0
    work: Work | None = None

    @property
    def is_paused(self) -> bool:
        """Return whether a person has stopped the part by a signal."""
        return self.work is not None and self.work.is_paused

    def after(self, sign: float, now: float, look: Callable[[], Work | None]) -> "Silence":
        """Return the state at `now`. `look` is called only without a new sign; the first such call counts no time."""
        if sign != self.sign:
            return Silence(0.0, sign, now)
        work = look()
        if work is None or self.work is None:
            return Silence(self.seconds + (now - self.at if work is None else 0.0), sign, now, work)
        return Silence(self.seconds + could_work_s(self.work, work, now - self.at), sign, now, work)


def could_work_s(before: Work, after: Work, elapsed_s: float) -> float:
    """Return the seconds between two readings in which the part worked, slept or was paused."""
    used_s = min(max(after.used_s - before.used_s, 0.0), elapsed_s)
    waited_s = max(after.waited_s - before.waited_s, 0.0)
    if after.is_waiting and not after.is_paused:
        waited_s = max(waited_s, elapsed_s - used_s)
    return max(elapsed_s - waited_s, used_s)


def has_worked(before: Work, after: Work, elapsed_s: float) -> bool:
    """Return whether a part that is not ready yet makes progress: it used a processor between two looks."""
    return after.used_s - before.used_s > WORKING * elapsed_s


def session_of(leader: int) -> list[int]:
    """The processes of a session. A command that a part began leads a session of its own and does not belong to it."""
    pids = [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit()] if PROC.exists() else []
    return [pid for pid in pids if (stat := _stat(PROC / str(pid))) and int(stat[_SESSION]) == leader]


def work_of(pids: Collection[int]) -> Work | None:
    """Return the work of all threads of these processes; None if the system does not report it."""
    processes = [stat for pid in pids if (stat := _stat(PROC / str(pid)))]
    if not processes:
        return None
    threads = [thread for pid in pids for thread in _threads(pid)]
    states = {stat[_STATE] for thread in threads if (stat := _stat(thread))}
    used = sum(int(stat[_USER]) + int(stat[_SYSTEM]) for stat in processes)
    is_waiting, is_paused = bool(states & {"R", "D"}), bool(states & {"T", "t"})
    return Work(used / _TICKS, sum(map(_waited_s, threads)), is_waiting, is_paused)


def age_s(pids: Collection[int]) -> float:
    """Return the age of the oldest of these processes in seconds; 0.0 where none runs."""
    now = time.clock_gettime(time.CLOCK_BOOTTIME)
    return max((now - int(stat[_STARTED]) / _TICKS for pid in pids if (stat := _stat(PROC / str(pid)))), default=0.0)


def _threads(pid: int) -> Iterator[Path]:
    try:
        yield from (PROC / str(pid) / "task").iterdir()
    except OSError:  # it has ended
        return


def _stat(place: Path) -> list[str]:
    try:
        return (place / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _waited_s(thread: Path) -> float:
    try:
        return int((thread / "schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0
