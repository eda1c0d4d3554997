"""The address of the event log for a figure: the events that it comes from."""

from django.urls import reverse

from backoffice.event_log.filters import read_filters


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
