"""One part of the house through all its processes: started, watched, ended without progress, and started again.

Liveness means progress, and is separate from readiness. A starting part may take any time as long as it works. Each
failed start lengthens the pause before the next one, and the time for the next one.
"""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from backoffice.running import child_process_start_and_end, status_files
from backoffice.running.merged_process_output import Voice
from backoffice.running.parts_not_running import Away
from backoffice.running.preloaded_process_forker import ForkedProcess, ForkServer
from backoffice.running.working_time_without_progress import Silence, has_worked, session_of, work_of

TICK_S = 0.05
READY_S = 30.0  # in which a part that starts used no processor
READY_USED_MAX = 10  # times as long: the processor time that a start may use
READY_AGAIN = 4  # so many failed starts double the time of the next one
UNREADY_MAX = 5  # deaths in a row of a process that never became ready: it is down then, the others run on
DOWN_AGAIN_S = 60.0  # first pause before a failed part is started again, doubled each time
DOWN_AGAIN_MAX_S = 900.0
BACK_OFF_S = (0.1, 30.0)
STEADY_S = 30.0  # a part that was ready for so long begins with a short pause when it dies
STOP_S = 6.0  # for all together; the rest is killed then
LOOK_S = 5.0  # interval between two checks of progress
LATE_S = 15.0  # of silence, then pages and `/healthz` report it
SILENT_S = 30.0  # in which it could have worked and gave no sign of life: it is ended and started again
ASK_AGAIN = 2  # times as long as the question whether it is ready took: the pause before the next one
ASK_AGAIN_S = 5.0


Running = subprocess.Popen[bytes] | ForkedProcess


