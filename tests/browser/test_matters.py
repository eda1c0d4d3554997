"""The inbox in a real browser while the house plays on. An open item that the person reads stays; new items appear."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.houses import evening_with_everything
from tests.support.houses.small_house import House
from tests.support.pages.browser import SIZES, opened, violations
from tests.support.processes.web_process import EveningThreads, Web

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MATTERS = "/progressives/blazing/matters"


class MattersEvening:
    """The web process over an evening with a request, a variance and a notice, and what happens in it."""

    def __init__(self, night: EveningThreads, web: Web) -> None:
        self.night, self.web = night, web

    def do(self, person: str, kind: str, **data: Any) -> None:
        """Record an action of a person on the progressive."""
        self.night.do(lambda house: house.ok("progressives", "blazing", person, house.action(kind, **data)))


def _leave_something_open(house: House) -> None:
    def send(person: str, kind: str, **data: Any) -> Any:
        return house.ok("progressives", "blazing", person, house.action(kind, **data))[0].data

    evening_with_everything.finish_blackjack(house)
    send("anna", "meter.read", level="mega", read_minor=2_510_150)
    request = send("mark", "parameters.change", level="mega", feed_millionths=95_000)
    send("paul", "approval.give", request=request.request, content=request.content)
    send("mark", "parameters.change", level="minor", cap_minor=300_000)


@pytest.fixture(scope="module")
def working(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[MattersEvening]:
    night = EveningThreads(django_db_blocker)
    try:
        with Web(night.fill, django_db_blocker) as web:
            night.do(_leave_something_open)
            yield MattersEvening(night, web)
            night.close()
    except BaseException:
        night.close()
        raise


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("tablet", "dark")])
def test_what_is_open_fits_and_is_accessible(
    working: MattersEvening, browser: "Browser", size: str, scheme: str
) -> None:
    for path in (MATTERS, "/notices", "/progressives/"):
        with opened(browser, working.web.url + path, size, scheme) as page:
            for summary in page.locator("details.what summary").all():
                summary.click()
            assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
            assert violations(page) == []


def test_what_one_reads_stays_open_while_the_page_follows(working: MattersEvening, browser: "Browser") -> None:
    with opened(browser, working.web.url + MATTERS) as page:
        summary = page.locator("section[aria-labelledby=approvals] summary").first
        summary.focus()
        page.keyboard.press("Enter")
        command = page.locator("section[aria-labelledby=approvals] details.what pre").first
        assert '"cap_minor": 300000' in command.inner_text()
        before = command.bounding_box()
        rows = page.locator("section[aria-labelledby=approvals] tbody tr:not(.past)")
        new = rows.nth(rows.count())
        working.do("mark", "parameters.change", level="major", feed_millionths=41_000)
        new.wait_for()
        assert command.is_visible()
        assert command.bounding_box() == before
        assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


def test_a_badge_leads_to_what_is_open_and_counts_on(working: MattersEvening, browser: "Browser") -> None:
    with opened(browser, f"{working.web.url}/progressives/blazing") as page:
        badge = page.locator("#badge")
        match = re.search(r"(\d+) open items", badge.inner_text())
        assert match is not None
        one_more = f"{int(match[1]) + 1} open items"
        working.do("mark", "parameters.change", level="mega", cap_minor=90_000_000)
        page.locator("#badge", has_text=one_more).wait_for()
        badge.click()
        page.wait_for_url(working.web.url + MATTERS)
        assert one_more in page.locator("main").inner_text()


def test_a_number_of_the_six_meters_leads_to_its_sum(working: MattersEvening, browser: "Browser") -> None:
    with opened(browser, f"{working.web.url}/progressives/blazing") as page:
        figure = page.locator("#six-minor-in data")
        amount = figure.get_attribute("value")
        figure.click()
        page.wait_for_url(re.compile("sum=fed"))
        assert page.locator("#total data").get_attribute("value") == amount
