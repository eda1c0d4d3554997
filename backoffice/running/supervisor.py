"""Several processes as one: started in order, watched, restarted, and stopped together in reverse order.

What cannot be kept running is down: the others run on, and it is tried again now and then. What is down stands in the
status file `up.json`. No process outlives the supervisor unnoticed, whatever ends it: each is tied to it by the kernel
where that is offered, and named in a pid file that the next supervisor on the same data folder looks at. One supervisor
a data folder.
"""

import fcntl
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, TextIO

import msgspec

from backoffice.running import children, status
from backoffice.running.away import NAME, Away
from backoffice.running.files import sign
from backoffice.running.voice import Voice
from events.errors import Conflict, Retry, Unknown

TICK_S = 0.05
READY_S = 30.0
NEXT_S = 8.0  # they start one after the other, but none waits longer than this for those before it
UNREADY_MAX = 5  # deaths in a row of a process that never became ready: it is down then, the others run on
DOWN_AGAIN_S = 60.0  # how often what is down is tried again
BACK_OFF_S = (0.1, 5.0)
LATELY_S = 30.0  # deaths within this time slow the restarts down
STOP_S = 6.0  # for all together; what has not ended by then is killed
LOOK_S = 5.0  # how often it is looked whether those that are ready get on
SILENT_S = 30.0  # without a sign of life, and a process is ended and started again


@dataclass(frozen=True)
class Process:
    """One program to keep running. `ready` is asked with the process id until it says yes.

    `death_signal` is what it gets from the kernel when the supervisor dies: SIGKILL for what may end at any moment.
    `grace_s` is its time to end after SIGTERM, within what all have together. `alive` is asked again and again, from a
    thread of its own, whether it gets on; one that does not for `silent_s` is ended and started. `waits` says what it
    waits for that is not its own to bring back: that is told, and it is left alone.
    """

    name: str
    command: Sequence[str]
    ready: Callable[[int], bool]
    env: Mapping[str, str] = field(default_factory=dict)
    ready_s: float = READY_S
    death_signal: signal.Signals = signal.SIGTERM
    grace_s: float = STOP_S
    alive: Callable[[], bool] | None = None
    silent_s: float = SILENT_S
    waits: Callable[[], str] = str


def says_ready(name: str, data: Path) -> Callable[[int], bool]:
    """Ready when the process has said so by `status.announce(name)`."""
    return lambda pid: status.heard(name, data=data).get("pid") == pid


def says_waits(name: str, data: Path) -> str:
    """What the process waits for, by its last word."""
    return str(status.heard(name, data=data).get("waits", ""))


