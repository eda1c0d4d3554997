"""Addresses of pages. Every figure on them leads to the events that it comes from."""

from urllib.parse import quote, urlencode

from django.urls import NoReverseMatch, reverse

from backoffice.kit.due_action_and_link_structs import DueAction


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
