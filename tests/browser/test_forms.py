"""The form of every action as a browser has it: readable, usable with a thumb, its patterns understood."""

from pathlib import Path
from typing import TYPE_CHECKING

from django.template import Context, Template

from backoffice.forms.action_form_from_struct import form_of
from events import catalogue
from events.envelope import ActionData
from events.progressives.action_structs import AdjustMeter, CloseVariance
from tests.support.pages.browser import violations

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CSS = (Path(__file__).parents[2] / "backoffice/static/backoffice/pitledger.css").read_text()
LOWEST = "Math.min(...[...document.querySelectorAll('input, select, textarea, button')].map(e => e.offsetHeight))"
PAGE = (
    '{% load forms %}<!doctype html><html lang="en"><head><title>Forms</title><style>{{ css|safe }}</style></head>'
    '<body><main class="frame"><h1>Forms</h1>{% for title, form in forms %}'
    '{% action_form form title "Send for approval" %}{% endfor %}</main></body></html>'
)


def written(*shapes: type[ActionData], **filled: str) -> str:
    """Return a page of these forms, each with these values; without values, as it first appears."""
    forms = [
        (shape.TYPE, form_of(shape)(filled or None, currency="EUR", prefix=str(n))) for n, shape in enumerate(shapes)
    ]
    return Template(PAGE).render(Context({"forms": forms, "css": CSS}))


def test_every_pattern_is_one_that_browsers_understand(browser: "Browser") -> None:
    page = browser.new_page()
    page.set_content(written(*catalogue.action_types().values()))
    broken = page.evaluate(
        """() => [...document.querySelectorAll("[pattern]")].map(e => e.pattern).filter(pattern => {
            try { new RegExp(`^(?:${pattern})$`, "v"); return false } catch { return true } })"""
    )
    assert page.locator("[pattern]").count() > 50
    assert broken == []
    page.close()


def test_a_form_is_accessible_and_fits_a_phone_in_light_and_dark(browser: "Browser") -> None:
    for scheme in ("light", "dark"):
        context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)
        page = context.new_page()
        page.set_content(written(AdjustMeter, CloseVariance, **{"0-amount_minor": "x", "1-gaming_day": "20.11.2026"}))
        assert page.locator("[aria-invalid=true]").count() >= 4
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate(LOWEST) >= 24
        assert violations(page) == []
        context.close()


def test_the_browser_itself_holds_the_bounds(browser: "Browser") -> None:
    page = browser.new_page()
    page.set_content(written(AdjustMeter))
    amount = page.locator("[name='0-amount_minor']")
    for text, is_valid in (("285.80", True), ("285.805", False), ("10000000000.01", False), ("-5", True)):
        amount.fill(text)
        assert amount.evaluate("e => e.validity.valid") is is_valid, text
    level = page.locator("[name='0-level']")
    for text, is_valid in (("mega", True), ("-mega", False), ("mega ", False), ("Mega-2.b", True)):
        level.fill(text)
        assert level.evaluate("e => e.validity.valid") is is_valid, text
    page.close()
