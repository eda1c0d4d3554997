"""Pages in a real browser, for tests: opened with a silent console, checked by axe."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.support.web import SESSIONS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

AXE = Path(__file__).parents[1] / "browser" / "vendor" / "axe.min.js"
SIZES = {"desktop": (1440, 900), "tablet": (820, 1180)}
SIGNS = {"lying": (1920, 1080), "standing": (1080, 1920)}  # screens on the casino floor


@contextmanager
def opened(
    browser: "Browser",
    address: str,
    size: str = "desktop",
    scheme: Any = "light",
    expect: str = "status of 404",
    *,
    nobody: bool = False,
    **more: Any,
) -> Iterator["Page"]:
    """Open a page in the auditor's browser, or with `nobody` in one without a session.

    At the end the console must have no messages except those that `expect` matches.
    """
    width, height = (SIZES | SIGNS)[size]
    viewport: Any = {"width": width, "height": height}
    context = browser.new_context(viewport=viewport, color_scheme=scheme, locale="en-GB", **more)
    if not nobody:
        here = urlsplit(address)
        cookie: Any = {"name": "sessionid", "value": SESSIONS[here.port or 0], "domain": here.hostname, "path": "/"}
        context.add_cookies([cookie])
    page = context.new_page()
    page.set_default_timeout(90_000)  # machines differ, and are busy
    messages: list[str] = []
    page.on("console", lambda message: messages.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: messages.append(f"error: {error}"))
    try:
        with showing(page):
            page.goto(address)
            yield page
        wrong = [line for line in messages if not re.search(expect, line)]
        assert wrong == [], wrong
    finally:
        context.close()


@contextmanager
def showing(page: "Page") -> Iterator[None]:
    """Add the text of the page to an exception of the block."""
    try:
        yield
    except Exception as error:
        with suppress(Exception):  # the browser itself may be gone
            shown = page.locator("body").inner_text(timeout=2_000)[:2_000]
            error.add_note(f"the page {page.url} showed:\n{shown}")
        raise


def follow(found: "Locator") -> None:
    """Click a link and wait for its page: a click alone does not wait."""
    with found.page.expect_navigation():
        found.first.click()


def violations(page: "Page") -> list[str]:
    """Return the violations of WCAG 2.1 AA and good practice that axe reports, of every severity."""
    page.evaluate(AXE.read_text())  # through the debugging protocol: the page's own policy stays as it is
    rules = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}}
    wanted = json.dumps(rules | {"resultTypes": ["violations"]})  # what is right would be told node by node
    found = page.evaluate(f"axe.run(document, {wanted}).then(found => found.violations)")
    return [
        f"{violation['id']} ({violation['impact']}): {node['html'][:160]}: {node.get('failureSummary', '')[:200]}"
        for violation in found
        for node in violation["nodes"][:3]
    ]
