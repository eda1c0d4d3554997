"""The demo's table screen as a newcomer finds it: the printed link, a printed badge, a spin, and the house follows."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.system.running_house import READY_S, STOPPED_S, Installation, Up, installation
from tests.support.processes.relays_and_topic_readers import within
from tests.support.tables.table_screens import Fingers

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LOGINS = """
import django
django.setup()
from tools.demo import logins
from events.settings.settings_from_environment import settings
data = settings().data_folder
(data / logins.MARK).touch()
logins.let_in(data)
"""
PICTURES = os.environ.get("DEMO_PICTURES", "")
SIZE: Any = {"width": 1280, "height": 800}


@pytest.fixture
def here(tmp_path: Path, free_port: Callable[[], int], chromium_path: str) -> Iterator[Installation]:
    with installation(tmp_path, free_port()) as here:
        here.set_up_house()
        here.run_code(LOGINS)
        yield here


def test_a_newcomer_plays_a_spin_and_the_house_follows(here: Installation, browser: "Browser") -> None:
    up = Up(here).wait_until_up()
    within(lambda: "Press Ctrl-C" in up.output(), "up says no more", READY_S)
    output = up.output()
    link = re.findall(r"http://localhost:\d+/table/FR1#\w+", output)[0]
    badges = {role: badge for badge, role in re.findall(r"^  (\w+-\d{4})  (dealer|inspector)$", output, re.MULTILINE)}
    floor = signed_in(here, browser, output)
    page = browser.new_context(viewport=SIZE, has_touch=True, locale="en-GB").new_page()
    page.set_default_timeout(60_000)
    page.goto(link)
    page.locator("[name=badge]").fill(badges["dealer"])
    page.keyboard.press("Enter")
    fingers = Fingers(page)
    fingers.tap(do="round.open")
    fingers.phase("open")
    fingers.tap(chip=500)
    fingers.tap(place="straight 17")
    fingers.settled()
    address = f"http://localhost:{here.port}"
    floor.goto(f"{address}/tables/FR1")
    replay = floor.context.new_page()
    replay.goto(f"{address}/tables/FR1/{opened_day(here)}/rounds/1")
    fingers.tap(do="ball.launch")
    fingers.tap(do="bets.close")
    fingers.tap(do="ball.land", number=17)
    fingers.phase("settled")
    seen(page, "table")
    fingers.tap(do="all-paid")
    fingers.tap(do="round.end")
    fingers.phase("idle")
    replay.get_by_text("175.00").first.wait_for()
    seen(replay, "replay")
    floor.get_by_text("175.00").first.wait_for()
    seen(floor, "floor")
    up.process.terminate()
    up.process.wait(STOPPED_S)


def opened_day(here: Installation) -> str:
    """The gaming day for which the table was opened."""
    day: str = re.findall(r"tables/FR1/(\d{4}-\d\d-\d\d)", here.manage("events", "--table", "FR1").stdout)[0]
    return day


def signed_in(here: Installation, browser: "Browser", output: str) -> "Page":
    """The auditor's browser at the floor, signed in by the printed password and a code of `demo --code`."""
    password = re.findall(r"the password (\S+) and", output)[0]
    page = browser.new_context(viewport=SIZE, locale="en-GB").new_page()
    page.set_default_timeout(60_000)
    page.goto(f"http://localhost:{here.port}/sign-in")
    page.fill("[name=login]", "u-901")
    page.fill("[name=password]", password)
    page.keyboard.press("Enter")
    code = re.findall(r": (\d{6})\b", here.manage("demo", "--code", "--data", str(here.data)).stdout)[-1]
    page.locator("[name=code]").fill(code)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/(start)?$"))
    return page


def seen(page: "Page", name: str) -> None:
    """Save a screenshot for readers, if DEMO_PICTURES names a folder."""
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"demo-{name}.png")
