"""Addresses of pages. Every figure on them leads to the events that it comes from."""

from urllib.parse import quote, urlencode

from django.urls import NoReverseMatch, reverse

from backoffice.event_log.filters import read_filters
from backoffice.kit.due_action_and_link_structs import DueAction


class _FixedParameters:
    """Plain arguments, read like a query string."""

    def __init__(self, arguments: dict[str, object]) -> None:
        self._given = arguments

    def get(self, name: str, /) -> str | None:
        value = self._given.get(name)
        return None if value is None else str(value)

    def getlist(self, name: str, /) -> list[str]:
        value = self.get(name)
        return value.split() if value else []


def events_url(**arguments: object) -> str:
    """Return the address of the log, filtered: events_url(table="FR1", type="fill.received.v1").

    An unreadable filter is a programming error.
    """
    filters, errors = read_filters(_FixedParameters(arguments))
    assert not errors, errors
    return f"{reverse('events')}?{filters.query()}"


def table_url(table: str, gaming_day: str) -> str:
    """A table's gaming day."""
    return f"/tables/{quote(table, safe='')}/{quote(gaming_day, safe='')}"


def has_form(do: DueAction) -> bool:
    """Return whether people can send the action from a page."""
    try:
        reverse(_form_of(do), kwargs=do.place)
    except NoReverseMatch:
        return False
    return True


def _form_of(do: DueAction) -> str:
    page = _OF_TYPE.get(do.type) or (_OF_A_DAY.get(do.kind) if "gaming_day" in do.place else None)
    return f"{page or _PAGES.get(do.kind, do.kind)}-{do.type}"


# The pages with the forms of a kind, and of one whose day the address names.
_PAGES = {"progressives": "progressive", "tables": "pit-table", "cases": "case"}
_OF_A_DAY = {"tables": "table", "days": "boxes", "cage": "cage-day"}
_OF_TYPE = dict.fromkeys(("day.close", "day.override", "day.amend", "discrepancy.explain"), "day")


def form_url(do: DueAction, back: str = "") -> str:
    """Return the form of a due action, filled in with known values; it leads back to a page."""
    query = {name: value for name, value in do.known.items() if value is not None}
    extra = {"form-back": back} | ({"form-corrects": do.corrects} if do.corrects else {})
    return f"{reverse(_form_of(do), kwargs=do.place)}?{urlencode({**query, **extra})}"
