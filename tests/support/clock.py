"""The clock of the tests' houses: they live in the night of 2026-11-20, whatever the day is.

Importing this sets it for the process and for all that it starts, where nobody has set another.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from events.runtime import clock
from events.settings.declaration import MACHINE

NOW = "2026-11-20T23:00:00.000Z"


def set_clock(*, anew: bool = False) -> None:
    """Set it, where nobody has; `anew`: also where somebody has, as a demo that left its house's clock standing."""
    if anew or os.environ.get(clock.SETTING, MACHINE) in ("", MACHINE):
        folder = tempfile.mkdtemp(prefix="pitledger-clock-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        path = Path(folder) / "clock"
        clock.start(path, NOW)
        os.environ[clock.SETTING] = str(path)


set_clock()
