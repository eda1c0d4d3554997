"""The note of a failed browser test: enough to explain the failure without a second run."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.support.pages.browser import showing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ADDRESS = "http://house.invalid"
PAGE = """<!doctype html><title>Floor</title><h1>Floor</h1>
<dialog id="palette"><input name="q"><p>No places</p></dialog>
<script>
document.getElementById("palette").showModal();
const asked = [fetch("/places"), fetch("/alerts")];
Promise.allSettled(asked).then(() => null.places);
</script>"""
NOTE = (
    f"page:\n{ADDRESS}/\n",
    "open dialogs:\npalette: No places\n",
    'active element:\n<input name="q">\n',
    "console:\n",
    "error: TypeError: Cannot read properties of null (reading 'places')\n",
    "failed requests:\n",
    f"503 {ADDRESS}/places\n",
    f"net::ERR_FAILED GET {ADDRESS}/alerts\n",
    "text:\nFloor\n",
)


def note_of(page: "Page", visit: Callable[["Page"], None]) -> str:
    """Return the note of a test that fails after its visit to the page."""
    with pytest.raises(AssertionError) as caught:
        _fail_after(page, visit)
    (note,) = caught.value.__notes__
    return note


def _fail_after(page: "Page", visit: Callable[["Page"], None]) -> None:
    with showing(page):
        visit(page)
        raise AssertionError("a failure of the test's own")


def test_it_tells_dialogs_focus_console_and_failed_requests(browser: "Browser") -> None:
    page = browser.new_page()
    page.route(f"{ADDRESS}/", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
    page.route("**/places", lambda route: route.fulfill(status=503))
    page.route("**/alerts", lambda route: route.abort())

    def visit(page: "Page") -> None:
        with page.expect_event("pageerror"):
            page.goto(ADDRESS)

    note = note_of(page, visit)
    assert [part for part in NOTE if part not in note] == [], note
    assert note.index("open dialogs:") < note.index("console:") < note.index("text:")
    page.close()


def test_a_browser_that_is_gone_hides_no_console(browser: "Browser") -> None:
    page = browser.new_page()

    def visit(page: "Page") -> None:
        page.evaluate("console.warn('the last words')")
        page.close()

    note = note_of(page, visit)
    assert "warning: the last words" in note
    assert "text:\nunknown: the browser does not answer" in note