@dataclass(frozen=True)
class Process:
    """One program to keep running. `ready` is asked with the process id until it returns true.

    `death_signal` is its signal from the kernel when the supervisor dies: SIGKILL for a process that may end at any
    moment. `grace_s` is its time to end after SIGTERM, within the common grace period. `alive` is asked repeatedly,
    from a separate thread, for a sign of life since the last call. A part is ended where it could have worked for
    `silent_s` without one, or for `ready_s` before it was ready. `waits` returns the external cause for which it waits:
    that is reported, and the part is left alone. `modules` are its imports; a fork server imports them once for all.
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
    modules: Sequence[str] = ()


def says_ready(name: str, data: Path) -> Callable[[int], bool]:
    """Ready after the process has called `status_files.announce(name)`."""
    return lambda pid: status_files.last_status(name, data=data).get("pid") == pid


def says_waits(name: str, data: Path) -> str:
    """Return the cause for which the process waits, by its last report."""
    return str(status_files.last_status(name, data=data).get("waits", ""))


class WatchedPart:
    """One part through all of its processes. `keep_running` and `look` may be called from two threads."""

    def __init__(self, spec: Process, data: Path, say: Voice, cwd: Path | None, down_again_s: float) -> None:
        self.spec = spec
        self.is_ready = False
        self.down = ""  # why, once it has died too often
        self.since, self.why = now_utc(), "it was not started yet"  # while it is not ready, waits or is silent
        self.waits = ""  # the cause
        self._silence = Silence()
        self._silent_at, self._silent_since = 0.0, ""  # since there was no sign of life, by two clocks
        self._down_again_s = down_again_s
        self._data, self._down_at = data, 0.0
        self._pid_file = status_files.run_folder(data) / f"{spec.name}.pid"
        self._say = say
        self._cwd = cwd
        self._process: Running | None = None
        self._identity: child_process_start_and_end.Identity | None = None
        self._pump: threading.Thread | None = None
        self._started_s = self._again_at = self._ask_at = self._ready_at = 0.0
        self._signs = 0
        self._unready = self._deaths = 0

    @property
    def pid(self) -> int | None:
        """The process id while it runs."""
        return self._process.pid if self._process is not None else None

    @property
    def absence(self) -> Away | None:
        """Return why it does no work at this moment; None where it does."""
        if self.waits or not self.is_ready:
            return Away(self.spec.name, self.since, self.why)
        if self.spec.alive is None or not self._silent_at:
            return None
        if self._silence.is_paused:
            return Away(self.spec.name, self._silent_since, "it is paused")
        if time.monotonic() - self._silent_at < LATE_S:
            return None
        return Away(self.spec.name, self._silent_since, f"it gave no sign of life for {LATE_S:g} s")

    def start(self, forks: ForkServer | None = None) -> None:
        """Start it, by a fork where that can be."""
        mark = child_process_start_and_end.new_mark()
        try:
            self._process = self._launched(mark, forks)
        except OSError as error:  # no memory for it, or no process more
            self._end_children(f"could not be started: {error}")
            return
        self._identity = child_process_start_and_end.identify(self._process.pid, mark)
        if self._identity is not None:
            child_process_start_and_end.write_pid_file(self._pid_file, self._identity)
        output = self._process.stdout
        self._pump = threading.Thread(target=self._say.pump, args=(self.spec.name, output), daemon=True)
        self._pump.start()
        self._started_s, self.is_ready, self.waits = time.monotonic(), False, ""
        self._ask_at = self._silent_at = 0.0
        self._silence = Silence(sign=float(self._signs), at=self._started_s)

    def _launched(self, mark: str, forks: ForkServer | None) -> Running:
        env, death_signal = {**os.environ, "PYTHONUNBUFFERED": "1", **self.spec.env}, self.spec.death_signal
        if forks is not None and self.spec.modules:
            marked = {**env, child_process_start_and_end.MARK: mark}
            if (forked := forks.fork(self.spec.command, marked, self._cwd, death_signal)) is not None:
                return forked
        return child_process_start_and_end.launch(
            self.spec.command, env=env, mark=mark, output=subprocess.PIPE, cwd=self._cwd, death_signal=death_signal
        )

    def look(self) -> None:
        """Look whether it gets on. May take a while."""
        process, now = self._process, time.monotonic()
        if process is None or (self.is_ready and self.spec.alive is None):
            return
        is_sign = self.spec.alive is not None and self.spec.alive()
        self._signs += is_sign
        before = self._silence
        after = before.after(float(self._signs), now, lambda: work_of(session_of(process.pid)))
        if not self.is_ready and before.work and after.work and has_worked(before.work, after.work, now - before.at):
            after = after._replace(seconds=0.0)
        if process is self._process:  # no one has started it again meanwhile
            self._silence = after
            if is_sign:
                self._silent_at = 0.0
            elif not self._silent_at:
                self._silent_at, self._silent_since = now, now_utc()
        if self.is_ready:
            self._hear(self.spec.waits())

    def _hear(self, waits: str) -> None:
        if bool(waits) != bool(self.waits):
            self.since, self.why = now_utc(), waits
            self._say(self.spec.name, waits or "it waits no longer", own=True)
        self.waits = waits

    def keep_running(self, forks: ForkServer | None = None) -> None:
        """See to it that it runs: notice its death, start it again when that is due."""
        if self._process is None:
            if time.monotonic() >= self._again_at or self._is_asked():
                self.start(forks)
            return
        code = self._process.poll()
        if code is not None:
            self._end_children(f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}")
        elif not self.is_ready and self._answers_ready(self._process.pid):
            self._is_ready_now()
        elif self.is_ready and self._silence.seconds >= self._silent_max_s:
            self._end_children(f"gave no sign of life for {self._silent_max_s:g} s")
        elif not self.is_ready and (how := self._fails_to_start()):
            self._end_children(how)

    def _answers_ready(self, pid: int) -> bool:
        """Ask whether it is ready. A slow answer makes the pause longer: asking loads a busy machine, too."""
        if (now := time.monotonic()) < self._ask_at:
            return False
        is_ready = self.spec.ready(pid)
        took_s = time.monotonic() - now
        self._ask_at = now + took_s + min(ASK_AGAIN * took_s, ASK_AGAIN_S)
        return is_ready

    def _is_ready_now(self) -> None:
        self.is_ready, self._unready, self.down = True, 0, ""
        self._ready_at, self._silent_at = time.monotonic(), 0.0
        self._silence = Silence(sign=-1.0)  # nothing of the start counts
        self._say(self.spec.name, f"ready after {self._ready_at - self._started_s:.1f} s", own=True)

    @property
    def _silent_max_s(self) -> float:
        """A pause ends by no work of its own, so no one waits for it longer than for the others."""
        return min(self.spec.silent_s, SILENT_S) if self._silence.is_paused else self.spec.silent_s

    def _fails_to_start(self) -> str:
        """Return why this start has failed; "" while it makes progress, or has had less time than the ones before."""
        most_s = self.spec.ready_s * 2 ** min(self._unready, READY_AGAIN)
        work = self._silence.work
        if self._silence.seconds >= most_s:
            return f"was not ready, and did nothing for {most_s:g} s"
        if work is not None and work.used_s >= most_s * READY_USED_MAX:
            return f"was not ready after {most_s * READY_USED_MAX:g} s of processor time"
        return ""

    def _is_asked(self) -> bool:
        """Return whether a person has removed the obstacle since the supervisor gave up."""
        return bool(self.down) and status_files.asked_again_at(data=self._data) > self._down_at

    def _end_children(self, reason: str) -> None:
        """End the remaining children and set the time of the next start."""
        now = time.monotonic()
        is_steady = self.is_ready and now - self._ready_at >= STEADY_S
        self._unready += not self.is_ready
        if self.is_ready:
            self.since = now_utc()
        self.why = reason
        self.end_part(TICK_S)
        if self._unready >= UNREADY_MAX:
            self._give_up(reason, now)
            return
        self._deaths = 0 if is_steady else self._deaths
        pause = min(BACK_OFF_S[0] * 2**self._deaths, BACK_OFF_S[1]) if self._deaths else 0.0
        self._deaths += 1
        self._again_at = now + pause
        self._say(self.spec.name, f"{reason}: starting it again" + (f" in {pause:.1f} s" if pause else ""), own=True)

    def _give_up(self, how: str, now: float) -> None:
        again_s = min(self._down_again_s * 2 ** (self._unready - UNREADY_MAX), DOWN_AGAIN_MAX_S)
        self.down = f"{self.spec.name} {how}, {self._unready} times in a row before it was ready"
        self._again_at, self._down_at = now + again_s, time.time()
        message = f"it is down and tried again in {again_s:g} s, the others run on"
        self._say(self.spec.name, f"{how}, {self._unready} times in a row before it was ready: {message}", own=True)

    def end_part(self, grace_s: float) -> None:
        """End it and everything it has started. Raises Retry where the kernel does not let go of it."""
        if self._process is None:
            return
        if self._identity is not None:
            child_process_start_and_end.end_processes([self._identity], grace_s)
        self._process.kill()  # where it could not be identified; otherwise it is gone already
        self._process.wait()
        assert self._pump is not None
        assert self._process.stdout is not None
        self._pump.join(1.0)
        self._process.stdout.close()
        self._process, self.is_ready = None, False
        self._pid_file.unlink(missing_ok=True)


def now_utc() -> str:
    """The machine's time, in UTC and whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
