"""More chips are in the house than it has issued: the chips with players are below zero, and a person must find the
cause.

By the present rows: every table's last day, the cage, the slips in transit.
"""

import msgspec

from events.accounting.report import chip_value_by_place
from projections.accounts.cage_and_slip_rows import NOW
from projections.accounts.day_accounts_from_rows import accounts_of_all_places, now_of
from projections.accounts.models import AccountsNow, SlipAccount
from projections.combined_query import read_together
from projections.tables.models import TableDay


class Alarm(msgspec.Struct, frozen=True):
    """The surplus of chips on this gaming day, with their places by the books."""

    day: str
    too_many_minor: int
    places: chip_value_by_place.Places


def alarm() -> Alarm | None:
    """Return the alarm about too many chips with players' houses; None without excess, or where it is unknown.

    Two queries at most, one where no chips are issued.
    """
    row = AccountsNow.objects.filter(id=NOW).first()
    now = now_of(row)
    if not now.house.chips or not now.cage.is_known:
        return None
    tables, slips = read_together(
        TableDay.objects.filter(id__in=[*now.latest.values()]),
        SlipAccount.objects.filter(settled_at=None, number__gt=0),
    )
    ledger = accounts_of_all_places(row, tables, slips)
    places = chip_value_by_place.places(ledger)
    excess = chip_value_by_place.too_many(ledger, places)
    return Alarm(now.current, excess, places) if excess else None
