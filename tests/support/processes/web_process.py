"""The pages as a browser gets them: a real web process over an evening's data, in a folder of its own."""

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from django.conf import settings
from pytest_django.plugin import DjangoDbBlocker

from backoffice.installation.processes_in_start_order import serve_web
from events.runtime import clock
from events.store import open_store
from tests.servers.ports import LOOPBACK, free_port
from tests.servers.server_base_class import Server
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House, reopened_house
from tests.support.pages import case_for_pages, inspection_draws_for_pages
from tests.support.pages.sign_in import session_of
from tests.support.processes import subscriptions_and_receivers
from tests.support.processes.scratch_databases import new_access_log, read_models

ROOT = Path(__file__).resolve().parents[3]
SESSIONS: dict[int, str] = {}  # of the auditor, by the port of the web process


def played(folder: Path) -> None:
    """Event store and read models of the evening, in the folder."""
    house = House(open_store(f"sqlite:///{folder}/events.sqlite3"))
    try:
        evening_with_everything.play(house)
        inspection_draws_for_pages.draw_tables(house, folder)
        case_for_pages.add_case(house, folder)
        with read_models(f"sqlite:///{folder}/read.sqlite3") as alias:
            evening_with_everything.project(house, alias)
            evening_with_everything.post_results(house, alias)
            subscriptions_and_receivers.subscribed(alias)
    finally:
        house.close()


def empty(folder: Path) -> None:
    """A house where nothing has happened but that it has its people."""
    store = open_store(f"sqlite:///{folder}/events.sqlite3")
    store.create()
    house = reopened_house(store)
    try:
        house.grant_roles()
        with read_models(f"sqlite:///{folder}/read.sqlite3") as alias:
            evening_with_everything.project(house, alias)
    finally:
        house.close()


class Web(Server):
    """The web process as `./manage.py up` runs it, over data that `fill` makes."""

    name = "web"

    def __init__(self, fill: Callable[[Path], None], blocker: DjangoDbBlocker, *packages: Path) -> None:
        """`packages`: folders whose modules the processes of the house find, too."""
        super().__init__()
        self._fill = fill
        self._blocker = blocker
        self._packages = packages
        self.live_port = free_port()

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    def before(self) -> list[list[str]]:
        """Fill the folder, in a thread of its own: a browser's event loop may run in this one."""
        with self._blocker.unblock(), ThreadPoolExecutor(1) as thread:
            thread.submit(new_access_log, self.folder).result()  # first: the keys of cases are beside it
            thread.submit(self._fill, self.folder).result()
            SESSIONS[self.port] = self.session = thread.submit(self._let_in, "olga").result()
        return []

    def _let_in(self, person: str) -> str:
        with read_models(f"sqlite:///{self.folder}/read.sqlite3") as alias:
            return session_of(person, alias)

    def let_in(self, person: str) -> str:
        """Return the session key of a person who has just signed in."""
        with self._blocker.unblock(), ThreadPoolExecutor(1) as thread:
            return thread.submit(self._let_in, person).result()

    @property
    def cookie(self) -> str:
        """The Cookie header of the auditor's browser."""
        return f"{settings.SESSION_COOKIE_NAME}={self.session}"

    def command(self) -> list[str]:
        serve = [sys.executable, "-m", "granian", "--interface", "wsgi", "--http", "1", "--no-ws", "--workers", "1"]
        threads = "6"  # who presses a button takes two, the page's and that of the action which it sends on: twice two
        listen = ["--host", LOOPBACK, "--port", str(self.port), "--blocking-threads", threads]
        return [*serve, *listen, "--working-dir", str(ROOT), "backoffice.wsgi:application"]

    def environment(self) -> dict[str, str]:
        ports = {"PITLEDGER_WEB_PORT": str(self.port), "PITLEDGER_LIVE_PORT": str(self.live_port)}
        secret = {"PITLEDGER_SECRET_KEY": settings.SECRET_KEY}  # so that what is signed here counts there
        house = {"PITLEDGER_DATA": str(self.folder), clock.SETTING: os.environ[clock.SETTING]}  # it lives in its time
        path = {"PYTHONPATH": os.pathsep.join(map(str, (*self._packages, ROOT)))}
        return super().environment() | house | path | ports | secret

    def answers(self) -> bool:
        return healthy(self.port)


class DoorProcess(Server):
    """The web process as `./manage.py up` runs it, over the pages of `web`; with limits of the test's own."""

    name = "door"

    def __init__(self, web: Web, **settings: str) -> None:
        super().__init__()
        self._web, self._settings = web, settings

    def before(self) -> list[list[str]]:
        SESSIONS[self.port] = self._web.session
        return []

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    @property
    def cookie(self) -> str:
        return self._web.cookie

    def command(self) -> list[str]:
        return serve_web(self.port)

    def environment(self) -> dict[str, str]:
        ports = {"PITLEDGER_WEB_PORT": str(self.port), "PITLEDGER_PAGES_PORT": str(self._web.port)}
        return super().environment() | self._web.environment() | ports | self._settings

    def answers(self) -> bool:
        return healthy(self.port)


class LiveProcess(Server):
    """The live process as `./manage.py up` runs it, beside a web process and over its data."""

    name = "live"

    def __init__(self, web: Web, port: int = 0, **settings: str) -> None:
        super().__init__()
        self._settings = settings
        self._web = web
        self._port = port or web.live_port  # which the pages were told

    @property
    def cookie(self) -> str:
        return self._web.cookie

    @property
    def url(self) -> str:
        return f"http://{self.address}/live/progressives"

    def before(self) -> list[list[str]]:
        self.port = self._port
        return []

    def command(self) -> list[str]:
        return [sys.executable, "-m", "backoffice.live"]

    def environment(self) -> dict[str, str]:
        return (
            super().environment() | self._web.environment() | {"PITLEDGER_LIVE_PORT": str(self.port)} | self._settings
        )

    def answers(self) -> bool:
        return healthy(self.port)


class EveningThreads:
    """The evening in a house that plays on: `fill` for a `Web`, then `do`, each in one thread of its own."""

    def __init__(self, blocker: DjangoDbBlocker) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._stack = ExitStack()
        self._blocker = blocker
        self._house: House | None = None
        self._alias = ""

    def fill(self, folder: Path) -> None:
        """The evening's events and read models in the folder."""
        self._thread.submit(self._fill, folder).result()

    def do(self, deed: Callable[[House], object]) -> None:
        """Something more happens, and the read models have it."""
        with self._blocker.unblock():
            self._thread.submit(self._do, deed).result()

    def close(self) -> None:
        """Let go of the store and of the read models."""
        with self._blocker.unblock():
            self._thread.submit(self._stack.close).result()
        self._thread.shutdown()

    def _fill(self, folder: Path) -> None:
        self._house = House(open_store(f"sqlite:///{folder}/events.sqlite3"))
        self._stack.callback(self._house.close)
        evening_with_everything.play(self._house)
        self._alias = self._stack.enter_context(read_models(f"sqlite:///{folder}/read.sqlite3"))
        evening_with_everything.project(self._house, self._alias)

    def _do(self, deed: Callable[[House], object]) -> None:
        assert self._house is not None, "fill comes first"
        deed(self._house)
        evening_with_everything.project(self._house, self._alias)


def healthy(port: int) -> bool:
    """Return whether a process answers on its port that it is well."""
    connection = HTTPConnection(LOOPBACK, port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (HTTPException, OSError):  # it has just begun to listen
        return False
    finally:
        connection.close()
