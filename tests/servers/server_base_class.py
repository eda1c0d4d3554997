"""The common part of all servers: a port, a data folder, a guard, a deadline."""

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from tests.servers.ports import LOOPBACK, free_port, is_free

GUARD = Path(__file__).with_name("server_guard_process.py")
START_TRIES_MAX = 3
LOG_TAIL_LINES = 30


class ServerDied(Exception):
    """The server ended by itself; the message has the end of its log."""


class ServerNotReady(Exception):
    """The server runs but did not answer within its deadline; the message has the end of its log."""


class Server(ABC):
    """A server on a free loopback port with a data folder of its own, running inside `with`.

    `start` returns when the server answers. `stop` and `kill` leave port and data as they are, for another `start`. The
    end of the `with` block stops the server and removes the data. Any end of this process does the same.
    """

    name: ClassVar[str]
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM
    ready_s: ClassVar[float] = 120
    grace_s: ClassVar[float] = 10

    def __init__(self) -> None:
        self.port = 0
        self.pid: int | None = None
        self.uid: int | None = None
        self.gid: int | None = None
        self._folder: Path | None = None
        self._guard: subprocess.Popen[bytes] | None = None

    # What a server says of itself

    @abstractmethod
    def command(self) -> list[str]:
        """Return the command that runs the server in the foreground."""

    @abstractmethod
    def answers(self) -> bool:
        """Tell whether the server does its work (asked only when its port accepts connections)."""

    def before(self) -> list[list[str]]:
        """Write what the first start needs into the folder; return commands to run ahead of it."""
        return []

    # Running it

    @property
    def folder(self) -> Path:
        assert self._folder is not None, f"{self.name} was not started"
        return self._folder

    @property
    def address(self) -> str:
        return f"{LOOPBACK}:{self.port}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Start the server and return when it answers.

        Raises `ServerDied` or `ServerNotReady`, with nothing left behind where it was the first start.
        """
        assert self._guard is None, f"{self.name} runs already"
        if self._folder is not None:
            self._launch([])
            self._await_ready()
            return
        for last_try in [False] * (START_TRIES_MAX - 1) + [True]:
            try:
                self._start_first()
                return
            except ServerDied:
                if last_try or is_free(self.port):  # else somebody took the port before the server could
                    raise

    def stop(self) -> None:
        """Stop the server as an operator would; the data stay."""
        self._release(keep=True)

    def kill(self) -> None:
        """Kill the server with SIGKILL; the data stay as they are."""
        assert self.pid is not None, f"{self.name} does not run"
        os.killpg(self.pid, signal.SIGKILL)
        self._release(keep=True)

    def close(self) -> None:
        """Stop the server and remove its data; done twice, nothing happens."""
        self._release(keep=False)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def log_tail(self) -> str:
        log = self.folder / "server.log"
        return "\n".join(log.read_text(errors="replace").splitlines()[-LOG_TAIL_LINES:]) if log.exists() else ""

    # Inside

    def _start_first(self) -> None:
        self.port = free_port()
        # As root the folder belongs to the server's user, who may not be able to enter a TMPDIR of root's.
        self._folder = Path(
            tempfile.mkdtemp(prefix=f"pitledger-{self.name}-", dir=None if self.uid is None else "/tmp")
        )
        try:
            if self.uid is not None and self.gid is not None:
                os.chown(self._folder, self.uid, self.gid)
            self._launch(self.before())
            self._await_ready()
        except BaseException:
            self.close()
            raise

    def _launch(self, before: list[list[str]]) -> None:
        job = {
            "before": before,
            "command": self.command(),
            "env": self.environment(),
            "folder": str(self.folder),
            "log": str(self.folder / "server.log"),
            "uid": self.uid,
            "gid": self.gid,
            "parent": os.getpid(),
            "stop_signal": int(self.stop_signal),
            "grace_s": self.grace_s,
        }
        self._guard = subprocess.Popen(
            [sys.executable, "-IS", str(GUARD), json.dumps(job)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,  # a line in a buffer would never be heard: `select` sees the pipe only
            start_new_session=True,  # a Ctrl-C reaches the tests, not the servers under them
        )

    def environment(self) -> dict[str, str]:
        """Return the server's whole environment, without the developer's settings."""
        inherited = {name: os.environ[name] for name in ("PATH", "JAVA_HOME") if name in os.environ}
        return inherited | {"HOME": str(self.folder), "LC_ALL": "C", "TZ": "UTC"}

    def _await_ready(self) -> None:
        deadline = time.monotonic() + self.ready_s
        while time.monotonic() < deadline:
            self._hear_guard(0.02)
            if self.pid is not None and self._accepts() and self.answers():
                return
        raise ServerNotReady(f"{self.name} did not answer within {self.ready_s} s:\n{self.log_tail()}")

    def _hear_guard(self, wait_s: float) -> None:
        assert self._guard is not None
        assert self._guard.stdout is not None
        if not select.select([self._guard.stdout], [], [], wait_s)[0]:
            return
        word, _, number = self._guard.stdout.readline().decode().partition(" ")
        if word != "pid":
            raise ServerDied(f"{self.name} ended with {number.strip() or 'its guard'}:\n{self.log_tail()}")
        self.pid = int(number)

    def _accepts(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex((LOOPBACK, self.port)) == 0

    def _release(self, *, keep: bool) -> None:
        if self._guard is None:
            return
        guard, self._guard, self.pid = self._guard, None, None
        try:
            guard.communicate(b"keep\n" if keep else b"", timeout=self.grace_s + 10)
        except subprocess.TimeoutExpired:
            guard.kill()  # the kernel then kills the server
            guard.communicate()  # and closes what was open to it