class Supervisor:
    """Keeps `processes` running, of which `only` and `without` choose by name; logs go to `output`, line by line."""

    def __init__(
        self,
        processes: Sequence[Process],
        data: Path,
        *,
        only: Collection[str] = (),
        without: Collection[str] = (),
        output: TextIO | None = None,
        cwd: Path | None = None,
        stop_s: float = STOP_S,
        down_again_s: float = DOWN_AGAIN_S,
        look_s: float = LOOK_S,
    ) -> None:
        names = {process.name for process in processes}
        if unknown := (set(only) | set(without)) - names:
            raise Unknown(f"no such process: {', '.join(sorted(unknown))} (there are {', '.join(sorted(names))})")
        chosen = [each for each in processes if (not only or each.name in only) and each.name not in without]
        self._data, self._stop_s = data, stop_s
        self.names = [each.name for each in chosen]
        self._say = Voice(output or sys.stdout, self.names)
        self._children = [_Child(each, data, self._say, cwd, down_again_s) for each in chosen]
        self._told: tuple[dict[str, str], list[Away]] | None = None
        self._look_s = look_s
        self._stop, self._ready, self._done = threading.Event(), threading.Event(), threading.Event()
        self._failure = ""
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)
        self._lock: IO[str] | None = None

    def __enter__(self) -> "Supervisor":
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def claim(self) -> list[str]:
        """Become the one supervisor of this data folder; what an earlier one left running on it, by name.

        Nothing is ended yet. Raises Conflict where another one is at work.
        """
        if self._lock is None:
            self._take_lock()
        return children.left_over(self._pid_files())

    def take_over(self) -> None:
        """Claim the folder, and end what an earlier supervisor left running on it. Raises Conflict as `claim`."""
        self.claim()
        for name in children.end_leftovers(self._pid_files(), self._stop_s):
            self._say("up", f"ended the {name} that an earlier run left")

    def start(self, *, need_all: bool = False) -> None:
        """Take over, start all in order, and return when each is ready or down (or when asked to stop meanwhile).

        Raises Conflict as `take_over`, Retry where nothing can be kept running, or with `need_all` not everything.
        """
        self.take_over()
        self._thread.start()
        threading.Thread(target=self._look, name="look", daemon=True).start()
        while not self._ready.wait(TICK_S):
            if self._done.is_set():
                break
        if need_all and not self._failure:
            self._failure = "; ".join(self.down().values())
        if self._failure:
            self.stop()
            raise Retry(self._failure)

    def wait(self) -> int:
        """Until everything has stopped: 0 if all ran until that was asked for, 1 if something was down then."""
        while not self._done.wait(TICK_S):
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
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @property
    def is_up(self) -> bool:
        """Whether all were ready once and nobody has asked to stop."""
        return self._ready.is_set() and not self._stop.is_set()

    @property
    def failure(self) -> str:
        """Why it ended although nobody asked it to, or what was down when somebody did; empty where all was well."""
        return self._failure

    def pids(self) -> dict[str, int]:
        """The process ids of those that run now."""
        return {child.spec.name: pid for child in self._children if (pid := child.pid) is not None}

    def down(self) -> dict[str, str]:
        """What cannot be kept running for now, by name, and why."""
        return {child.spec.name: child.down for child in self._children if child.down}

    def away(self) -> list[Away]:
        """What does not run at this moment, or cannot do its work, since when, and why."""
        found = [child for child in self._children if child.waits or not child.is_ready]
        return [Away(child.spec.name, child.since, child.why) for child in found]

    def _look(self) -> None:
        """Whether each gets on. It may take a while to ask, and nobody waits for it."""
        while not self._done.wait(self._look_s):
            for child in self._children:
                child.look(self._look_s)

    def _pid_files(self) -> list[Path]:
        return sorted(status.run_folder(self._data).glob("*.pid"))

    def _take_lock(self) -> None:
        file = status.run_folder(self._data).joinpath("up.lock").open("a+")
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
        """In a thread of its own, which lives as long as the processes: the kernel ties them to it."""
        try:
            for number, child in enumerate(self._children, 1):
                child.start()
                self._tend_until_settled([child], self._children[:number], NEXT_S)
            self._tend_until_settled(self._children, self._children)
            if self._children and len(self.down()) == len(self._children):
                raise Retry("; ".join(self.down().values()))
            if not self._stop.is_set():
                self._ready.set()
            while not self._stop.is_set():
                self._tend(self._children)
            self._failure = "; ".join(self.down().values())
        except Exception as error:
            self._failure = str(error) or repr(error)
            self._say("up", f"giving up: {self._failure}")
        finally:
            self._end_all()
            self._done.set()

    def _tend_until_settled(
        self, waited_for: Iterable["_Child"], started: Sequence["_Child"], at_most_s: float = math.inf
    ) -> None:
        """Until each of them was ready once, or is down. Who is slow does not keep the next one from its start."""
        until, left = time.monotonic() + at_most_s, [*waited_for]
        while left and not self._stop.is_set() and time.monotonic() < until:
            self._tend(started)
            left = [child for child in left if not child.is_ready and not child.down]

    def _tend(self, started: Sequence["_Child"]) -> None:
        for child in started:
            child.tend()
        self._tell()
        self._stop.wait(TICK_S)

    def _tell(self) -> None:
        """The status file: what is down or away, whenever that changes."""
        waiting = {child.spec.name: child.waits for child in self._children if child.waits}
        if (now := (self.down() | waiting, self.away())) != self._told:
            is_said = status.announce(NAME, data=self._data, down=now[0], away=msgspec.to_builtins(now[1]))
            self._told = now if is_said else None

    def _end_all(self) -> None:
        deadline = time.monotonic() + self._stop_s
        for child in reversed(self._children):
            try:
                child.end(min(child.spec.grace_s, max(deadline - time.monotonic(), TICK_S)))
            except Retry as error:  # the others are to end all the same
                self._failure = self._failure or str(error)


