"""Every action of people has a form, and needs no terminal."""

import pytest

from backoffice.kit.page_declaration import Page
from backoffice.kit.reader_and_read_rule_types import roles
from backoffice.kit.site_from_page_declarations import Site
from backoffice.site.page_declarations_in_menu_order import PAGES, SITE, SOURCE
from events.people import authority
from events.streams import stream_kind_declaration
from tools.documents.action_forms_page import of_people, without_form


def test_every_action_of_people_has_a_form_on_some_page() -> None:
    assert without_form(SITE) == []


def test_an_action_without_a_form_is_named() -> None:
    pages = [page for page in PAGES if page.name != "people"]
    plain = Page(name="plain", path="plain", title="Plain", open_to=roles("dealer"), template="x", query=str)
    assert without_form(Site((*pages, plain), SOURCE)) == of_people(stream_kind_declaration.of("people"))


@pytest.mark.parametrize("kind", stream_kind_declaration.kinds_with_actions())
def test_what_a_dealer_may_do_is_done_at_the_table(kind: str) -> None:
    kinds_ = of_people(stream_kind_declaration.of(kind))
    assert kinds_
    assert not any("dealer" in authority.may(kind, action) for action in kinds_)
