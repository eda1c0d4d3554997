"""Screens at tables in a real browser: a house with open tables, tablets that are paired with them, badges.

All steps go through the page and the web process, with two exceptions. The code of a pairing and the badges are written
to the read models, and the pit boss confirms by the desk.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from backoffice.models import Credential, Person, TableDevice
from backoffice.table_screen import pairing, queued_entry_structs_and_chain
from backoffice.table_screen.device_authentication import digest_of
from events import catalogue
from events.store import open_store
from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House
from tests.support.processes.scratch_databases import read_models
from tests.support.processes.web_process import DoorProcess, EveningThreads, LiveProcess, Web

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

TABLET, SMALL_TABLET, STANDING, PHONE = (1280, 800), (1024, 768), (800, 1280), (390, 844)
WHEELS = 7  # roulette tables, so that each test has one of its own


class OpenTables(EveningThreads):
    """A house with open tables of each game, which plays on."""

    def fill(self, folder: Path) -> None:
        self._thread.submit(self._open, folder).result()

    def _open(self, folder: Path) -> None:
        self._house = house = House(open_store(f"sqlite:///{folder}/events.sqlite3"))
        self._stack.callback(house.close)
        for number in range(2, WHEELS + 1):
            house.install(f"FR{number}", "roulette", "roulette-french")
        house.install("PB1", "baccarat", "baccarat")
        house.install("CR1", "craps", "craps-gr")
        for table in (*(f"FR{number}" for number in range(1, WHEELS + 1)), "BJ1", "PB1", "CR1"):
            house.open_table(table)
        act = house.action
        house.ok("tables", "PB1", "dora", act("shoe.load", shoe="s1", packs=8, seal="A-1"), act("shoe.burn", card="2C"))
        self._alias = self._stack.enter_context(read_models(f"sqlite:///{folder}/read.sqlite3"))
        evening_with_everything.project(house, self._alias)

    @property
    def alias(self) -> str:
        """The database of the read models."""
        return self._alias

    def events(self, table: str) -> list[Any]:
        """The events of a table in their order."""
        events: list[Any] = []
        self.do(lambda house: events.extend(_of_table(house, table)))
        return events

    def badge(self, person: str) -> str:
        """Create a new badge for a person."""
        badge = secrets.token_urlsafe(12)
        self.do(lambda _house: self._keep(person, badge))
        return badge

    def _keep(self, person: str, badge: str) -> None:
        holder, _new = Person.objects.using(self._alias).get_or_create(id=person)
        Credential.objects.using(self._alias).create(person=holder, digest=digest_of(badge))

    def code(self, table: str) -> str:
        """The secret of a new pairing, as the pit's page makes it."""
        secret = secrets.token_urlsafe(24)
        self.do(lambda _house: self._invite(table, secret))
        return secret

    def _invite(self, table: str, secret: str) -> None:
        now, name = timezone.now(), f"{table}-{secrets.token_hex(4)}"
        TableDevice.objects.using(self._alias).create(
            id=name,
            table=table,
            use="screen",
            secret=digest_of(secret),
            made_by="paul",
            made_at=now,
            ends_at=now + pairing.CODE_FOR,
            last_digest=queued_entry_structs_and_chain.first_digest(name),
        )

    def confirm(self, secret: str) -> str:
        """The pit boss confirms the device of this code; its name."""
        confirmed: list[str] = []
        self.do(lambda house: confirmed.append(self._confirm(house, secret)))
        return confirmed[0]

    def _confirm(self, house: House, secret: str) -> str:
        device = TableDevice.objects.using(self._alias).get(secret=digest_of(secret))
        about = {"device": device.pk, "table": device.table, "use": device.use, "key": device.fingerprint}
        house.ok("devices", "", "paul", house.action("device.pair", **about))
        return device.pk


def _of_table(house: House, table: str) -> list[Any]:
    stored = (event for event in house.store.after(0, 1_000_000) if f"/tables/{table}/" in event.stream)
    return [catalogue.decode(event.type, event.raw) for event in stored]


class Screens:
    """Tablets at the tables of a house."""

    def __init__(self, night: OpenTables, web: Web, door: DoorProcess, browser: "Browser") -> None:
        self.night, self.web, self.door, self.browser = night, web, door, browser
        self.contexts: list[BrowserContext] = []

    @property
    def url(self) -> str:
        return self.door.url

    def device(self, size: tuple[int, int] = TABLET, **settings: Any) -> "BrowserContext":
        """A browser with a touch screen of its own."""
        viewport: Any = {"width": size[0], "height": size[1]}
        context = self.browser.new_context(viewport=viewport, has_touch=True, locale="en-GB", **settings)
        context.set_default_timeout(30_000)
        self.contexts.append(context)
        return context

    def paired(self, table: str = "FR1", size: tuple[int, int] = TABLET, **settings: Any) -> "Page":
        """The page of a tablet that is paired with a table."""
        page = self.device(size, **settings).new_page()
        secret = self.night.code(table)
        page.goto(f"{self.url}/table/{table}#{secret}")
        page.locator("[data-digits]").wait_for()
        self.night.confirm(secret)
        page.locator("[name=badge]").wait_for()
        return page

    def at_work(self, table: str = "FR1", size: tuple[int, int] = TABLET, **settings: Any) -> "Page":
        """Return the page of a paired tablet with dealer and inspector at the screen."""
        page = self.paired(table, size, **settings)
        for role, person in (("dealer", "dora"), ("inspector", "ines")):
            self.come(page, role, person)
        return page

    def come(self, page: "Page", role: str, person: str) -> None:
        """A person comes to the screen by a badge, which a scanner types."""
        badge = self.night.badge(person)
        if not page.locator("[name=badge]").count():
            page.locator("[data-do=badge]").tap()
        page.locator(f".badge [data-role='{role}']").tap()
        page.locator("[name=badge]").press_sequentially(badge)
        page.keyboard.press("Enter")
        page.locator(f".people [data-role='{role}']").wait_for()

    def close(self) -> None:
        for context in self.contexts:
            context.close()


class Fingers:
    """Taps on a screen, counted."""

    def __init__(self, page: "Page") -> None:
        self.page, self.taps = page, 0

    def tap(self, **attributes: Any) -> None:
        """Tap the element with these `data-` attributes."""
        self.find(**attributes).tap()
        self.taps += 1

    def find(self, **attributes: Any) -> "Locator":
        """The first element with these attributes that can be tapped."""
        selector = "".join(f'[data-{name}="{value}"]' for name, value in attributes.items())
        return self.page.locator(f"{selector}:not([aria-disabled])").first

    def phase(self, phase: str) -> None:
        """Wait until the table is in this phase, and everything was answered."""
        self.page.locator(f'[data-phase="{phase}"]').wait_for()
        self.settled()

    def settled(self) -> None:
        """Wait until the house has answered everything."""
        self.page.locator('.bar[data-pending="0"]').wait_for()


@contextmanager
def screens(blocker: DjangoDbBlocker, browser: "Browser", *packages: Path) -> Iterator[Screens]:
    """A house with open tables and its web process, which finds the modules of `packages`, too."""
    night = OpenTables(blocker)
    try:
        with Web(night.fill, blocker, *packages) as web, LiveProcess(web), DoorProcess(web) as door:
            tablets = Screens(night, web, door, browser)
            yield tablets
            tablets.close()
            night.close()
    except BaseException:
        night.close()
        raise
