"""Several processes as one: started in order, watched, restarted, and stopped together in reverse order.

A failing part is down: the others continue, and it is started again from time to time. The status file `up.json` lists
the parts that are down. No process secretly outlives the supervisor, for any cause of its end. The kernel ties each
process to it where it can. A pid file names the process for the next supervisor on the same data folder. One supervisor
a data folder.
"""

import fcntl
import math
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, TextIO

import msgspec

from backoffice.running import child_process_start_and_end, preloaded_process_forker, status_files
from backoffice.running.merged_process_output import Voice
from backoffice.running.open_files_locks_full_disk import sign
from backoffice.running.part_start_watch_and_restart import DOWN_AGAIN_S, LOOK_S, STOP_S, TICK_S, Process, WatchedPart
from backoffice.running.parts_not_running import NAME, Away
from backoffice.running.preloaded_process_forker import ForkServer
from events.errors import Conflict, Retry, Unknown

NEXT_S = 8.0  # they start one after the other, but none waits longer than this for those before it
AHEAD = 2  # number of starts at the same time as the awaited one
QUIET_TICK_S = 0.2  # while all are ready


class Supervisor:
    """Keeps `processes` running, chosen by `names_started` and `without`. Logs go to `output`, line by line."""

    def __init__(
        self,
        processes: Sequence[Process],
        data: Path,
        *,
        names_started: Collection[str] = (),
        without: Collection[str] = (),
        output: TextIO | None = None,
        cwd: Path | None = None,
        stop_s: float = STOP_S,
        down_again_s: float = DOWN_AGAIN_S,
        look_s: float = LOOK_S,
    ) -> None:
        names = {process.name for process in processes}
        if unknown := (set(names_started) | set(without)) - names:
            raise Unknown(f"no such process: {', '.join(sorted(unknown))} (there are {', '.join(sorted(names))})")
        chosen = [
            each for each in processes if (not names_started or each.name in names_started) and each.name not in without
        ]
        self._data, self._stop_s = data, stop_s
        self.names = [each.name for each in chosen]
        self._say = Voice(output or sys.stdout, self.names)
        self._children = [WatchedPart(each, data, self._say, cwd, down_again_s) for each in chosen]
        self._announced: tuple[dict[str, str], list[Away]] | None = None
        self._look_s = look_s
        self._stop, self._ready_event, self._done_event = threading.Event(), threading.Event(), threading.Event()
        self._failure = ""
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)
        self._lock: IO[str] | None = None
        self._forks: ForkServer | None = None
        self._reap_at = 0.0

    def __enter__(self) -> "Supervisor":
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def share_memory(self, begin: Callable[[], None]) -> None:
        """Have the parts forked off one process, so that they share their imports; each fork calls `begin`.

        Call it before this process has threads, connections or locks, which a fork would copy. Where the system has no
        fork server, each part is a program of its own.
        """
        modules = [name for child in self._children for name in child.spec.modules]
        if sum(bool(child.spec.modules) for child in self._children) > 1:
            self._forks = preloaded_process_forker.start(dict.fromkeys(modules), begin, self._stop.is_set)

    def claim(self) -> list[str]:
        """Become the one supervisor of this data folder; return the processes that an earlier one left running, by
        name.

        No process is ended yet. Raises Conflict where another one is at work.
        """
        if self._lock is None:
            self._take_lock()
        return child_process_start_and_end.left_over(self._pid_files())

    def take_over(self) -> None:
        """Claim the folder, and end the processes of an earlier supervisor on it. Raises Conflict as `claim`."""
        self.claim()
        for name in child_process_start_and_end.end_leftovers(self._pid_files(), self._stop_s):
            self._say("up", f"ended the {name} that an earlier run left")

    def start(self, *, need_all: bool = False) -> None:
        """Take over, start all in order, and return when each is ready or down (or when asked to stop meanwhile).

        Raises Conflict as `take_over`, Retry where nothing can be kept running, or with `need_all` not everything.
        """
        self.take_over()
        self._thread.start()
        threading.Thread(target=self._look, name="look", daemon=True).start()
        while not self._ready_event.wait(TICK_S):
            if self._done_event.is_set():
                break
        if need_all and not self._failure:
            self._failure = "; ".join(self.parts_down().values())
        if self._failure:
            self.stop()
            raise Retry(self._failure)

    def wait(self) -> int:
        """Wait until all parts have stopped: 0 if all ran until the requested stop, 1 if a part was down then."""
        while not self._done_event.wait(TICK_S):
            pass
        return 1 if self._failure else 0

    def ask_to_stop(self) -> None:
        """Begin to stop. For signal handlers: returns at once."""
        self._stop.set()

    def stop(self) -> None:
        """Stop all, in reverse order; returns when nothing runs any more."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()
        if self._forks is not None:
            self._forks.close()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @property
    def is_up(self) -> bool:
        """Return whether all were ready once and no one has asked to stop."""
        return self._ready_event.is_set() and not self._stop.is_set()

    @property
    def failure(self) -> str:
        """Return why it ended without a request, or the parts that were down at a requested end; empty without a
        failure.
        """
        return self._failure

    def pids(self) -> dict[str, int]:
        """The process ids of those that run now."""
        return {child.spec.name: pid for child in self._children if (pid := child.pid) is not None}

    def parts_down(self) -> dict[str, str]:
        """Return the parts that cannot be kept running for now, by name, and why."""
        return {child.spec.name: child.down for child in self._children if child.down}

    def absent_parts(self) -> list[Away]:
        """Return the parts that do not run at this moment, or cannot do their work, since when, and why."""
        return [unreachable for child in self._children if (unreachable := child.absence) is not None]

    def _look(self) -> None:
        """Return whether each gets on. It may take a while to ask, and no one waits for it."""
        while not self._done_event.wait(self._look_s):
            for child in self._children:
                child.look()

    def _pid_files(self) -> list[Path]:
        return sorted(status_files.run_folder(self._data).glob("*.pid"))

    def _take_lock(self) -> None:
        file = status_files.run_folder(self._data).joinpath("up.lock").open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip()
            file.close()
            raise Conflict(f"Pitledger is already up on {self._data} (process {holder or 'unknown'})") from None
        sign(file)
        self._lock = file

    def _run(self) -> None:
        """Watch in a separate thread, which lives as long as the processes: the kernel ties them to it."""
        try:
            for number, child in enumerate(self._children, 1):
                # The next ones start at the same time, and are checked in their turn. The first starts alone, since the
                # others need it.
                for neighbour in self._children[number - 1 : number + (AHEAD if number > 1 else 0)]:
                    if neighbour.pid is None:
                        neighbour.start(self._forks)
                self._tend_until_settled([child], self._children[:number], NEXT_S)
            self._tend_until_settled(self._children, self._children)
            if self._children and len(self.parts_down()) == len(self._children):
                raise Retry("; ".join(self.parts_down().values()))
            if not self._stop.is_set():
                self._ready_event.set()
            while not self._stop.is_set():
                self._keep_parts_running(self._children)
            self._failure = "; ".join(self.parts_down().values())
        except Exception as error:
            self._failure = str(error) or repr(error)
            self._say("up", f"giving up: {self._failure}")
        finally:
            self._end_all()
            self._done_event.set()

    def _tend_until_settled(
        self, waited_for: Iterable[WatchedPart], started: Sequence[WatchedPart], at_most_s: float = math.inf
    ) -> None:
        """Wait until each of them was ready once, or is down. A slow part does not delay the start of the next one."""
        until, left = time.monotonic() + at_most_s, [*waited_for]
        while left and not self._stop.is_set() and time.monotonic() < until:
            self._keep_parts_running(started)
            left = [child for child in left if not child.is_ready and not child.down]

    def _keep_parts_running(self, started: Sequence[WatchedPart]) -> None:
        for child in started:
            child.keep_running(self._forks)
        if self._forks is not None and (now := time.monotonic()) >= self._reap_at:
            self._reap_at = now + self._look_s
            preloaded_process_forker.reap_orphans({self._forks.pid, *self.pids().values()})
        self._write_status()
        self._stop.wait(QUIET_TICK_S if all(child.is_ready for child in started) else TICK_S)

    def _write_status(self) -> None:
        """Write the status file at every change: the parts that are down or away."""
        waiting = {child.spec.name: child.waits for child in self._children if child.waits}
        if (now := (self.parts_down() | waiting, self.absent_parts())) != self._announced:
            is_said = status_files.announce(NAME, data=self._data, down=now[0], away=msgspec.to_builtins(now[1]))
            self._announced = now if is_said else None

    def _end_all(self) -> None:
        deadline = time.monotonic() + self._stop_s
        for child in reversed(self._children):
            try:
                child.end_part(min(child.spec.grace_s, max(deadline - time.monotonic(), TICK_S)))
            except Retry as error:  # the others are to end all the same
                self._failure = self._failure or str(error)
