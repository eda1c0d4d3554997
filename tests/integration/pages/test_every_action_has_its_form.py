"""Every action of people has a form, and needs no terminal."""

from collections import Counter

import pytest

from backoffice.kit.due_action_and_link_structs import DueAction
from backoffice.kit.form_address_and_permission import PLACE
from backoffice.kit.page_declaration import Page
from backoffice.kit.reader_and_read_rule_types import roles
from backoffice.kit.site_from_page_declarations import Site
from backoffice.site.page_declarations_in_menu_order import PAGES, SITE, SOURCE
from events.people import authority
from events.streams import stream_kind_declaration
from tools.documents.action_forms_page import of_people, without_form

DAY = "2026-11-20"


def test_every_action_of_people_has_a_form_on_some_page() -> None:
    assert without_form(SITE) == []


def test_no_two_pages_have_the_form_of_a_due_action() -> None:
    forms = [(act.kind, act.type, frozenset(PLACE.findall(page.path))) for page in PAGES for act in page.acts]
    assert [form for form, times in Counter(forms).items() if times > 1] == []


REASON = {"reason": "WHY"}
CLOSE = DueAction("", "", "days", "", "day.close", REASON, f"gaming_day={DAY}", blanks=frozenset(REASON))


@pytest.mark.parametrize(
    ("action", "address"),
    [
        (
            DueAction("", "", "cage", "", "slip.issue", {"request": 1}),
            "/cage/do/slip.issue?request=1&form-back=%2Fwork",
        ),
        (DueAction("", "", "tables/R1", "", "session.open", {}), "/pit/R1/do/session.open?form-back=%2Fwork"),
        (CLOSE, f"/days/{DAY}/do/day.close?form-back=%2Fwork"),
        (DueAction("", "", "tables/a/b", "", "session.open", {}), ""),
        (DueAction("", "", "house", "", "slip.issue", {}), ""),
    ],
)
def test_a_due_action_leads_to_the_form_of_its_stream(action: DueAction, address: str) -> None:
    forms = SITE.frame.forms
    assert (forms.url(action, "/work") if forms.has_form(action) else "") == address


@pytest.mark.parametrize("to", ["devices", "devices/R1", "devices/tablet-1"])
def test_a_due_action_that_names_no_page_of_its_form_is_an_error(to: str) -> None:
    """The forms of devices are on a page of a table. The stream of all devices names no table."""
    forms, action = SITE.frame.forms, DueAction("", "", to, "", "device.revoke", {"device": "tablet-1"})
    with pytest.raises(ValueError, match=r"device\.revoke.*page of a table"):
        forms.has_form(action)
    with pytest.raises(ValueError, match=r"device\.revoke.*page of a table"):
        forms.url(action, "/work")


def test_a_form_that_no_page_has_has_no_address() -> None:
    forms, action = SITE.frame.forms, DueAction("", "", "house", "", "slip.issue", {})
    assert not forms.has_form(action)
    with pytest.raises(ValueError, match=r"slip\.issue"):
        forms.url(action, "/work")


def test_an_action_without_a_form_is_named() -> None:
    pages = [page for page in PAGES if page.name != "people"]
    plain = Page(name="plain", path="plain", title="Plain", open_to=roles("dealer"), template="x", query=str)
    assert without_form(Site((*pages, plain), SOURCE)) == of_people(stream_kind_declaration.kind_by_name("people"))


@pytest.mark.parametrize("kind", stream_kind_declaration.kinds_with_actions())
def test_what_a_dealer_may_do_is_done_at_the_table(kind: str) -> None:
    kinds_ = of_people(stream_kind_declaration.kind_by_name(kind))
    assert kinds_
    assert not any("dealer" in authority.may(kind, action) for action in kinds_)
