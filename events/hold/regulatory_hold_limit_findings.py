"""Limits of a hold, by regulation: three rules, each with the compared figures and its finding.

- **KS 112-108-51**: over three points from the base level, which is the hold of the last business year.
- **OH 3772-10-08**: the rolling thirty days over four points from the lifetime's hold, per table.
- **MD 36.05.03.25**: a month outside the 95 % interval around last year's hold, by the spread of last year's months.

Shares are exact fractions. A rule without all its figures gives no finding, and names the missing ones.
"""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from fractions import Fraction
from math import isqrt
from typing import Literal

import msgspec

from events.hold.drop_win_hold_handle_sums import Amounts, HoldEntry, sum_where, total_amounts, year_of

KS, OH, MD = "KS 112-108-51", "OH 3772-10-08", "MD 36.05.03.25"
KS_POINTS, OH_POINTS = Fraction(3, 100), Fraction(4, 100)
OH_DAYS = 30
MD_MONTHS_MIN = 6  # of last year, for a meaningful spread
MD_WIDTH = Fraction(196, 100)  # standard deviations on either side of a 95 % interval
Says = Literal["within", "outside", "not known"]


class HoldFinding(msgspec.Struct, frozen=True, kw_only=True):
    """Finding of a rule about one name: the hold, the figure it is compared with, and the bounds.

    `lacks` names the missing figures where nothing can be found.
    """

    rule: str
    name: str
    period: str
    hold: Fraction | None
    against: Fraction | None
    low: Fraction | None = None
    high: Fraction | None = None
    says: Says
    lacks: str = ""


def findings(name: str, entries: Sequence[HoldEntry], day: str, year_begins: int = 1) -> list[HoldFinding]:
    """Return the findings of the three rules about a table or game on a gaming day, by all of its entries, imported
    months too."""
    entries_until = [entry for entry in entries if entry.day <= day]
    return [
        _kansas(name, entries_until, day, year_begins),
        _ohio(name, entries_until, day),
        _maryland(name, entries_until, day, year_begins),
    ]


def _kansas(name: str, entries: Sequence[HoldEntry], day: str, year_begins: int) -> HoldFinding:
    base = _last_year(entries, day, year_begins)
    month = sum_where(entries, lambda entry: entry.month == day[:7])
    return _limit_finding(
        KS, name, f"month {day[:7]}", month.hold, total_amounts(entry.amounts for entry in base).hold, KS_POINTS
    )


def _ohio(name: str, entries: Sequence[HoldEntry], day: str) -> HoldFinding:
    """A month that was imported is of no day: it is of the lifetime only. A lifetime that is no longer than the thirty
    days compares them with themselves: nothing is known then."""
    first = (date.fromisoformat(day) - timedelta(days=OH_DAYS - 1)).isoformat()
    rolling = sum_where(entries, lambda entry: entry.day >= first and not entry.is_month)
    earlier = sum_where(entries, lambda entry: entry.day < first or entry.is_month)
    period = f"{first} to {day}"
    if rolling.hold is not None and earlier.hold is None:
        lacks = f"a drop and a win of before {first}"
        return HoldFinding(
            rule=OH, name=name, period=period, hold=rolling.hold, against=None, says="not known", lacks=lacks
        )
    whole = total_amounts(entry.amounts for entry in entries)
    return _limit_finding(OH, name, period, rolling.hold, whole.hold, OH_POINTS)


def _maryland(name: str, entries: Sequence[HoldEntry], day: str, year_begins: int) -> HoldFinding:
    base = _last_year(entries, day, year_begins)
    year, holds = total_amounts(entry.amounts for entry in base).hold, list(_by_month(base))
    month = sum_where(entries, lambda entry: entry.month == day[:7]).hold
    width = _deviation(holds) if len(holds) >= MD_MONTHS_MIN else None
    if width is None and year is not None:
        lacks = f"{len(holds)} months of last year: {MD_MONTHS_MIN} are needed"
        return HoldFinding(
            rule=MD, name=name, period=f"month {day[:7]}", hold=month, against=year, says="not known", lacks=lacks
        )
    return _limit_finding(MD, name, f"month {day[:7]}", month, year, MD_WIDTH * (width or 0))


def _limit_finding(
    rule: str, name: str, period: str, hold: Fraction | None, against: Fraction | None, points: Fraction
) -> HoldFinding:
    """Over so many points away is outside; exactly so many is not."""
    bounds = (None, None) if against is None else (against - points, against + points)
    says: Says = "not known"
    if hold is not None and against is not None:
        says = "outside" if abs(hold - against) > points else "within"
    lacks = "a drop and a win of the period" if hold is None else "a hold to compare with" if against is None else ""
    return HoldFinding(
        rule=rule,
        name=name,
        period=period,
        hold=hold,
        against=against,
        low=bounds[0],
        high=bounds[1],
        says=says,
        lacks=lacks,
    )


def _last_year(entries: Iterable[HoldEntry], day: str, year_begins: int) -> list[HoldEntry]:
    begins = year_of(day, year_begins)
    before = f"{int(begins[:4]) - 1:04}{begins[4:]}"
    return [entry for entry in entries if before <= entry.day < begins]


def _by_month(entries: Iterable[HoldEntry]) -> Iterable[Fraction]:
    months: dict[str, list[Amounts]] = {}
    for entry in entries:
        months.setdefault(entry.month, []).append(entry.amounts)
    return [hold for amounts in months.values() if (hold := total_amounts(amounts).hold) is not None]


def _deviation(holds: Sequence[Fraction]) -> Fraction:
    """The standard deviation of months, to the millionth."""
    mean = sum(holds, Fraction(0)) / len(holds)
    variance = sum(((hold - mean) ** 2 for hold in holds), Fraction(0)) / (len(holds) - 1)
    return Fraction(isqrt(int(variance * 10**12)), 10**6)
