"""The clock of the tests' houses: they live in the night of 2026-11-20, on any day.

The import of this module sets the clock for the process and its child processes, unless another clock is set.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from events.runtime import clock
from events.settings.setting_declarations import MACHINE

NOW = "2026-11-20T23:00:00.000Z"


def set_clock(*, anew: bool = False) -> None:
    """Set the clock, unless another is set. With `anew`, replace another clock, as after a demo."""
    if anew or os.environ.get(clock.SETTING, MACHINE) in ("", MACHINE):
        folder = tempfile.mkdtemp(prefix="pitledger-clock-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        path = Path(folder) / "clock"
        clock.start(path, NOW)
        os.environ[clock.SETTING] = str(path)


set_clock()
