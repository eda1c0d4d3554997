"""The books of the cage and the count room, as their deciders have them: pages of these rooms show them as they are.

They are kept beside the store (`events/accounting/kept.py`): a look takes what has happened since the last one.
"""

from collections.abc import Iterable

import msgspec

from backoffice.installation import installation
from backoffice.queries import currencies
from events.accounting.books import Books
from events.accounting.kept import kept
from events.settings import settings
from projections.tables.models import TableDay

# Where nobody has said what a house has: in hundredths, as most currencies count.
CHIPS = (100, 500, 2_500, 10_000, 50_000, 100_000)
NOTES = {
    "EUR": (50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500),
    "USD": (10_000, 5_000, 2_000, 1_000, 500, 200, 100),
    "GBP": (5_000, 2_000, 1_000, 500),
    "TRY": (20_000, 10_000, 5_000, 2_000, 1_000, 500),
    "RUB": (500_000, 200_000, 100_000, 50_000, 20_000, 10_000, 5_000),
}


def books() -> Books:
    """After everything that is stored."""
    store = installation().store
    found = kept(store, settings().property_)
    with found.guard:
        found.catch_up(store)
        return found.books


def chips_of(known: Books, more: Iterable[int] = ()) -> tuple[int, ...]:
    """The denominations of the house's chips: those issued, those in the cage; where nobody knows, the usual ones.

    Those that were counted last have their row also when none should be left: a count is blind.
    """
    counted = known.cage.counted or known.cage.expected
    named = {*known.house.chips, *known.cage.expected.chips, *counted.chips, *more}
    return tuple(sorted(named)) or CHIPS


def opener_of(table: str) -> tuple[int, ...]:
    """The denominations of a table's last opener."""
    rows = TableDay.objects.filter(table=table).order_by("-gaming_day")
    return tuple(msgspec.json.decode(rows.values_list("opener_chips", flat=True).first() or "{}", type=dict[int, int]))


def notes_of(currency: str) -> tuple[int, ...]:
    """The notes that are counted in a currency; of others each counter says what they are."""
    return NOTES.get(currency, ())


def currency() -> str:
    """That of the house."""
    return currencies.of_house()
