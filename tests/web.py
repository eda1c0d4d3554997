"""The pages as a browser gets them: a real web process over an evening's data, in a folder of its own."""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from pytest_django.plugin import DjangoDbBlocker

from events.store import open_store
from tests import evening
from tests.house import House
from tests.scratch import read_models
from tests.servers.ports import LOOPBACK
from tests.servers.server import Server

ROOT = Path(__file__).resolve().parent.parent


def played(folder: Path) -> None:
    """Event store and read models of the evening, in the folder."""
    house = House(open_store(f"sqlite:///{folder}/events.sqlite3"))
    try:
        evening.play(house)
        with read_models(f"sqlite:///{folder}/read.sqlite3") as alias:
            evening.project(house, alias)
    finally:
        house.close()


def empty(folder: Path) -> None:
    """A house where nothing has happened."""
    open_store(f"sqlite:///{folder}/events.sqlite3").create()
    with read_models(f"sqlite:///{folder}/read.sqlite3"):
        pass


class Web(Server):
    """The web process as `./manage.py up` runs it, over data that `fill` makes."""

    name = "web"

    def __init__(self, fill: Callable[[Path], None], blocker: DjangoDbBlocker) -> None:
        super().__init__()
        self._fill = fill
        self._blocker = blocker

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    def before(self) -> list[list[str]]:
        """Fill the folder, in a thread of its own: a browser's event loop may run in this one."""
        with self._blocker.unblock(), ThreadPoolExecutor(1) as thread:
            thread.submit(self._fill, self.folder).result()
        return []

    def command(self) -> list[str]:
        serve = [sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws", "--workers", "1"]
        listen = ["--host", LOOPBACK, "--port", str(self.port), "--blocking-threads", "2"]
        return [*serve, *listen, "--working-dir", str(ROOT), "backoffice.wsgi:application"]

    def environment(self) -> dict[str, str]:
        return super().environment() | {"PITLEDGER_DATA": str(self.folder), "PYTHONPATH": str(ROOT)}

    def answers(self) -> bool:
        connection = HTTPConnection(LOOPBACK, self.port, timeout=5)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        except (HTTPException, OSError):  # it has just begun to listen
            return False
        finally:
            connection.close()
