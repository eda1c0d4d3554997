"""A subject of our own, as docs/howto/add-a-subject.md adds one: lost property, which people note and return on a page.

Its kind of stream is `tests/toys/stream.py`. `CHANGES` has the changed product files, each with its change.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import msgspec
import pytest
from django.urls import include, path

from backoffice.api.urls import urlpatterns as actions
from backoffice.kit.page_declaration import Act, Endpoint, MenuEntry, Page, PageRequest, Stage, approval_acts
from backoffice.kit.reader_and_read_rule_types import roles
from backoffice.kit.site_from_page_declarations import Site
from backoffice.people.urls import urlpatterns as entrance
from backoffice.site.page_declarations_in_menu_order import PAGES, PLAIN, SOURCE
from backoffice.wording import field_labels
from events import catalogue
from events.roles import SUPERVISORS, WATCH
from events.streams import stream_kind_declaration
from projections.eventlog.models import EventLog
from tests.toys import stream as toy_stream

NOTED, RETURNED = toy_stream.ItemFound.TYPE, toy_stream.ItemReturned.TYPE


class LostItem(msgspec.Struct, frozen=True):
    """An item that waits for its owner, with the table and the moment at which it was found."""

    item: str
    table: str
    at: datetime


class LostItems(msgspec.Struct, frozen=True):
    """All items that wait for their owners, in the order in which they were found."""

    items: tuple[LostItem, ...]


def lost_items(request: PageRequest) -> LostItems:
    """Read the items with one query."""
    rows = EventLog.objects.filter(type__in=(NOTED, RETURNED)).order_by("position")
    items: dict[str, LostItem] = {}
    for row in rows:
        if row.type == RETURNED:
            items.pop(row.correlation or "", None)
        else:
            event: Any = catalogue.decode(row.type, bytes(row.raw))
            items[event.data.item] = LostItem(event.data.item, event.data.table, datetime.fromisoformat(event.time))
    return LostItems(tuple(items.values()))


def lost_property_page() -> Page:
    """Return the declaration: its actions exist from the registration of the kind of stream on."""
    return Page(
        name="lost",
        path="lost",
        title="Lost property",
        open_to=roles("dealer", *SUPERVISORS, *WATCH),
        template="toys/lost.html",
        query=lost_items,
        shown_as="lost",
        menu=MenuEntry("Lost property", "l", "go to the lost property"),
        endpoint=Endpoint(name="lost", path="lost", answer=LostItems, meaning="The items that wait for their owners."),
        acts=(
            Act("lost", "item.find", "Note item"),
            Act("lost", "item.return", "Return item"),
            *approval_acts("lost"),
        ),
        stage=lambda _request: Stage(currency="EUR"),
    )


def addresses() -> type:
    """Return the addresses of a house with the page."""
    site = Site((*PAGES, lost_property_page()), SOURCE, plain=PLAIN)
    patterns = [
        path("api/v1/", include([*actions, *site.api])),
        path("", include(entrance)),
        path("", include(site.urls)),
    ]
    return type("Addresses", (), {"urlpatterns": patterns})


def _register(patch: pytest.MonkeyPatch) -> None:
    for kind in (toy_stream.LOST, toy_stream.VAULT):
        stream_kind_declaration.register(kind)


def _label(patch: pytest.MonkeyPatch) -> None:
    labels: Any = field_labels.LABELS
    patch.setitem(labels, "item", "item")
    patch.setitem(labels, "worth_minor", "worth")


def _declared(patch: pytest.MonkeyPatch) -> None:
    """It is in this file, or in that of the kind of stream."""


CHANGES: Mapping[str, Callable[[pytest.MonkeyPatch], None]] = {
    "events/SUBJECT/NAME.py": _declared,
    "events/SUBJECT/stream_declaration.py": _declared,
    "events/streams/stream_kind_declaration.py": _register,
    "backoffice/SUBJECT/NAME.py": _declared,
    "backoffice/SUBJECT/NAME_page.py": _declared,
    "backoffice/SUBJECT/templates/pages/NAME.html": _declared,
    "backoffice/site/page_declarations_in_menu_order.py": _declared,
    "backoffice/wording/field_labels.py": _label,
}


def install(patch: pytest.MonkeyPatch) -> None:
    """Change the files. `withdraw` takes the kinds of streams back."""
    for change in CHANGES.values():
        change(patch)


def withdraw() -> None:
    """Withdraw the kinds of streams."""
    for kind in ("lost", "vault"):
        stream_kind_declaration.withdraw(kind)
