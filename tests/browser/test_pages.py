"""The pages in a real browser: both sizes, light and dark, by keyboard, checked by axe; nothing in the console."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.houses.evening_with_everything import MISPAY_ALERT
from tests.support.houses.small_house import DAY
from tests.support.pages import case_for_pages
from tests.support.pages.browser import SIZES, opened, violations
from tests.support.processes.web_process import LiveProcess, Web, empty, played

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

PAGES = {
    "floor": "/",
    "roulette": f"/tables/FR1/{DAY}",
    "blackjack": f"/tables/BJ1/{DAY}",
    "a table of the pit": "/pit/FR2",
    "progressives": "/progressives/",
    "progressive": "/progressives/blazing",
    "open items": "/progressives/blazing/matters",
    "liability": "/progressives/blazing/liability",
    "what if": f"/progressives/blazing/what-if?day={DAY}&minor-feed=5&mega-seed=100.00",
    "notices": "/notices",
    "integrity": "/integrity",
    "hit": f"/progressives/blazing/hits/BJ1-{DAY}-1-1",
    "pending hit": f"/progressives/blazing/hits/BJ1-{DAY}-2-1",
    "sign": "/progressives/blazing/sign",
    "events": f"/events?table=FR1&gaming_day={DAY}&sum=event-win",
    "event": "/events/30",
    "alerts": "/alerts",
    "wall display": "/alerts/wall",
    "wall displays": "/alerts/wall/displays",
    "subscriptions": "/subscriptions",
    "deliveries": "/system/deliveries",
    "gaming day": f"/days/{DAY}",
    "wins of a day": f"/days/{DAY}/wins",
    "discrepancies": f"/days/{DAY}/discrepancies",
    "slips of a day": f"/days/{DAY}/slips",
    "cage of a day": f"/days/{DAY}/cage",
    "hold": "/hold",
    "your work": "/work",
    "first steps": "/first-steps",
    "results of a dealer": "/dealers/dora",
    "results of a player": "/players/g-1",
    "rounds of a dealer": "/dealers/dora/rounds?only=errors",
    "access log": "/integrity/looks",
    "system": "/system",
    "draws": "/draws",
    "a draw": "/draws/night",
    "coverage of inspections": f"/inspections?first={DAY}&last={DAY}",
    "a bookmark": f"/bookmark?alert={MISPAY_ALERT}",
    "an alert": f"/alerts/{MISPAY_ALERT}",
    "cases": "/cases",
    "case": f"/cases/{case_for_pages.CASE}",
    "a note of a case": f"/cases/{case_for_pages.CASE}/do/case.note",
    "open a case": f"/cases/do/case.open?alerts={MISPAY_ALERT}",
    "missing": "/tables/nowhere",
}
WITHOUT_PALETTE = ("sign", "wall display", "missing")


@pytest.fixture(scope="module")
def web(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Web]:
    """The web process over the evening, with a live process."""
    with Web(played, django_db_blocker) as running, LiveProcess(running):
        yield running


@pytest.fixture(scope="module")
def empty_web(chromium_path: str, django_db_blocker: DjangoDbBlocker) -> Iterator[Web]:
    """The web process of a house that has its people, and where nothing has happened yet."""
    with Web(empty, django_db_blocker) as running:
        yield running


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("tablet", "dark")])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_fits_and_is_accessible(web: Web, browser: "Browser", name: str, size: str, scheme: str) -> None:
    """Each page once a scheme, once a size. Each page with a menu has a palette that opens."""
    with opened(browser, web.url + PAGES[name], size, scheme) as page:
        assert page.locator("h1").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
        assert violations(page) == []
        if name in WITHOUT_PALETTE:
            return
        page.keyboard.press("Control+k")
        page.get_by_role("option", name="Floor", exact=False).first.wait_for()


INSIDE = """[...document.querySelectorAll(".menu a, .who a")].filter(one => {
  const box = one.closest("nav").getBoundingClientRect(), at = one.getBoundingClientRect();
  return at.left < box.left - 1 || at.right > box.right + 1 || at.height > 60;
}).map(one => one.textContent.trim())"""


def test_the_header_holds_every_entry_and_the_way_out(web: Web, browser: "Browser") -> None:
    """An auditor has the longest menu. On a phone it scrolls sideways, and the entry of the open page is visible."""
    with opened(browser, web.url + "/house") as page:
        for width in (1440, 1280, 1024, 820, 768, 641):
            page.set_viewport_size({"width": width, "height": 900})
            page.locator(".menu [href='/inbox'] .count").wait_for()
            assert page.evaluate(INSIDE) == [], width
        page.set_viewport_size({"width": 390, "height": 844})
        page.reload()
        entry_box = page.locator(".menu [aria-current]").bounding_box()
        assert entry_box is not None
        assert 0 <= entry_box["x"] <= 390 - entry_box["width"]


@pytest.mark.parametrize("path", ["/", "/progressives/"])
def test_a_house_that_has_only_its_people_explains_itself(empty_web: Web, browser: "Browser", path: str) -> None:
    with opened(browser, empty_web.url + path) as page:
        assert page.get_by_text("Start with First steps.").is_visible()
        assert page.locator("#fresh").inner_text().strip().startswith("as of event")
        assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_that_look_old_can_still_be_read(web: Web, browser: "Browser", scheme: str) -> None:
    with opened(browser, web.url, scheme=scheme) as page:
        figures = page.locator("#live")
        assert figures.evaluate("e => getComputedStyle(e).filter") == "none"
        page.evaluate("document.getElementById('fresh').dataset.state = 'late'")
        assert figures.evaluate("e => getComputedStyle(e).filter") == "grayscale(1)"
        assert violations(page) == []


def test_the_policy_stops_what_is_inline(web: Web, browser: "Browser") -> None:
    """The pages are not merely free of inline script: none would run."""
    with opened(browser, web.url, expect="inline style violates") as page:
        page.evaluate(
            "addEventListener('securitypolicyviolation', e => { document.body.dataset.stopped = e.violatedDirective })"
        )
        page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">x</p>')")
        page.locator("body[data-stopped='style-src-attr']").wait_for()


def test_one_goes_everywhere_by_keyboard(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url) as page:
        page.keyboard.press("?")
        assert page.get_by_role("dialog", name="Keyboard").is_visible()
        page.keyboard.press("Escape")
        assert not page.get_by_role("dialog").is_visible()
        for letter, path in (("p", "/progressives/"), ("e", "/events"), ("f", "/")):
            page.keyboard.press("g")
            page.keyboard.press(letter)
            page.wait_for_url(web.url + path)
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "search"
        page.keyboard.type("g-7")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"/events\?q=g-7"))
        page.get_by_role("link", name="player g-7").click()
        page.wait_for_url(re.compile(r"/events\?q=player%3Ag-7"))
        assert "g-7" in page.locator("table.log").inner_text()


def test_the_first_tab_stop_skips_to_the_content(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url) as page:
        page.keyboard.press("Tab")
        assert page.locator(".skip").evaluate("e => e === document.activeElement && e.getBoundingClientRect().top >= 0")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "content"


def test_an_event_opens_in_its_row_and_closes_again(web: Web, browser: "Browser") -> None:
    with opened(browser, f"{web.url}/events?type=ball.landed.v1") as page:
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("k")
        page.keyboard.press("Enter")
        detail = page.locator("tr.detail:visible")
        detail.get_by_text('"specversion": "1.0"').wait_for()
        assert "matches the previous event of the stream" in detail.inner_text()
        assert page.locator("[aria-expanded=true]").count() == 1
        assert violations(page) == []
        page.keyboard.press("Enter")
        assert page.locator("tr.detail:visible").count() == 0


def test_a_filter_is_in_the_address_and_comes_off_again(web: Web, browser: "Browser") -> None:
    with opened(browser, f"{web.url}/events") as page:
        page.get_by_label("Search", exact=True).fill("table:FR1 type:fill.received")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"q=table%3AFR1\+type%3Afill\.received"))
        assert page.locator("#total").inner_text().startswith("1 event")
        page.get_by_role("link", name="Remove the filter type fill received").click()
        page.wait_for_url(re.compile(r"\?q=table%3AFR1$"))


def test_what_is_found_is_counted_and_leads_on(web: Web, browser: "Browser") -> None:
    with opened(browser, f"{web.url}/events?q=table:FR1") as page:
        page.get_by_text("Count by type, table, dealer and player").click()
        page.locator("#facets").get_by_role("link", name="bet settled").wait_for()
        assert violations(page) == []
        page.locator("#facets").get_by_role("link", name="bet settled").click()
        page.wait_for_url(re.compile(r"q=table%3AFR1\+type%3Abet\.settled"))
        assert page.locator("#total").inner_text().startswith("18 events")


def test_a_search_is_saved_found_again_and_let_go(web: Web, browser: "Browser") -> None:
    with opened(browser, f"{web.url}/events?q=table:FR2") as page:
        page.get_by_text("Saved searches", exact=True).click()
        page.get_by_label("Search name").fill("The second table")
        page.get_by_label("Share with").select_option("auditor")
        assert violations(page) == []
        page.get_by_role("button", name="Save search").click()
        page.get_by_text("Saved searches", exact=True).click()
        page.get_by_role("link", name="The second table").click()
        page.wait_for_url(re.compile(r"\?q=table%3AFR2$"))
        page.get_by_text("Saved searches", exact=True).click()
        page.get_by_role("button", name="Delete search The second table").click()
        page.get_by_text("Saved searches", exact=True).click()
        page.get_by_text("No saved searches").wait_for()


def test_a_search_is_completed_by_keyboard(web: Web, browser: "Browser") -> None:
    """A field, then at once its values; Escape shuts the list, and Enter without a choice searches."""
    with opened(browser, f"{web.url}/events") as page:
        field = page.get_by_role("combobox", name="Search")
        options = page.get_by_role("option")
        field.press_sequentially("ta")
        options.first.wait_for()
        field.press("ArrowDown")
        assert field.get_attribute("aria-activedescendant") == "completion-1"
        assert violations(page) == []
        field.press("Enter")
        page.get_by_role("option", name="FR2").wait_for()
        assert field.input_value() == "table:"
        field.press_sequentially("FR")
        page.get_by_role("option", name="BJ1").wait_for(state="detached")
        field.press("ArrowUp")
        field.press("Tab")
        assert field.input_value() == "table:FR2"
        assert options.first.is_hidden()
        field.press_sequentially(" pl")
        page.get_by_role("option", name="player:").click()
        page.get_by_role("option", name="g-1").wait_for()
        assert field.input_value() == "table:FR2 player:"
        field.press("Escape")
        assert field.get_attribute("aria-expanded") == "false"
        assert page.evaluate("document.activeElement.id") == "search"
        field.press_sequentially("g-1")
        page.get_by_role("option", name="g-1").wait_for()
        field.press("Enter")
        page.wait_for_url(re.compile(r"q=table%3AFR2\+player%3Ag-1"))


def test_a_search_that_cannot_be_understood_is_marked_where_it_is_wrong(web: Web, browser: "Browser") -> None:
    """Checked on a phone too."""
    for width, scheme in ((1440, "light"), (390, "dark")):
        with opened(browser, f"{web.url}/events", "desktop", scheme, expect="400") as page:
            page.set_viewport_size({"width": width, "height": 844})
            page.get_by_label("Search", exact=True).fill("table:FR1 tabel:FR1")
            page.keyboard.press("Enter")
            assert page.locator("mark").inner_text() == "tabel:FR1"
            assert page.locator("table.log").count() == 0
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert violations(page) == []


def test_a_number_leads_to_the_events_that_sum_to_it(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url) as page:
        figure = page.locator("#t-FR1-event data")
        amount = figure.get_attribute("value")
        figure.click()
        page.wait_for_url(re.compile("sum=event-win"))
        total = page.locator("#total data").get_attribute("value")
        assert abs(int(total or 0)) == abs(int(amount or 1))


def test_the_floor_follows_without_moving(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url) as page:
        before = page.locator("#live").bounding_box()
        page.locator("#t-FR1-drop").focus()
        page.evaluate("document.getElementById('seen').value = 'something else'")
        with page.expect_response(re.compile("/floor/live")) as answer:
            pass
        assert answer.value.status == 200
        page.locator("#seen[value='something else']").wait_for(state="detached")
        assert page.locator("#live").bounding_box() == before
        assert page.evaluate("document.activeElement.id") == "t-FR1-drop"
        with page.expect_response(re.compile("/floor/live")) as quiet:
            pass
        assert quiet.value.status == 204


def test_a_page_that_is_cut_off_says_so(web: Web, browser: "Browser") -> None:
    with opened(browser, web.url, expect="502|Response Status Error Code") as page:
        page.route("**/floor/live*", lambda route: route.fulfill(status=502))
        page.locator("#cut-off").wait_for()
        assert "The server does not answer" in page.locator("#cut-off").inner_text()
        page.unroute("**/floor/live*")
        page.locator("#cut-off").wait_for(state="hidden")


@pytest.mark.parametrize(
    ("path", "has_figures"),
    [("/", True), (f"/days/{DAY}", True), ("/dealers/dora", True), ("/cases", False), ("/people", False)],
)
def test_the_footer_explains_figures_where_the_page_has_some(
    web: Web, browser: "Browser", path: str, has_figures: bool
) -> None:
    with opened(browser, web.url + path) as page:
        assert page.get_by_text("Select a number to see its events.").is_visible() is has_figures


@pytest.mark.parametrize("width", [1440, 1024, 820, 390])
def test_the_floor_shows_the_whole_name_of_each_game(web: Web, browser: "Browser", width: int) -> None:
    """The rows of tables that are not open, too, and every row is as wide as the list."""
    with opened(browser, web.url) as page:
        page.set_viewport_size({"width": width, "height": 900})
        names = page.locator(".floor th .rules")
        assert names.count() > 3
        assert max(len(name) for name in names.all_inner_texts()) > 40
        cut = """names => names.filter(name => [name, name.parentElement].some(
          one => one.scrollWidth > one.clientWidth && one.clientWidth || one.scrollHeight > one.clientHeight + 2
            && one.clientHeight || getComputedStyle(one).whiteSpace === "nowrap")).map(name => name.textContent)"""
        assert names.evaluate_all(cut) == []
        gaps = """rows => rows.map(row => row.closest(".card").getBoundingClientRect().right
          - Math.max(...[...row.cells].map(cell => cell.getBoundingClientRect().right)))"""
        assert max(page.locator(".floor :is(tbody, tfoot) tr:not(.idle)").evaluate_all(gaps)) <= 14


def test_the_chosen_filters_look_chosen(web: Web, browser: "Browser") -> None:
    with opened(browser, f"{web.url}/alerts?status=open") as page:
        current, other = (
            page.locator(f".chips a{which}").first for which in ("[aria-current]", ":not([aria-current])")
        )
        weights = [chip.evaluate("one => getComputedStyle(one).fontWeight") for chip in (current, other)]
        assert (current.inner_text().split()[0], *weights) == ("Open", "600", "400")


@pytest.mark.parametrize("failure", ["an error", "no connection"])
def test_a_part_that_could_not_be_loaded_is_requested_again(web: Web, browser: "Browser", failure: str) -> None:
    with opened(
        browser, f"{web.url}/events?type=ball.landed.v1", expect="502|ERR_FAILED|htmx:|Response Status"
    ) as page:
        is_down = [True]

        def answer(route: "Route") -> None:
            if not is_down[0]:
                route.continue_()
            elif failure == "an error":
                route.fulfill(status=502)
            else:
                route.abort()

        page.route("**/events/facets*", answer)
        page.route(re.compile(r"/events/\d+$"), answer)
        page.get_by_text("Count by type, table, dealer and player").click()
        page.locator("#cut-off").wait_for()
        page.locator("a[data-event]").first.click()
        is_down[0] = False
        page.locator(".facets", has_text="Counting").wait_for(state="detached")
        page.locator("a[data-event]").first.click()  # closes the row
        page.locator("a[data-event]").first.click()
        page.locator("tr.detail:visible").get_by_text('"specversion": "1.0"').wait_for()
