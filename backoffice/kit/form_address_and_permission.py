"""Addresses of the forms of actions, and the permission to open them."""

import re
from collections.abc import Iterable
from urllib.parse import urlencode

from django.urls import NoReverseMatch, reverse

from backoffice.kit.due_action_and_link_structs import DueAction
from backoffice.kit.page_declaration import Act, Page
from backoffice.kit.reader_and_read_rule_types import Reader
from backoffice.kit.unsent_forms import BACK, CORRECTS
from events.people import authority
from events.streams import stream_kind_declaration

PLACE = re.compile(r"<(?:\w+:)?(\w+)>")


def form_address(page: Page, act: Act) -> str:
    """Return the path of the action's form, below its page."""
    return "/".join([*([page.path.rstrip("/")] if page.path else []), "do", act.type])


def form_name(page: Page, act: Act) -> str:
    """Return the name of that path."""
    return f"{page.name}-{act.type}"


def may_send(reader: Reader, kind: str, action: str) -> bool:
    """Return whether this reader may send the action."""
    return bool(reader.roles.intersection(authority.may(kind, action)))


class ActionForms:
    """The forms of a site's pages, by kind of stream, action and the places in the address; of two pages the first.

    `_of_tables` are forms on the page of one table, of a kind with a single stream: of devices. A due action has only
    the address of its stream, which names no table.
    """

    def __init__(self, pages: Iterable[Page]) -> None:
        self._names: dict[tuple[str, str, frozenset[str]], str] = {}
        self._of_tables: dict[tuple[str, str], str] = {}
        for page in pages:
            places = frozenset(PLACE.findall(page.path))
            for act in page.acts:
                if "name" in places and not stream_kind_declaration.kind_by_name(act.kind).is_named:
                    self._of_tables[act.kind, act.type] = page.name
                else:
                    self._names.setdefault((act.kind, act.type, places), form_name(page, act))

    def has_form(self, do: DueAction) -> bool:
        """Return whether people can send the action from a page. Raises ValueError where its page is of a table."""
        return bool(self._address(do))

    def url(self, do: DueAction, back: str) -> str:
        """Return the form of a due action, filled in with known values; it leads back to a page.

        Raises ValueError for an action without a form.
        """
        if not (address := self._address(do)):
            raise ValueError(f"{do.type} at {do.to} has no form")
        query = {name: value for name, value in do.known_fields.items() if value is not None}
        extra = {BACK: back} | ({CORRECTS: do.corrects} if do.corrects else {})
        return f"{address}?{urlencode({**query, **extra})}"

    def _address(self, do: DueAction) -> str:
        name = self._names.get((do.kind, do.type, frozenset(do.place)), "")
        if not name and (page := self._of_tables.get((do.kind, do.type))):
            raise ValueError(f"{do.type} has its form on {page}, the page of a table: link to that page instead")
        try:
            return reverse(name, kwargs=do.place) if name else ""
        except NoReverseMatch:  # no address can name this stream
            return ""
