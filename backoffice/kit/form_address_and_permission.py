"""Addresses of the forms of actions, and the permission to open them."""

from backoffice.kit.page_declaration import Act, Page
from backoffice.kit.reader_and_read_rule_types import Reader
from events.people import authority


def form_address(page: Page, act: Act) -> str:
    """Return the path of the action's form, below its page."""
    return "/".join([*([page.path.rstrip("/")] if page.path else []), "do", act.type])


def form_name(page: Page, act: Act) -> str:
    """Return the name of that path."""
    return f"{page.name}-{act.type}"


def may_send(reader: Reader, kind: str, action: str) -> bool:
    """Return whether this reader may send the action."""
    return bool(reader.roles.intersection(authority.may(kind, action)))