class _Child:
    """One process through all its lives."""

    def __init__(self, spec: Process, data: Path, say: "Voice", cwd: Path | None, down_again_s: float) -> None:
        self.spec = spec
        self.is_ready = False
        self.down = ""  # why, once it has died too often
        self.since, self.why = _now(), "it was not started yet"  # while it is not ready, or waits
        self.waits = ""  # for what
        self._silent_s = 0.0
        self._down_again_s = down_again_s
        self._data, self._down_at = data, 0.0
        self._pid_file = status.run_folder(data) / f"{spec.name}.pid"
        self._say = say
        self._cwd = cwd
        self._process: subprocess.Popen[bytes] | None = None
        self._identity: children.Identity | None = None
        self._pump: threading.Thread | None = None
        self._started = self._again_at = 0.0
        self._unready = 0
        self._deaths: deque[float] = deque(maxlen=16)

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def start(self) -> None:
        mark = children.new_mark()
        try:
            self._process = children.launch(
                self.spec.command,
                env={**os.environ, "PYTHONUNBUFFERED": "1", **self.spec.env},
                mark=mark,
                output=subprocess.PIPE,
                cwd=self._cwd,
                death_signal=self.spec.death_signal,
            )
        except OSError as error:  # no memory for it, or no process more
            self._bury(f"could not be started: {error}")
            return
        self._identity = children.identify(self._process.pid, mark)
        if self._identity is not None:
            children.write_pid_file(self._pid_file, self._identity)
        self._pump = threading.Thread(target=self._say.pump, args=(self.spec.name, self._process), daemon=True)
        self._pump.start()
        self._started, self.is_ready, self._silent_s, self.waits = time.monotonic(), False, 0.0, ""

    def look(self, after_s: float) -> None:
        """Ask whether it gets on, `after_s` after it was asked before."""
        if self.is_ready and self.spec.alive is not None:
            self._silent_s = 0.0 if self.spec.alive() else self._silent_s + after_s
            self._hear(self.spec.waits())

    def _hear(self, waits: str) -> None:
        if bool(waits) != bool(self.waits):
            self.since, self.why = _now(), waits
            self._say(self.spec.name, waits or "it waits no longer", own=True)
        self.waits = waits

    def tend(self) -> None:
        """See to it that it runs: notice its death, start it again when that is due."""
        if self._process is None:
            if time.monotonic() >= self._again_at or self._is_asked():
                self.start()
            return
        code = self._process.poll()
        if code is not None:
            self._bury(f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}")
        elif not self.is_ready and self.spec.ready(self._process.pid):
            self.is_ready, self._unready, self.down = True, 0, ""
            self._say(self.spec.name, f"ready after {time.monotonic() - self._started:.1f} s", own=True)
        elif self.is_ready and self._silent_s >= self.spec.silent_s:
            self._bury(f"gave no sign of life for {self._silent_s:g} s")
        elif not self.is_ready and time.monotonic() - self._started > self.spec.ready_s:
            self._bury(f"was not ready within {self.spec.ready_s:g} s")

    def _is_asked(self) -> bool:
        """Whether somebody has removed what was in its way since it was given up."""
        return bool(self.down) and status.asked_again_at(data=self._data) > self._down_at

    def _bury(self, how: str) -> None:
        """End what it left behind and set the time of its next start."""
        self._unready += not self.is_ready
        if self.is_ready:
            self.since = _now()
        self.why = how
        self.end(TICK_S)
        now = time.monotonic()
        if self._unready >= UNREADY_MAX:
            self._give_up(how, now)
            return
        lately = sum(now - death < LATELY_S for death in self._deaths)
        self._deaths.append(now)
        pause = min(BACK_OFF_S[0] * 2**lately, BACK_OFF_S[1]) if lately else 0.0
        self._again_at = now + pause
        self._say(self.spec.name, f"{how}: starting it again" + (f" in {pause:.1f} s" if pause else ""), own=True)

    def _give_up(self, how: str, now: float) -> None:
        self.down = f"{self.spec.name} {how}, {self._unready} times in a row before it was ready"
        self._again_at, self._down_at = now + self._down_again_s, time.time()
        again = f"it is down and tried again in {self._down_again_s:g} s, the others run on"
        self._say(self.spec.name, f"{how}, {self._unready} times in a row before it was ready: {again}", own=True)

    def end(self, grace_s: float) -> None:
        """End it and everything it has started."""
        if self._process is None:
            return
        if self._identity is not None:
            children.end([self._identity], grace_s)
        self._process.kill()  # where it could not be identified; otherwise it is gone already
        self._process.wait()
        assert self._pump is not None
        assert self._process.stdout is not None
        self._pump.join(1.0)
        self._process.stdout.close()
        self._process, self.is_ready = None, False
        self._pid_file.unlink(missing_ok=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
