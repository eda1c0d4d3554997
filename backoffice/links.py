"""Addresses of pages. Every figure on them leads to the events that it comes from."""

from urllib.parse import quote

from django.urls import reverse

from backoffice.queries.filters import read_filters


class _Given:
    """Plain arguments, read like a query string."""

    def __init__(self, given: dict[str, object]) -> None:
        self._given = given

    def get(self, name: str, /) -> str | None:
        value = self._given.get(name)
        return None if value is None else str(value)

    def getlist(self, name: str, /) -> list[str]:
        value = self.get(name)
        return value.split() if value else []


def events_url(**given: object) -> str:
    """The log, filtered: events_url(table="FR1", type="fill.received.v1"). Unreadable filters are a mistake of ours."""
    filters, errors = read_filters(_Given(given))
    assert not errors, errors
    return f"{reverse('events')}?{filters.query()}"


def table_url(table: str, gaming_day: str) -> str:
    """A table's gaming day."""
    return f"/tables/{quote(table, safe='')}/{quote(gaming_day, safe='')}"
