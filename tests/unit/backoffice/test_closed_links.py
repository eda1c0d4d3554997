"""A link that its reader would be refused is left as plain words; everything else of the page stays as it is."""

import pytest

from backoffice.kit.forbidden_link_removal import ClosedLinks
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.site.page_declarations_in_menu_order import SITE

CLOSED = ClosedLinks(SITE.urls)
PAGE = (
    '<p>won <a class="fig" id="win" href="/events?table=FR1&amp;x=1">5.00</a> <a href="/events/30">30</a>'
    '<a href="#content">down</a> <a href="https://example.org/events">out</a> '
    '<a href="/progressives/blazing">blazing</a>'
)


def test_who_may_go_everywhere_gets_the_page_as_it_is() -> None:
    assert CLOSED.remove_links(PAGE.encode(), Reader(person="olga", roles=frozenset({"auditor"}))).decode() == PAGE


def test_who_may_not_look_at_events_reads_the_figure_alone() -> None:
    left = CLOSED.remove_links(PAGE.encode(), Reader(person="cage", roles=frozenset({"cage"}))).decode()
    assert '<a class="fig" id="win">5.00</a> <a>30</a>' in left
    assert left.endswith(PAGE[PAGE.index('<a href="#content">') :])


@pytest.mark.parametrize(("role", "leaves"), [("accountant", True), ("dealer", False), ("security", False)])
def test_the_search_stands_where_it_leads_somewhere(role: str, leaves: bool) -> None:
    assert CLOSED.is_open_to("/events", Reader(person="x", roles=frozenset({role}))) is leaves
