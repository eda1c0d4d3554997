"""The accountant's morning in a real browser: from the first screen to the closed day, without a terminal."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from events.integrity.head_signing import make_head
from events.integrity.signed_head_stores import open_heads
from events.signing import house_signing_key
from events.store import open_store
from projections.engine.batch_applier import Applier
from projections.engine.bulk_writer import WriteTarget
from projections.registry import projectors
from tests.jobs.evening_house import EveningHouse
from tests.jobs.person_at_a_screen import PICTURES, SIZES, HouseInBrowser, ScreenSetting
from tests.support.houses.small_house import DAY, PROPERTY
from tests.support.houses.worked_day import CASH, WorkedDay
from tests.support.processes.scratch_databases import read_models
from tests.support.processes.web_process import Web

if TYPE_CHECKING:
    from playwright.sync_api import Browser


class Morning(EveningHouse):
    """Everything is counted, and 30.00 are missing from the cage; heads are signed as events come."""

    def _fill(self, folder: Path) -> None:
        self._stack.enter_context(self._blocker.unblock())
        url = f"sqlite:///{folder}/events.sqlite3"
        house = WorkedDay(open_store(url))
        self._stack.callback(house.close)
        for step in (house.begin, house.first_shift, house.count_first, house.second_shift, house.count_boxes):
            step()
        held = {"100": 10_000, "500": 16_000 - 200 + 100, "2500": 1_000}
        house.cage("cage.close", chips=held, cash_minor=CASH + 420_000 - 3_000, marker_minor=50_000)
        self._alias = self._stack.enter_context(read_models(f"sqlite:///{folder}/read.sqlite3"))
        self._store, self._applier = house.store, Applier(projectors(target=WriteTarget(self._alias)), PROPERTY)
        self._heads, self._signer = open_heads(url), house_signing_key.signer(folder)
        self._applier.load()
        self._apply()

    def _apply(self) -> None:
        super()._apply()
        make_head(self._store, self._heads, PROPERTY, self._signer)


@pytest.fixture
def house(
    chromium_path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_db_blocker: DjangoDbBlocker
) -> Iterator[tuple[EveningHouse, Web]]:
    monkeypatch.setenv("PITLEDGER_DATA", str(tmp_path / "data"))
    night = Morning(django_db_blocker)
    try:
        with Web(night.fill, django_db_blocker) as web:
            try:
                yield night, web
            finally:
                night.stop()
    finally:
        night.close()


def test_the_day_is_closed_from_the_first_screen_on(house: tuple[EveningHouse, Web], browser: "Browser") -> None:
    here = HouseInBrowser(*house, browser, ScreenSetting("tablet", "light"))
    with here.somebody("anna", "/inbox") as anna:
        line = anna.matter("cage count")
        anna.press("Explain discrepancy", line)
        anna.fill(reason="thirty euros lay under the drawer")
        anna.act(says="Expected")
        line = anna.matter(f"Close gaming day {DAY}")
        anna.press("Open gaming day", line)
        anna.page.get_by_text("No difference without a known cause").wait_for()
        anna.look()
        if PICTURES:
            _pictures(anna.page)
        anna.press("FR1", anna.page.locator("#wins ~ *, section[aria-labelledby=wins]"))
        anna.look()
        anna.go(f"/days/{DAY}")
        anna.press("Close day")
        anna.act(says="505.00")
        assert "Closed – the figures no longer change" in anna.text
        anna.look()


def _pictures(page: object) -> None:
    """The day at every size in both schemes: PICTURES=FOLDER."""
    from playwright.sync_api import Page  # only where pictures are taken

    assert isinstance(page, Page)
    for name, (width, height) in {**SIZES, "wide": (1440, 900)}.items():
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=os.path.join(PICTURES, f"day-{name}-{scheme}.png"), full_page=True)
    page.set_viewport_size({"width": SIZES["tablet"][0], "height": SIZES["tablet"][1]})
    page.emulate_media(color_scheme="light")
