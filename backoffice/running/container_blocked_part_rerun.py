"""A part in a container that cannot continue waits until it can, instead of ending.

Docker restarts an ending part repeatedly, and it logs the same line each time. A restart also ends the commands that
people run in its container, such as the rebuild for which the part waits. Under `up` the supervisor does this work.
"""

import os
import signal
from collections.abc import Callable

import structlog

from backoffice.running.child_process_start_and_end import MARK
from backoffice.running.heartbeat import Stop
from backoffice.running.parts_not_running import CONTAINERS
from events.errors import PitledgerError

TRY_S = 10  # between two tries

log = structlog.get_logger(__name__)


def run_part(name: str, run: Callable[[], None]) -> None:
    """Run a part; in a container, again every 10 s while it is blocked, which is logged once.

    Elsewhere raises the error of `run`. `name` is that of its beats.
    """
    if os.environ.get(MARK) != CONTAINERS:
        run()
        return
    reason = ""
    while True:
        try:
            run()
            return
        except PitledgerError as error:
            if str(error) != reason:
                reason = str(error)
                log.error("stands by until it can go on", why=reason)
        if _is_stopped(name):
            return


def _is_stopped(name: str) -> bool:
    """Return whether a person asked the part to end before the next try."""
    stop = Stop(name)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return any(stop.wait(1.0) for _ in range(TRY_S))
