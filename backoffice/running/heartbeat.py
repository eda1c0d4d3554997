"""Heartbeats: a process touches a small file, `DATA/run/NAME.beat`, and its supervisor checks it.

A process that was stopped, hangs or waits permanently is there all the same, and its port is open. So the supervisor
expects signs of life for as long as the process runs.
"""

import asyncio
import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

from backoffice.running.child_process_start_and_end import MARK
from backoffice.running.open_files_locks_full_disk import if_there_is_room
from backoffice.running.status_files import run_folder
from backoffice.running.status_reports_of_parts_into_database import note_progress

BEAT_S = 1.0
SYSTEMD = "NOTIFY_SOCKET"


def is_watched() -> bool:
    """Return whether our supervisor, a health check or systemd checks the beats of this process."""
    return MARK in os.environ or SYSTEMD in os.environ


def record_heartbeat(name: str, data: Path | None = None) -> None:
    """Say that this process gets on."""
    note_progress(name)
    with if_there_is_room():
        _path(name, data).touch()
    if address := os.environ.get(SYSTEMD):
        _tell_systemd(address)


def _tell_systemd(address: str) -> None:
    """Notify systemd, for a unit with `WatchdogSec`, which restarts a hanging part, and `NotifyAccess=all`."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.setblocking(False)
        line.sendto(b"READY=1\nWATCHDOG=1", f"\0{address[1:]}" if address.startswith("@") else address)


def keep_beating(name: str, gets_on: Callable[[], bool] = lambda: True) -> None:
    """Beat from a separate thread while `gets_on` returns true: for programs with a loop of their own.

    Does nothing where no process reads the beat.
    """
    if not is_watched():
        return

    def work() -> None:
        while True:
            if gets_on():
                record_heartbeat(name)
            time.sleep(BEAT_S)

    threading.Thread(target=work, name="pulse", daemon=True).start()


async def beats(name: str) -> None:
    """Beat in an event loop, as long as the loop runs. Does nothing in the cases of `keep_beating`."""
    while is_watched():
        record_heartbeat(name)
        await asyncio.sleep(BEAT_S)


class Stop(threading.Event):
    """Flag that a loop asks whether to stop: as long as it asks, it makes progress."""

    def __init__(self, name: str, data: Path | None = None) -> None:
        super().__init__()
        self._name, self._data = name, data
        self._next_beat_s = 0.0

    def is_set(self) -> bool:
        self._record_heartbeat()
        return super().is_set()

    def wait(self, timeout: float | None = None) -> bool:
        self._record_heartbeat()
        return super().wait(timeout)

    def _record_heartbeat(self) -> None:
        if (now := time.monotonic()) >= self._next_beat_s:
            self._next_beat_s = now + BEAT_S
            record_heartbeat(self._name, self._data)


class Pulse:
    """For the supervisor: whether there was a sign of life since the last call."""

    def __init__(self, name: str, data: Path) -> None:
        self._path = _path(name, data)
        self._last = 0

    def __call__(self) -> bool:
        try:
            now = self._path.stat().st_mtime_ns
        except OSError:
            return False
        is_new, self._last = now != self._last, now
        return is_new


def _path(name: str, data: Path | None) -> Path:
    return run_folder(data) / f"{name}.beat"
