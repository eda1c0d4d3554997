"""A search as an address of the log: `q` in the grammar, and its start, its order, and its total.

Addresses with a filter a name (`?table=FR1&round=2`), used by links of figures, are turned into the equivalent search.
So there is one way to find events.
"""

from collections.abc import Iterator
from decimal import Decimal
from urllib.parse import urlencode

import msgspec

from backoffice.event_log.filters import Filters, Parameters, counting, read_filters, read_number
from backoffice.event_log.sum_declarations_of_figures import Sum
from backoffice.surveillance.search.grammar import LENGTH_MAX, narrowed, quoted
from backoffice.surveillance.search.search_to_log_conditions import Search, search
from backoffice.wording import formats
from events.error_codes import coded
from events.errors import Invalid
from projections.eventlog.search_filter_vocabulary import EXACT

ORDERS = ("newest", "oldest")
_NAMED = {"gaming_day": "day"}  # in the grammar's shorter word
_SAME = tuple(filter_.name for filter_ in EXACT if filter_.name not in ("type", "amount_minor"))


class SearchQuestion(msgspec.Struct, frozen=True):
    """Question to the log.

    `before` and `after` bound a page by position, one of them at most. `sum` and `meter` name the sum that each event
    adds to. With `follow` new results appear by themselves.
    """

    text: str = ""
    sum: str = ""
    meter: str = ""
    order: str = ORDERS[0]
    before: int | None = None
    after: int | None = None
    follow: bool = False

    @property
    def is_live(self) -> bool:
        """Return whether it follows: only on the page with the newest events."""
        return self.follow and self.is_newest_first and self.before is None and self.after is None

    @property
    def is_newest_first(self) -> bool:
        """Return whether the newest position comes first."""
        return self.order == ORDERS[0]

    @property
    def counting(self) -> Sum | None:
        """Return the requested total. Raises Invalid."""
        return counting(self.sum, self.meter) if self.sum else None

    def to_search(self, hidden_streams: tuple[str, ...] = ()) -> Search:
        """The search itself. Raises Invalid; Mistake, which names the column."""
        return search(self.text, hidden_streams=hidden_streams, counting=self.counting)

    def query(self, **changes: object) -> str:
        """The same from the beginning, as a query string, with changes."""
        now = msgspec.structs.replace(self, before=None, after=None)
        now = msgspec.structs.replace(now, **changes)
        pairs = [
            ("q", now.text),
            ("sum", now.sum),
            ("meter", now.meter),
            ("order", "" if now.is_newest_first else now.order),
            ("before", now.before),
            ("after", now.after),
            ("follow", 1 if now.is_live else None),
        ]
        return urlencode([(name, value) for name, value in pairs if value not in ("", None)])


def read(parameters: Parameters) -> SearchQuestion:
    """Return the question of a query string. Raises Invalid, and Unknown for a stream of another property."""
    filter_parameters = _NoWords(parameters)
    filters, errors = read_filters(filter_parameters)
    for field, message in errors.items():
        raise Invalid(field, message)
    order = parameters.get("order") or ORDERS[0]
    if order not in ORDERS:
        raise Invalid("order", coded("order-newest-or-oldest"))
    typed = (parameters.get("q") or "").strip()[: LENGTH_MAX + 1]
    return SearchQuestion(
        text=narrowed(typed, *_clauses(filters)),
        sum=filters.sum,
        meter=filters.meter,
        order=order,
        before=read_number(parameters, "before"),
        after=read_number(parameters, "after"),
        follow=parameters.get("follow") == "1",
    )


class _NoWords:
    """A query string without its search: that is no filter."""

    def __init__(self, parameters: Parameters) -> None:
        self._given = parameters

    def get(self, name: str, /) -> str | None:
        return None if name == "q" else self._given.get(name)

    def getlist(self, name: str, /) -> list[str]:
        return self._given.getlist(name)


def _clauses(filters: Filters) -> Iterator[str]:
    """Yield the parts of a search equal to these filters."""
    for name in _SAME:
        if (value := getattr(filters, name)) not in ("", None):
            yield f"{_NAMED.get(name, name)}:{quoted(str(value))}"
    if filters.types:
        yield f"type:{','.join(quoted(type_) for type_ in filters.types)}"
    if filters.first is not None or filters.last is not None:
        yield f"position:{_or_open(filters.first)}..{_or_open(filters.last)}"
    if filters.from_minor is not None or filters.to_minor is not None:
        least, most = (_amount(amount, filters.currency) for amount in (filters.from_minor, filters.to_minor))
        yield f"amount:{least}..{most}"


def _or_open(end: int | None) -> str:
    return "" if end is None else str(end)


def _amount(minor: int | None, currency: str) -> str:
    """Return an amount in the currency's units, with a decimal point."""
    return "" if minor is None else f"{Decimal(minor).scaleb(-formats.exponent(currency)):f}"
