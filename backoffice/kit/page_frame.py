"""The frame around every page: the menu, the links that a reader may follow, and services of the house."""

from collections.abc import Callable
from typing import Any, Protocol

import msgspec
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from backoffice.kit.access_denied_answers import RefusalLog
from backoffice.kit.access_log_rules import ViewLog
from backoffice.kit.forbidden_link_removal import ClosedLinks
from backoffice.kit.form_address_and_permission import ActionForms
from backoffice.kit.page_declaration import Page, Words
from backoffice.kit.reader_and_read_rule_types import Reader
from events.desk.command_and_answer_structs import Reply
from events.envelope import Action
from events.streams.stream_kind_declaration import Target


class FiguresAge(Protocol):
    """The age of the figures."""

    @property
    def figures(self) -> str: ...
    @property
    def token(self) -> str: ...
    @property
    def position(self) -> int: ...


class PageServices(msgspec.Struct, frozen=True):
    """Services of the house for its pages.

    They are the age of the figures, and the currency (if there is only one). `send` sends an action to the desk for a
    signed-in person. `until` waits a moment for the figures to reach a position. `is_fresh` returns whether the second
    factor is fresh. `views` and `refusals` are the logs of admitted and of refused readers.
    """

    fresh: Callable[[], FiguresAge]
    currency: Callable[[], str]
    send: Callable[[HttpRequest, Target, Action], Reply]
    until: Callable[[int], bool]
    is_fresh: Callable[[HttpRequest], bool]
    views: ViewLog
    refusals: Callable[[], RefusalLog]


class MenuItem(msgspec.Struct, frozen=True):
    """A line of the menu, for those who may read its page."""

    url: str
    words: Words
    key: str
    help: Words
    is_here: bool
    count: str = ""


class PageFrame(msgspec.Struct, frozen=True):
    """All pages of a site, their closed addresses, their forms, and the services."""

    pages: tuple[Page, ...]
    closed: ClosedLinks
    forms: ActionForms
    services: PageServices

    def menu(self, reader: Reader, current: str = "") -> list[MenuItem]:
        """Return the menu entries that this reader may open."""
        return [
            MenuItem(
                url=reverse(page.name),
                words=page.menu.words,
                key=page.menu.key,
                help=page.menu.help,
                is_here=page.name == current,
                count=reverse(page.menu.count) if page.menu.count else "",
            )
            for page in self.pages
            if page.menu and page.open_to.admits(reader)
        ]

    def context(self) -> dict[str, Any]:
        """Return the context of every page, computed when used. Amounts without a currency have the digits of the
        house's."""
        return {"currency": SimpleLazyObject(self.services.currency)}
