"""A person at a screen: signs in by password and app, and checks each page by the house's own rules."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from tests.jobs.evening_house import EveningHouse
from tests.support.pages.browser import follow, showing, violations
from tests.support.pages.sign_in import PASSWORD, code
from tests.support.processes.web_process import Web

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

SIZES = {"desktop": (1280, 900), "tablet": (1024, 768), "phone": (390, 844)}
SCHEMES = ("light", "dark")
PICTURES = os.environ.get("PICTURES", "")  # a folder for a picture of every page that is looked at
EXPECTED = re.compile(r"status of (401|404|403|422)")  # what a browser says of an answer that is meant


class ScreenSetting(msgspec.Struct, frozen=True):
    """A screen."""

    size: str
    scheme: str

    def __str__(self) -> str:
        return f"{self.size}-{self.scheme}"


SETTINGS = [ScreenSetting(size, scheme) for size in SIZES for scheme in SCHEMES]


class Visitor:
    """The page of one person."""

    def __init__(self, page: "Page", web: Web, setting: ScreenSetting) -> None:
        self.page, self.setting = page, setting
        self.base = f"http://localhost:{web.port}"  # passkeys belong to a name

    @property
    def text(self) -> str:
        """Return the text of the page in one line."""
        return re.sub(r"\s+", " ", self.page.inner_text("main"))

    def go(self, path: str) -> None:
        response = self.page.goto(self.base + path)
        assert response is not None
        assert response.ok, f"{path}: {response.status}"
        policy = response.headers.get("content-security-policy", "")
        assert "default-src 'none'" in policy or "default-src 'self'" in policy, policy
        assert "unsafe" not in policy, policy

    def look(self) -> None:
        """Assert that the page fits, has one heading, and has no serious finding of axe."""
        heading = self.page.locator("h1")
        assert heading.count() == 1
        width = self.page.evaluate("document.documentElement.scrollWidth")
        assert width <= SIZES[self.setting.size][0], f"{self.page.url} is {width} wide"
        if PICTURES:
            name = re.sub(r"[^\w]+", "-", self.page.title().partition(" – ")[0]).strip("-")
            self.page.screenshot(path=f"{PICTURES}/{name}-{self.setting}.png", full_page=True)
        assert violations(self.page) == [], self.page.url

    def press(self, name: str, among: "Locator | None" = None) -> None:
        """A button or a link of the page, each of which leads to another."""
        place = among if among is not None else self.page.locator("main")
        button, link = (place.get_by_role(role, name=name, exact=True) for role in ("button", "link"))
        follow(button.or_(link))

    def fill(self, **fields: str | bool) -> None:
        """Inputs by their names; a dash of a name is written as two underscores."""
        for name, value in fields.items():
            field = self.page.locator(f"main [name='{name.replace('__', '-')}']").first
            tag = field.evaluate("e => e.tagName")
            if isinstance(value, bool):
                field.set_checked(value)
            elif tag == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)

    def act(self, *, says: str = "") -> None:
        """Review a form, then send it once, in spite of a double click."""
        if self.page.get_by_role("button", name="Review").count():
            self.press("Review")
        self._see("#would")
        assert says in self.text, self.text
        self.look()
        self.page.locator("main button.main").dblclick()
        self._see(".banner.good")

    def _see(self, selector: str) -> None:
        """Wait for an element. If the page shows a refusal instead, fail with its text."""
        self.page.locator(selector).or_(self.page.locator("main .banner.bad:not(#cut-off)")).first.wait_for()
        self.page.wait_for_load_state()  # what is looked for may come before the rest
        assert self.page.locator(selector).count(), self.text

    def matter(self, words: str) -> "Locator":
        """Return a row of the inbox or of the open items."""
        table_row = self.page.locator("main tr", has_text=words).first
        table_row.wait_for()
        return table_row


class HouseInBrowser:
    """The night, its pages, and a browser in one setting."""

    def __init__(self, night: EveningHouse, web: Web, browser: "Browser", setting: ScreenSetting) -> None:
        self.night, self.web, self.browser, self.setting = night, web, browser, setting

    @contextmanager
    def nobody(self) -> Iterator[Visitor]:
        """Yield a browser without sign-in. At its end, its console must be empty."""
        width, height = SIZES[self.setting.size]
        options: dict[str, Any] = {"viewport": {"width": width, "height": height}, "locale": "en-GB"}
        context = self.browser.new_context(color_scheme=self.setting.scheme, **options)  # type: ignore[arg-type]  # a Literal
        page = context.new_page()
        page.set_default_timeout(90_000)
        try:
            with showing(page) as messages:
                yield Visitor(page, self.web, self.setting)
            assert [line for line in messages if not EXPECTED.search(line)] == []
        finally:
            context.close()

    @contextmanager
    def somebody(self, person: str, path: str = "/start") -> Iterator[Visitor]:
        """A browser in which this person has just signed in, by password and app, and goes to a page."""
        with self.nobody() as visitor:
            cookie: Any = {"name": "sessionid", "value": self.night.session_of(person), "url": visitor.base}
            visitor.page.context.add_cookies([cookie])
            visitor.go(path)
            yield visitor

    def sign_in(self, visitor: Visitor, person: str) -> None:
        """Sign in by the pages."""
        visitor.go("/sign-in")
        self.sign_in_here(visitor, person)

    def sign_in_here(self, visitor: Visitor, person: str) -> None:
        """Sign in at the entrance to which a page has led."""
        secret = self.night.secret_of(person)
        visitor.fill(login=person, password=PASSWORD)
        visitor.press("Sign in")
        visitor.page.locator("main [name=code]").wait_for()
        visitor.fill(code=code(secret))
        visitor.page.locator("main button[type=submit]").first.click()
        visitor.page.wait_for_url(lambda url: "sign-in" not in url and "factors" not in url)
