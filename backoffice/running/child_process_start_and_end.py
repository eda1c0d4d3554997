"""Child processes that do not outlive their parent, and the search for survivors of an earlier run.

A child is tied to its parent (`exec_program_tied_to_parent.py`), and leads a session of its own, so that it can be
ended with all its children. It has a mark in its environment, so that even a grandchild that left the session is
recognised. A pid file names it by process id and start time: a process id alone may now belong to another process.
"""

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO

import msgspec

from backoffice.running.open_files_locks_full_disk import if_there_is_room
from backoffice.running.status_files import folder_id
from backoffice.running.working_time_without_progress import session_of
from events.errors import Retry

MARK = "PITLEDGER_PROCESS_MARK"
GRACE_S = 4.0
KILLED_S = 5.0  # for the kernel to remove a killed process
POLL_S = 0.02

_TETHER = str(Path(__file__).with_name("exec_program_tied_to_parent.py"))
_PROC = Path("/proc")


class Identity(msgspec.Struct, frozen=True):
    """One process, permanently: no other one, later or after a reboot, has the same `pid`, `started` and `boot`.

    `mark` is in the environment of the process and of all its children. `folder` is the folder of its pid file: a copy
    of a data folder also has the pid files of the original house.
    """

    pid: int
    started: str
    boot: str
    command: str
    mark: str = ""
    folder: str = ""


def launch(
    command: Sequence[str],
    *,
    env: Mapping[str, str],
    mark: str,
    output: IO[bytes] | int | None = None,
    cwd: Path | None = None,
    death_signal: signal.Signals = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own that ends with the *thread* which started it (so the kernel has it)."""
    tied = [sys.executable, "-IS", _TETHER, str(os.getpid()), str(int(death_signal)), *command]
    return subprocess.Popen(
        tied,
        env={**env, MARK: mark},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        cwd=cwd,
        start_new_session=True,
    )


def new_mark() -> str:
    """A mark that no other process tree carries."""
    return secrets.token_hex(16)


def identify(pid: int, mark: str = "") -> Identity | None:
    """Return the process that has this id now; None when no one has, or a process that has ended.

    A process whose first thread has ended, but not all others, still holds its files and ports: it has not ended.
    """
    if not _PROC.joinpath("self").exists():
        return _identify_by_ps(pid, mark)
    try:
        stat = _PROC.joinpath(str(pid), "stat").read_text().rpartition(")")[2].split()
        command = _PROC.joinpath(str(pid), "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        boot = _PROC.joinpath("sys/kernel/random/boot_id").read_text().strip()
        has_ended = stat[0] in "ZX" and len([*_PROC.joinpath(str(pid), "task").iterdir()]) <= 1
    except OSError:
        return None
    if has_ended:
        return None
    return Identity(pid=pid, started=stat[19], boot=boot, command=command, mark=mark)


def _identify_by_ps(pid: int, mark: str) -> Identity | None:
    command = ["ps", "-o", "stat=", "-o", "lstart=", "-o", "command=", "-p", str(pid)]
    words = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    if len(words) < 6 or words[0].startswith("Z"):
        return None
    return Identity(pid=pid, started=" ".join(words[1:6]), boot="", command=" ".join(words[6:]), mark=mark)


def is_running(identity: Identity) -> bool:
    """Return whether exactly this process still runs."""
    now = identify(identity.pid)
    return now is not None and (now.started, now.boot) == (identity.started, identity.boot)


def family(identity: Identity) -> set[int]:
    """Return the process, if it still runs, and its children (Linux; elsewhere the process alone).

    They have its mark in their environment. A forked process shows its ancestor's environment, so its session is used.
    """
    members = {identity.pid} if is_running(identity) else set()
    if identity.mark and not members:
        members.update(pid for pid in session_of(identity.pid) if _is_later(pid, identity))
    elif members:
        members.update(session_of(identity.pid))
    if identity.mark and _PROC.joinpath("self").exists():
        wanted = f"{MARK}={identity.mark}".encode()
        members.update(int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit() and _carries(entry, wanted))
    members.discard(os.getpid())
    return members


def _is_later(pid: int, identity: Identity) -> bool:
    """Return whether a process began after this one did: an id is free for another session only when the first is
    gone.
    """
    member = identify(pid)
    return member is not None and member.boot == identity.boot and int(member.started) >= int(identity.started)


def _carries(entry: Path, wanted: bytes) -> bool:
    try:
        return wanted in entry.joinpath("environ").read_bytes().split(b"\0")
    except OSError:  # it has ended, or may not be inspected
        return False


def end_processes(identities: Iterable[Identity], grace_s: float = GRACE_S) -> int:
    """End these processes and all their children: first by SIGTERM, after the grace period by SIGKILL.

    Returns their number. Raises Retry where the kernel does not release one.
    """
    identities = list(identities)
    count = sum(len(family(identity)) for identity in identities)
    for identity in filter(is_running, identities):
        _signal(identity.pid, signal.SIGTERM)
    _wait(lambda: not any(is_running(identity) for identity in identities), grace_s)
    if not _wait(lambda: not _kill(identities), KILLED_S):
        raise Retry(f"cannot end {', '.join(identity.command for identity in identities)}")
    return count


def _kill(identities: Iterable[Identity]) -> bool:
    """SIGKILL to all that is left; whether there was any."""
    left = set().union(*(family(identity) for identity in identities))
    for pid in left:
        _signal(pid, signal.SIGKILL)
    return bool(left)


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _wait(condition: Callable[[], bool], within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True


def write_pid_file(path: Path, identity: Identity) -> None:
    """Leave word of a process for a person who comes after us."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    with if_there_is_room():
        fresh.write_bytes(msgspec.json.encode(msgspec.structs.replace(identity, folder=folder_id(path.parent))))
        fresh.replace(path)


def read_pid_file(path: Path) -> Identity | None:
    """The process that a pid file names; None where it is missing or half written, or was written elsewhere."""
    try:
        identity = msgspec.json.decode(path.read_bytes(), type=Identity)
        return identity if identity.folder == folder_id(path.parent) else None
    except (OSError, msgspec.DecodeError):
        return None


def left_over(paths: Iterable[Path]) -> list[str]:
    """The names of those pid files whose process still runs, itself or something that it started."""
    identities = {path: identity for path in paths if (identity := read_pid_file(path)) is not None}
    return [path.stem for path, identity in identities.items() if family(identity)]


def end_leftovers(paths: Iterable[Path], grace_s: float = GRACE_S) -> list[str]:
    """End the processes of the pid files that still run with the same identity; return their names.

    A pid file that was copied here with its folder names a process of another house, which is not ended.
    """
    paths = list(paths)
    identities = {path: identity for path in paths if (identity := read_pid_file(path)) is not None}
    left = {path: identity for path, identity in identities.items() if family(identity)}
    end_processes(left.values(), grace_s)
    for path in paths:
        path.unlink(missing_ok=True)
    return [path.stem for path in left]
