"""The health check of a container.

Its command is `python -m backoffice.running.container_health_check NAME RUN-FOLDER [--port PORT] [--end]`.

A working part beats, and a serving part answers. Exit code 0 where it does, 1 with a line where it does not. With
`--end` a part without progress is killed, so that the restart policy starts it again: Docker restarts ended processes,
not hanging ones. Only the standard library is imported: the check runs every few seconds.
"""

import argparse
import contextlib
import http.client
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

from backoffice.running.working_time_without_progress import Silence, Work, age_s, has_worked, session_of, work_of

SILENT_S = 30.0
ANSWER_S = 5.0
LIVE = "/livez"
END_S = 60.0  # in which it could have worked and gave no sign of life
PATIENT = {"project": 300.0}  # it waits for its database as long as a rebuild compares
PAUSED_S = 30.0


def main(arguments: list[str]) -> int:
    """Return the exit code for a part's name and the folder of its beats, or for a port alone."""
    options = _options(arguments)
    faults = []
    if options.name:
        folder = Path(options.folder)
        faults.append(silent(options.name, folder))
        if options.end:
            faults.append(end_if_silent(options.name, folder, options.of))
    if options.port:
        faults.append(unserved(options.port))
    for fault in filter(None, faults):
        print(fault)
    return int(any(faults))


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="progress", description="Check that a part of Pitledger makes progress.")
    parser.add_argument("name", nargs="?", default="", help="of the part's beats")
    parser.add_argument("folder", nargs="?", default="", help="with the beats")
    parser.add_argument("--port", type=int, default=0, help="on which the part serves")
    parser.add_argument("--end", action="store_true", help="kill a part whose progress has stopped")
    parser.add_argument("--of", type=int, default=1, metavar="PID", help="the init process of the container (1)")
    return parser.parse_args(arguments)


def silent(name: str, folder: Path) -> str:
    """Return why a part does not get on, by its beats in the run folder; "" where the last one is fresh."""
    beat = _beat_at(name, folder)
    if beat is None:
        return f"{name} has not started its work"
    age = time.time() - beat
    return f"{name} gave no sign of life for {age:.0f} s" if age > SILENT_S else ""


def _beat_at(name: str, folder: Path) -> float | None:
    try:
        return (folder / f"{name}.beat").stat().st_mtime
    except FileNotFoundError:
        return None


def end_if_silent(name: str, folder: Path, init: int) -> str:
    """Kill the part in the session of `init` where it could have worked and did not; return why, or "".

    Its earlier observations are in a file of this container. A part that only lacks a processor is left alone.
    """
    part = [pid for pid in session_of(init) if pid not in (init, os.getpid())]
    note = Path(tempfile.gettempdir()) / f"pitledger-silence-{name}-{init}.json"
    before, beat, now = _stored_silence(note), _beat_at(name, folder) or 0.0, time.monotonic()
    silence = before.after(beat, now, lambda: work_of(part))
    starts = time.time() - beat > age_s(part)  # the last beat is of an earlier life
    if starts and before.work and silence.work and has_worked(before.work, silence.work, now - before.at):
        silence = silence._replace(seconds=0.0)
    most_s = PAUSED_S if silence.is_paused else PATIENT.get(name, END_S)
    if not part or silence.seconds < most_s:
        note.write_text(json.dumps(silence))
        return ""
    note.unlink(missing_ok=True)
    for pid in part:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return f"{name} is ended: no progress for {silence.seconds:.0f} s"


def _stored_silence(path: Path) -> Silence:
    try:
        seconds, sign, at, work = json.loads(path.read_text())
        return Silence(seconds, sign, at, Work(*work) if work else None)
    except (OSError, ValueError, TypeError):  # never looked, or half written
        return Silence(sign=-1.0)


def unserved(port: int) -> str:
    """Return why the port does not answer; "" where its process answers, in any state of the rest of the house."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_S)
    try:
        connection.request("GET", LIVE, headers={"Host": "localhost"})
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return f"port {port} does not answer: {error}"
    finally:
        connection.close()
    return f"{LIVE} answers {status}" if status >= 500 else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
