"""A process that has imported the parts' modules once and forks the parts, so that they share this memory.

It has no threads and no connections, and holds no file but its line to the supervisor. A forked part becomes a child of
the supervisor, so it survives the end of the fork server. The next part is then started as a program of its own. Linux
only.
"""

import contextlib
import ctypes
import gc
import importlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, NoReturn

import msgspec

from backoffice.running import forked_part
from backoffice.running.exec_program_tied_to_parent import PR_SET_PDEATHSIG
from backoffice.running.working_time_without_progress import Silence, has_worked, work_of

PR_SET_CHILD_SUBREAPER = 36
REQUEST_MAX_BYTES = 150_000  # an environment that is larger does not fit into one message of the socket
ANSWER_S = 10.0  # a server that could work for this long and did not answer is given up
LOOK_S = 0.1
READY = b"ready"


class ForkedProcess:
    """A part that was forked for us, with the methods of `subprocess.Popen` that a supervisor uses."""

    def __init__(self, pid: int, stdout: IO[bytes]) -> None:
        self.pid, self.stdout = pid, stdout
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal; None while it runs."""
        return self._reap(os.WNOHANG)

    def wait(self) -> int | None:
        """Return the exit code once it has ended."""
        return self._reap(0)

    def kill(self) -> None:
        """Send SIGKILL to the part, if it still runs."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def _reap(self, options: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, options)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


class ForkServer:
    """The supervisor's side. `is_stopped` returns whether the supervisor no longer waits for an answer."""

    def __init__(self, pid: int, line: socket.socket, is_stopped: Callable[[], bool]) -> None:
        self.pid, self._line, self._is_stopped = pid, line, is_stopped
        self._is_ready = self._is_reaped = False
        self.is_lost = False

    def fork(
        self, command: Sequence[str], env: Mapping[str, str], cwd: Path | None, death_signal: signal.Signals
    ) -> ForkedProcess | None:
        """Return a fork that runs the command of a Python program; None where it must be started as a program.

        Raises OSError where the system lacks memory or processes.
        """
        request = msgspec.json.encode(
            forked_part.ProgramStart([*command], dict(env), str(cwd or Path.cwd()), int(death_signal), os.getpid())
        )
        if self.is_lost or len(request) > REQUEST_MAX_BYTES or not forked_part.is_python(command):
            return None
        self._is_ready = self._is_ready or self._answer(self._is_stopped) == READY
        if not self._is_ready:
            return None
        output, child_output = os.pipe()
        try:
            socket.send_fds(self._line, [request], [child_output])
            answer = self._answer()
        except OSError:  # it died
            self.close()
            answer = b""
        finally:
            os.close(child_output)
        if answer.isdigit():
            return ForkedProcess(int(answer), os.fdopen(output, "rb"))
        os.close(output)
        if answer:
            raise OSError(answer.decode())
        return None

    def _answer(self, is_stopped: Callable[[], bool] = bool) -> bytes:
        """Return its next message; empty if `is_stopped` or if the server is lost. A busy machine only delays it."""
        silence = Silence(sign=-1.0)
        while silence.seconds < ANSWER_S:
            with contextlib.suppress(TimeoutError):
                if answer := self._line.recv(REQUEST_MAX_BYTES):
                    return answer
                break
            if is_stopped():
                return b""
            silence = self._looked_at(silence)
        self.close()
        return b""

    def _looked_at(self, before: Silence) -> Silence:
        """Return the time in which it could have worked and did not. While it imports, it uses a processor."""
        now = time.monotonic()
        after = before.after(0.0, now, lambda: work_of([self.pid]))
        is_at_work = before.work and after.work and has_worked(before.work, after.work, now - before.at)
        return after._replace(seconds=0.0) if is_at_work else after

    def close(self) -> None:
        """End the server; the parts that it forked run on."""
        self.is_lost = True
        self._line.close()
        if not self._is_reaped:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self._is_reaped = True


def start(modules: Iterable[str], begin: Callable[[], None], is_stopped: Callable[[], bool]) -> ForkServer | None:
    """Fork a fork server off this process, before it has threads or open files; None where the system offers none.

    `begin` is called in each fork before its program.
    """
    if sys.platform != "linux" or threading.active_count() > 1 or len(os.listdir("/proc/self/task")) > 1:
        return None
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        return None
    own_end, child_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    parent = os.getpid()
    gc.collect()
    gc.freeze()
    if (pid := os.fork()) == 0:
        own_end.close()
        _serve(child_end, parent, modules, begin)
    child_end.close()
    own_end.settimeout(LOOK_S)
    return ForkServer(pid, own_end, is_stopped)


def reap_orphans(own: Collection[int]) -> None:
    """Reap orphaned descendants of the supervisor, which became its children. `own` are not reaped."""
    with contextlib.suppress(ChildProcessError):
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid in own or _session(ended.si_pid) == os.getsid(0):
                return
            os.waitpid(ended.si_pid, os.WNOHANG)


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return 0


def _serve(line: socket.socket, parent: int, modules: Iterable[str], begin: Callable[[], None]) -> NoReturn:
    """Import the modules, then fork a part for each request until the supervisor closes the connection."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if os.getppid() == parent:
            gc.disable()
            for name in modules:
                importlib.import_module(name)
            gc.collect()
            gc.freeze()
            if len(os.listdir("/proc/self/task")) == 1:  # a module that begins a thread must not be forked
                line.send(READY)
                while _fork_one(line, begin):
                    pass
    finally:
        os._exit(0)


def _fork_one(line: socket.socket, begin: Callable[[], None]) -> bool:
    """Fork one part; return False if the supervisor closed the connection. The process between ends at once."""
    request, files, _, _ = socket.recv_fds(line, REQUEST_MAX_BYTES, 1)
    if not request:
        return False
    try:
        if (between := os.fork()) == 0:
            _fork_again(request, line, files[0], begin)
        os.waitpid(between, 0)
    except OSError as error:
        line.send(str(error).encode())
    finally:
        os.close(files[0])
    return True


def _fork_again(request: bytes, line: socket.socket, output: int, begin: Callable[[], None]) -> NoReturn:
    """Run the process between: its child is orphaned at once, and so becomes the supervisor's."""
    try:
        between = os.getpid()
        if os.fork() == 0:
            forked_part.run(msgspec.json.decode(request, type=forked_part.ProgramStart), between, line, output, begin)
    except OSError as error:
        line.send(str(error).encode())
    os._exit(0)
