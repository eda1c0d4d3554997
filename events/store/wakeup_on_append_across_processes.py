"""Wake-up by an append, so that a reader waiting for the store's next event need not poll.

Word carries nothing and promises nothing: it may be late, come without an event, or never. A waiting reader polls in
any case after a while, so a lost wake-up costs time and no event.

On PostgreSQL the append itself notifies (`sql/postgres.sql`), in its transaction; on SQLite it rings at a socket of
this machine, after its commit.
"""

import contextlib
import hashlib
import os
import select
import socket
import tempfile
import threading
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote

from events.settings.settings_from_environment import settings

_ENOUGH = 4_096
READER = "-reader"  # the projector, besides the relay


class News(Protocol):
    """The waiting end. For one thread."""

    def wait(self, seconds: float, stop: threading.Event) -> bool:
        """Wait until word comes, at most so long; return whether it came. Word since the last wait counts, too."""

    def close(self) -> None:
        """Wait no longer."""


class NoNews:
    """News of a store without notifications: its readers poll."""

    def wait(self, seconds: float, stop: threading.Event) -> bool:
        stop.wait(seconds)
        return False

    def close(self) -> None:
        """Do nothing: no connection is open."""


class Bell:
    """A socket at which every process of this machine rings that has appended to an SQLite file.

    The relay's lock sees to it that one waits at a time; should two, the one that came last hears it.
    """

    def __init__(self, file: Path, listener: str = "") -> None:
        """Raise OSError where there can be no such socket."""
        self._address = bell_of(file) + listener
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            Path(self._address).unlink(missing_ok=True)  # of one that was killed
            self._socket.bind(self._address)
        except OSError:
            self._socket.close()
            raise
        self._socket.setblocking(False)

    def wait(self, seconds: float, stop: threading.Event) -> bool:
        if not select.select([self._socket], [], [], seconds)[0]:
            return False
        with contextlib.suppress(BlockingIOError):
            while True:  # one poll is enough for any number of wake-ups
                self._socket.recv(_ENOUGH)
        return True

    def close(self) -> None:
        self._socket.close()
        with contextlib.suppress(OSError):
            Path(self._address).unlink()


def bell_of(file: Path) -> str:
    """Return the address of an SQLite file's bell, at which the relay waits; READER is added to it for the projector's.

    It is not next to the file: a socket must not be stored or copied with the data.
    """
    name = hashlib.sha256(os.fsencode(file.resolve())).hexdigest()[:24]
    return str(Path(tempfile.gettempdir()) / f"pitledger-{os.getuid()}-{name}")


def ring(address: str) -> None:
    """Tell relay and projector, if they wait there. Never blocks and never fails."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as caller:
        caller.setblocking(False)
        for bell in (address, address + READER):
            with contextlib.suppress(OSError):
                caller.sendto(b"!", bell)


def news_of(url: str | None = None, listener: str = "") -> News:
    """Word of the store at this URL (default: as `open_store`), for the relay, or for the projector (READER)."""
    url = url or settings().store
    if url.startswith("sqlite:///"):
        with contextlib.suppress(OSError):
            return Bell(Path(unquote(url.removeprefix("sqlite:///"))), listener)
    if url.startswith(("postgresql://", "postgres://")):
        from events.store.listen_notify import NotifiedNews  # here: a house on SQLite never loads the driver

        return NotifiedNews(url)
    return NoNews()
