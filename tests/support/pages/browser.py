"""Pages in a real browser, for tests: opened with a silent console, checked by axe."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.support.processes.web_process import SESSIONS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

AXE = Path(__file__).parents[2] / "browser" / "vendor" / "axe.min.js"
SIZES = {"desktop": (1440, 900), "tablet": (820, 1180)}
SIGNS = {"lying": (1920, 1080), "standing": (1080, 1920)}  # screens on the casino floor

UNKNOWN = ["unknown: the browser does not answer"]
LAST = 10  # messages and failed requests in the note of a failed test
CONTENT = """() => ({
  "open dialogs": [...document.querySelectorAll("dialog[open], [role=dialog]")].map(
    (dialog) => `${dialog.id || dialog.ariaLabel || dialog.tagName}: ${dialog.innerText.slice(0, 500)}`),
  "active element": [document.activeElement?.outerHTML.slice(0, 300) ?? "none"],
})"""


@contextmanager
def opened(
    browser: "Browser",
    address: str,
    size: str = "desktop",
    scheme: Any = "light",
    expect: str = "status of 404",
    *,
    nobody: bool = False,
    **settings: Any,
) -> Iterator["Page"]:
    """Open a page in the auditor's browser, or with `nobody` in one without a session.

    At the end the console must have no messages except those that `expect` matches.
    """
    width, height = (SIZES | SIGNS)[size]
    viewport: Any = {"width": width, "height": height}
    context = browser.new_context(viewport=viewport, color_scheme=scheme, locale="en-GB", **settings)
    if not nobody:
        here = urlsplit(address)
        cookie: Any = {"name": "sessionid", "value": SESSIONS[here.port or 0], "domain": here.hostname, "path": "/"}
        context.add_cookies([cookie])
    page = context.new_page()
    page.set_default_timeout(90_000)  # machines differ, and are busy
    try:
        with showing(page) as messages:
            page.goto(address)
            yield page
        wrong = [line for line in messages if not re.search(expect, line)]
        assert wrong == [], wrong
    finally:
        context.close()


@contextmanager
def showing(page: "Page") -> Iterator[list[str]]:
    """Yield the messages of the console. Add them and the state of the page to an exception of the block."""
    messages: list[str] = []
    failures: list[str] = []  # of requests
    page.on("console", lambda message: messages.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: messages.append(f"error: {error.stack or error}"))
    page.on("requestfailed", lambda request: failures.append(f"{request.failure} {request.method} {request.url}"))
    page.on(
        "response", lambda answer: failures.extend([f"{answer.status} {answer.url}"] if answer.status >= 400 else [])
    )
    try:
        yield messages
    except Exception as error:
        parts = dict.fromkeys(("page", "open dialogs", "active element", "console", "failed requests", "text"), UNKNOWN)
        logs = {"console": messages[-LAST:], "failed requests": failures[-LAST:]}
        parts |= {"page": [page.url]} | logs | _content(page)
        error.add_note("\n".join("\n".join([f"{title}:", *(lines or ["none"])]) for title, lines in parts.items()))
        raise


def _content(page: "Page") -> dict[str, list[str]]:
    """Return the page's open dialogs, its active element and its text; nothing if the browser does not answer."""
    with suppress(Exception):
        text = page.locator("body").inner_text(timeout=2_000)  # the time limit of `evaluate` does not end a script
        content: dict[str, list[str]] = page.evaluate(CONTENT)
        return content | {"text": [text[:2_000]]}
    return {}


def follow(link: "Locator") -> None:
    """Click a link and wait for its page: a click alone does not wait."""
    with link.page.expect_navigation():
        link.first.click()


def violations(page: "Page") -> list[str]:
    """Return the violations of WCAG 2.1 AA and good practice that axe reports, of every severity."""
    page.evaluate(AXE.read_text())  # through the debugging protocol: the page's own policy stays as it is
    rules = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}}
    options = json.dumps(rules | {"resultTypes": ["violations"]})  # what is right would be told node by node
    problems = page.evaluate(f"axe.run(document, {options}).then(found => found.violations)")
    return [
        f"{violation['id']} ({violation['impact']}): {node['html'][:160]}: {node.get('failureSummary', '')[:200]}"
        for violation in problems
        for node in violation["nodes"][:3]
    ]
