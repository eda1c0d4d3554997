"""The two wins of a table's gaming day, computed from disjoint figures, and the causes of their difference.

*Table win* = drop + closer + credits - opener - fills - promotional (NY 5315.1(c)): by float and box. *Recorded win* =
stakes lost - winnings due + commissions: by the rules of every bet. All in minor units.
"""

from typing import Literal

import msgspec

from events.tables.moved_amount_declarations import EVENT_WIN, MISPAY, row_figure
from projections.tables.models import TableDay


class DifferenceCauses(msgspec.Struct, frozen=True):
    """Causes of the difference between table win and recorded win, each as its change of the table win.

    `rest` is the unexplained part. mispay: paid less than due (+) or more (-). promotional: chips given for vouchers.
    drop: the box held more (+) or less (-) than the buy-ins. uncounted: stakes that no round decided. closer: the tray
    beyond its expected amount. corrections: the change of both wins by void settlements and corrected bets, so no part
    of the total.
    """

    mispay_minor: int
    promotional_minor: int
    drop_minor: int
    uncounted_minor: int
    closer_minor: int
    rest_minor: int
    corrections_minor: int = 0


class Wins(msgspec.Struct, frozen=True):
    """Both wins. While the table is open there is no closer, so no table win and no difference.

    Of a table that is counted only there is no difference ever: no one knows its recorded win.
    """

    event_win_minor: int
    inventory_win_minor: int | None
    basis: Literal["open", "estimated", "counted"]
    difference_minor: int | None
    explained: DifferenceCauses | None


def net_drop_minor(day: TableDay) -> int:
    """Return the boxes' worth without vouchers: counted where counted, otherwise the recorded buy-ins."""
    if day.drop_minor is not None:
        return day.drop_minor - (day.drop_promotional_minor or 0)
    return day.buyins_cash_minor + day.buyins_marker_minor + day.beyond_record_minor


def event_win_minor(day: TableDay) -> int:
    """Stakes lost - winnings due + commissions."""
    return row_figure(day, EVENT_WIN)


def inventory_win_minor(day: TableDay) -> int | None:
    """Drop + closer + credits - opener - fills; not known while the table is open."""
    if day.closer_minor is None:
        return None
    return net_drop_minor(day) + day.closer_minor + day.credits_minor - day.opener_minor - day.fills_minor


def wins(day: TableDay) -> Wins:
    """Return both wins of a table's gaming day, their difference, and its parts (which add up to it)."""
    event, inventory = event_win_minor(day), inventory_win_minor(day)
    if inventory is None:
        return Wins(event, None, "open", None, None)
    basis: Literal["estimated", "counted"] = "estimated" if day.drop_minor is None else "counted"
    if not day.recorded:
        return Wins(event, inventory, basis, None, None)
    difference = inventory - event
    return Wins(event, inventory, basis, difference, _explain(day, difference))


def _explain(day: TableDay, difference: int) -> DifferenceCauses:
    uncounted = day.stakes_minor - day.resolved_minor
    expected = day.expected_minor if day.expected_minor is not None else day.closer_minor
    parts = {
        "mispay_minor": row_figure(day, MISPAY),
        "promotional_minor": -day.buyins_promotional_minor,
        "drop_minor": net_drop_minor(day) - day.buyins_cash_minor - day.buyins_marker_minor,
        "uncounted_minor": uncounted,
        "closer_minor": (day.closer_minor or 0) - (expected or 0) - uncounted,
    }
    rest = difference - sum(parts.values())
    return DifferenceCauses(**parts, rest_minor=rest, corrections_minor=day.corrected_minor)
