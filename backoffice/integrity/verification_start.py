"""Starting a verification from a page: one at a time, in a process of its own at the lowest priority.

It saves its position: after a stop, the next start continues there.
"""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import quote

from backoffice.integrity import last_verification_note
from backoffice.running import child_process_start_and_end, status_files
from backoffice.running.database_and_mail_settings import ROOT
from backoffice.running.open_files_locks_full_disk import alone
from events.errors import Conflict
from events.settings.settings_from_environment import settings

START_S = 30.0  # time for a started process to report that it works
_AT_WORK = "A verification is at work already. Wait for its result."


def start_verification() -> None:
    """Begin to verify the whole history. Raises Conflict where a verification is at work, Retry without a database."""
    mark = _mark()
    with alone(status_files.run_folder() / "verification-start.lock", or_else=_AT_WORK):
        last = last_verification_note.read_note().begun
        if (last is not None and last.at_work) or is_starting():
            raise Conflict(_AT_WORK)
        if last is None:  # the last one ended: the next one reads everything
            _checkpoint().unlink(missing_ok=True)
        mark.touch()
    threading.Thread(target=_run, args=(mark,), name="verification", daemon=True).start()


def is_starting() -> bool:
    """Return whether a verification was started from a page, and has not said yet that it is at work."""
    try:
        return time.time() - _mark().stat().st_mtime < START_S
    except OSError:
        return False


def _mark() -> Path:
    """There while a verification that was started from a page is at work."""
    return status_files.run_folder() / "verification-started"


def _checkpoint() -> Path:
    house_settings = settings()
    return house_settings.data_folder / f"verified.{quote(house_settings.property_, safe='')}"


def _run(mark: Path) -> None:
    """Run the verification; it ends with this thread, and so with the process of the pages."""
    words = ["nice", "-n", "19", sys.executable, str(ROOT / "manage.py"), "verify", "--resume", "--report"]
    process = child_process_start_and_end.launch(
        words,
        env=os.environ,
        mark=os.environ.get(child_process_start_and_end.MARK) or child_process_start_and_end.new_mark(),
        output=subprocess.DEVNULL,
        cwd=ROOT,
    )
    process.wait()
    mark.unlink(missing_ok=True)
