"""Status of a running process: one small file a process in the run folder, `DATA/run/NAME.json`.

It is written for the first time when the process is ready; a supervisor compares the process id in it with its
child's. Later it has the progress of the process.
"""

import os
import time
from pathlib import Path
from typing import Any

import msgspec

from backoffice.running.open_files_locks_full_disk import if_there_is_room
from events.settings.settings_from_environment import settings

AGAIN = "again"


def run_folder(data: Path | None = None) -> Path:
    """Return the folder of pid files, status files and locks; made if missing."""
    folder = (data or settings().data_folder) / "run"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def folder_id(folder: Path) -> str:
    """Return the identity of a folder, which no copy has: device and inode. It keeps them when it is moved."""
    status = folder.stat()
    return f"{status.st_dev}:{status.st_ino}"


def announce(name: str, *, data: Path | None = None, **what: Any) -> bool:
    """Report that this process is ready, or its progress: `what` is any JSON value. False on a full disk."""
    folder = run_folder(data)
    announcement = {"pid": os.getpid(), "at": time.time(), "folder": folder_id(folder)} | what
    path = folder / f"{name}.json"
    fresh = path.with_suffix(f".{os.getpid()}")
    is_said = False
    with if_there_is_room():
        fresh.write_bytes(msgspec.json.encode(announcement))
        fresh.replace(path)
        is_said = True
    fresh.unlink(missing_ok=True)
    return is_said


def ask_again(*, data: Path | None = None) -> None:
    """Have the supervisor start the stopped parts now, after their obstacle is removed."""
    announce(AGAIN, data=data)


def asked_again_at(*, data: Path | None = None) -> float:
    """Return when a person last asked for a restart, in seconds of the machine's time; 0.0: never."""
    return float(last_status(AGAIN, data=data).get("at", 0.0))


def last_status(name: str, *, data: Path | None = None) -> dict[str, Any]:
    """Return the last status of the process of this name; empty without a status.

    It is also empty in a copy of a data folder: the files there are of the original house.
    """
    folder = run_folder(data)
    try:
        announcement: dict[str, Any] = msgspec.json.decode(folder.joinpath(f"{name}.json").read_bytes())
    except (OSError, msgspec.DecodeError):
        return {}
    return announcement if announcement.get("folder") == folder_id(folder) else {}
