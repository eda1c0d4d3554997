"""First steps in a real browser: an empty house leads there, a file is looked at and imported, on every size."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from pytest_django.plugin import DjangoDbBlocker

from tests.support.pages.browser import follow, violations
from tests.support.processes.web_process import Web, empty

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SIZES: dict[str, Any] = {
    "phone": {"width": 390, "height": 844},
    "tablet": {"width": 820, "height": 1180},
    "desktop": {"width": 1440, "height": 900},
}
STAFF = "id;roles;name\nd-8;dealer;Ελένη Μάρκου\nd-9;dealer;Олег\nx-1;boss;\n"
PICTURES = os.environ.get("FIRST_STEPS_PICTURES", "")


@pytest.fixture(scope="module")
def web(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Web]:
    """A house that has its people, and nothing else."""
    with Web(empty, django_db_blocker) as running:
        yield running


def at(web: Web, browser: "Browser", path: str, size: str = "desktop", scheme: Any = "light") -> "Page":
    """A page in the browser of the administrator, who has just signed in."""
    context = browser.new_context(viewport=SIZES[size], color_scheme=scheme, locale="en-GB")
    cookie: Any = {"name": settings.SESSION_COOKIE_NAME, "value": web.let_in("adam"), "url": web.url}
    context.add_cookies([cookie])
    page = context.new_page()
    page.set_default_timeout(90_000)
    page.goto(web.url + path)
    return page


def fits(page: "Page", size: str) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth") <= SIZES[size]["width"])


@pytest.mark.parametrize(("size", "scheme"), [("phone", "dark"), ("tablet", "light"), ("desktop", "dark")])
def test_the_page_and_a_file_fit_and_are_accessible(web: Web, browser: "Browser", size: str, scheme: str) -> None:
    page = at(web, browser, "/first-steps", size, scheme)
    seen(page, f"first-steps-{size}-{scheme}")
    assert fits(page, size)
    assert violations(page) == []
    page.goto(f"{web.url}/first-steps/do/staff")
    assert fits(page, size)
    assert violations(page) == []
    seen(page, f"file-{size}-{scheme}")
    page.set_input_files("#file", {"name": "staff.csv", "mimeType": "text/csv", "buffer": STAFF.encode()})
    follow(page.locator("text=Show preview"))
    assert "staff.csv, line 4, column roles: There is no role boss" in page.inner_text("main")
    assert violations(page) == []
    seen(page, f"faults-{size}-{scheme}")
    good = {"name": "staff.csv", "mimeType": "text/csv", "buffer": STAFF.rpartition("x-1")[0].encode("utf-8-sig")}
    page.set_input_files("#file", good)  # type: ignore[arg-type]  # Playwright's own TypedDict
    follow(page.locator("text=Show preview"))
    assert "2 lines without errors" in page.inner_text("main")
    assert fits(page, size)
    assert violations(page) == []
    seen(page, f"preview-{size}-{scheme}")
    page.context.close()


def test_an_empty_house_leads_an_administrator_to_its_first_steps(web: Web, browser: "Browser") -> None:
    page = at(web, browser, "/start")
    page.wait_for_url(f"{web.url}/first-steps")
    assert "Next: Property" in page.inner_text("main")
    follow(page.locator("a", has_text="Import Staff"))
    assert page.url.endswith("/first-steps/do/staff")
    page.context.close()


def seen(page: "Page", name: str) -> None:
    """Save a screenshot for readers, if FIRST_STEPS_PICTURES names a folder."""
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)
