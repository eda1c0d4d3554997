"""The books of the cage and the count room, in the state of their deciders: pages of these rooms show them.

They are cached with the store (`events/accounting/live_books_for_decisions.py`): a read applies the events since the
last one.
"""

from collections.abc import Iterable

import msgspec

from backoffice.installation.dependency_injection import installation
from backoffice.wording import stream_currencies
from events.accounting.cage_and_count_state_fold import Books
from events.accounting.live_books_for_decisions import cached_books
from events.settings.settings_from_environment import settings
from projections.tables.models import TableDay

# Pieces of a house without settings: in hundredths, as most currencies count.
CHIPS = (100, 500, 2_500, 10_000, 50_000, 100_000)
NOTES = {  # for other currencies each counter names them
    "EUR": (50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500),
    "USD": (10_000, 5_000, 2_000, 1_000, 500, 200, 100),
    "GBP": (5_000, 2_000, 1_000, 500),
    "TRY": (20_000, 10_000, 5_000, 2_000, 1_000, 500),
    "RUB": (500_000, 200_000, 100_000, 50_000, 20_000, 10_000, 5_000),
}


def books() -> Books:
    """Return the books after every stored event."""
    store = installation().store
    cached = cached_books(store, settings().property_)
    with cached.guard:
        cached.catch_up(store)
        return cached.books


def chips_of(books: Books, denominations: Iterable[int] = ()) -> tuple[int, ...]:
    """Return the denominations of the house's chips: issued, or in the cage; the usual ones where none are known.

    Those that were counted last have their row also when none should be left: a count is blind.
    """
    counted = books.cage.counted or books.cage.expected
    named = {*books.house.chips, *books.cage.expected.chips, *counted.chips, *denominations}
    return tuple(sorted(named)) or CHIPS


def opener_of(table: str) -> tuple[int, ...]:
    """The denominations of a table's last opener."""
    rows = TableDay.objects.filter(table=table).order_by("-gaming_day")
    return tuple(msgspec.json.decode(rows.values_list("opener_chips", flat=True).first() or "{}", type=dict[int, int]))


def currency() -> str:
    """Return the currency of the house."""
    return stream_currencies.of_house()
