"""The process between a test run and one server. It outlives the test run just long enough to clean up.

`server_base_class.py` starts it with a job in JSON as its only argument. It starts the server, prints the server's
process id and later its exit code, and waits. It stops the server and removes the data folder when its input closes.
The test run closes the input on purpose, or by its own end, even by SIGKILL. The input line "keep" before the end keeps
the data folder for a restart.

Runs by path with the standard library alone, so that it starts in some 20 ms.
"""

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

POLL_S = 0.2
PR_SET_PDEATHSIG = 1


def die_with_guard() -> None:
    """Have the kernel kill this process should the guard itself be killed (Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def launch(command: list[str], job: dict[str, Any], log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a command of the job in a process group of its own, as the user the job names."""
    identity = {"user": job["uid"], "group": job["gid"], "extra_groups": []} if job["uid"] is not None else {}
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env=job["env"],
        cwd=job["folder"],
        process_group=0,
        # After the change of user, which would undo it. The guard has one thread, hence: noqa
        preexec_fn=die_with_guard,  # noqa: PLW1509
        **identity,
    )


def tell(word: str, number: int) -> None:
    with contextlib.suppress(BrokenPipeError):  # nobody listens any more: the clean-up goes on
        sys.stdout.write(f"{word} {number}\n")
        sys.stdout.flush()


def watch(server: subprocess.Popen[bytes], parent: int) -> bytes:
    """Wait until the input closes or the parent is gone; return the input."""
    is_reported, words = False, b""
    while os.getppid() == parent:
        if not is_reported and server.poll() is not None:
            tell("exit", server.returncode)
            is_reported = True
        if select.select([0], [], [], POLL_S)[0]:
            chunk = os.read(0, 100)
            if not chunk:
                break
            words += chunk
    return words


def end(server: subprocess.Popen[bytes], stop_signal: int, grace_s: float) -> None:
    """Stop the server: politely, after the grace with SIGKILL, and its whole group with it."""
    if server.poll() is None:
        server.send_signal(stop_signal)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(grace_s)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()


def raise_exit(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def main() -> int:
    job = json.loads(sys.argv[1])
    parent = job["parent"]
    signal.signal(signal.SIGTERM, raise_exit)
    word, server = b"", None
    try:
        with Path(job["log"]).open("ab", buffering=0) as log:
            for command in job["before"]:
                server = launch(command, job, log)
                if server.wait():
                    tell("exit", server.returncode)
                    break
            else:
                server = launch(job["command"], job, log)
                tell("pid", server.pid)
            if server is not None:
                word = watch(server, parent)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if server is not None:
            end(server, job["stop_signal"], job["grace_s"])
        if word.strip() != b"keep":
            shutil.rmtree(job["folder"], ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
