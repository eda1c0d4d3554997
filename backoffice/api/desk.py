"""The one desk of this process: its writer thread is shared by all requests."""

import atexit
import contextlib
import logging
import threading
import time

from eventsourcing.persistence import PersistenceError

from events.collector import seldom_collected
from events.desk import Desk
from events.errors import PitledgerError
from events.progressives import service
from events.settings import settings
from events.store import open_store

log = logging.getLogger(__name__)
_lock = threading.Lock()
_desk: Desk | None = None
_while_open = contextlib.ExitStack()


def desk() -> Desk:
    """The process's desk, opened at its first use (after any fork) and closed at exit."""
    return _desk or _open()


def prepare() -> None:
    """Open the desk and have every progressive at hand, before the first action comes."""
    began = time.monotonic()
    try:
        one = desk()
        service.prepare(one.store, settings().property_)
    except (PitledgerError, PersistenceError) as error:  # whoever asks then is told
        log.warning("the progressives are not at hand yet: %s", error)
    else:
        log.info("the progressives are at hand after %.1f s", time.monotonic() - began)


def _open() -> Desk:
    global _desk  # noqa: PLW0603 - one writer a process is the point
    with _lock:
        if _desk is None:
            _desk = Desk(open_store(settings().store), settings().property_)
            _while_open.enter_context(seldom_collected())  # by now all is loaded, and dealers wait for every pause
            atexit.register(close)
        return _desk


def close() -> None:
    """Answer what is queued and let go of the store."""
    global _desk  # noqa: PLW0603
    with _lock:
        if _desk is not None:
            _desk.close()
            _desk.store.close()
            _desk = None
            _while_open.close()
