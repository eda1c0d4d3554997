"""Drop, win, hold, handle: their definitions and sums. Amounts in minor units.

*Win* is the table win (box and tray), *hold* is win / drop. *Handle* are the decided stakes, *recorded win* is their
result by the rules, *win / handle* is recorded win / handle. Hold and win / handle are different figures: a player lays
the same chips many times. An unknown figure (a box not counted, a table without bets) has the value None, never 0.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, Literal

import msgspec

from events.accounting.win_report_lines import ShiftFigures, TableFigures
from events.money.past_monthly_drop_win_file import Month

Names = Mapping[str, str]  # table, game, pit, ...: the subject of an entry
By = Literal["table", "game", "pit", "dealer", "bet", "player"]
HOLDS: tuple[By, ...] = ("table", "game", "pit")  # boxes belong to tables: dealers, bets and players have no drop


class Amounts(msgspec.Struct, frozen=True, kw_only=True):
    """The four amounts of some shifts. `is_estimated`: drop and win rest on buy-ins of boxes not counted yet."""

    drop_minor: int | None = 0
    win_minor: int | None = 0
    handle_minor: int | None = 0
    event_win_minor: int | None = 0
    is_estimated: bool = False

    @property
    def hold(self) -> Fraction | None:
        """Win / drop."""
        return _share(self.win_minor, self.drop_minor)

    @property
    def win_by_handle(self) -> Fraction | None:
        """Return win / handle: the recorded win divided by the handle."""
        return _share(self.event_win_minor, self.handle_minor)


class HoldEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of a table's shift, of a dealer's bets in it, or of a month before there were events.

    `day` is a gaming day, or of a month before its first day. `of` are its names: table, game, pit, ...; a month that
    was reported by game has no table. An `is_late` entry came for an earlier day that was closed without it. No figure
    of that day includes it, nor of the day on which it came. It counts in the sums to date.
    """

    day: str
    shift: str
    of: Names
    amounts: Amounts
    is_month: bool = False
    is_late: bool = False

    @property
    def month(self) -> str:
        """Return the month as 2026-11."""
        return self.day[:7]


class HoldLine(msgspec.Struct, frozen=True, kw_only=True):
    """A table, game, pit, dealer, bet or player with its figures.

    They are of the last day by shift, of the day, and of month and year to date. `of_earlier_days` is the part of month
    and year from late events (None: no such part).
    """

    name: str
    shifts: Mapping[str, Amounts]
    day: Amounts
    month: Amounts
    year: Amounts
    month_of_earlier_days: Amounts | None = None
    year_of_earlier_days: Amounts | None = None


def total_amounts(several: Iterable[Amounts]) -> Amounts:
    """The sums; one that is not known of one is not known of all."""
    amounts = list(several)
    names = ("drop_minor", "win_minor", "handle_minor", "event_win_minor")
    sums: dict[str, Any] = {name: _total([getattr(amount, name) for amount in amounts]) for name in names}
    return Amounts(**sums, is_estimated=any(amount.is_estimated for amount in amounts))


def of_tables(tables: Iterable[TableFigures], day: str) -> list[HoldEntry]:
    """The shifts of a gaming day's tables that are over; one that runs has no win yet."""
    return [
        HoldEntry(
            day=day,
            shift=shift.shift,
            of={"table": table.table, "game": table.game, "pit": table.pit},
            amounts=_of_shift(shift),
        )
        for table in tables
        for shift in table.shifts
        if shift.end_minor is not None
    ]


def to_date(entries: Iterable[HoldEntry], by: By, day: str, year_begins: int = 1) -> list[HoldLine]:
    """A line for each name that played in the business year, as of a gaming day."""
    begins = year_of(day, year_begins)
    entries_to_date = [entry for entry in entries if begins <= entry.day <= day and by in entry.of]
    return [
        _hold_line(name, name_entries, day)
        for name, name_entries in sorted(entries_by_name(entries_to_date, by).items())
    ]


def entries_by_name(entries: Iterable[HoldEntry], by: By) -> dict[str, list[HoldEntry]]:
    """Return the entries of each name, without unnamed ones."""
    by_name: dict[str, list[HoldEntry]] = {}
    for entry in entries:
        if by in entry.of:
            by_name.setdefault(entry.of[by], []).append(entry)
    return by_name


def year_of(day: str, begins: int = 1) -> str:
    """Return the first day of the business year of a gaming day."""
    year, month = int(day[:4]), int(day[5:7])
    return f"{year if month >= begins else year - 1:04}-{begins:02}-01"


def of_months(
    months: Iterable[Month], first_day: str, names_by_month: Mapping[str, Names] | None = None
) -> list[HoldEntry]:
    """Return the imported months as entries, without months that already have gaming days.

    `names_by_month` names the game and pit of a table. A month that is also imported by game counts once.
    """
    before = [month for month in months if month.month < first_day[:7]]
    by_game = {(month.game, month.month) for month in before if month.game}
    return [_of_month(month, (names_by_month or {}).get(month.table, {}), by_game) for month in before]


def _of_month(month: Month, known_names: Names, by_game: set[tuple[str, str]]) -> HoldEntry:
    names = {**known_names, "table": month.table} if month.table else {"game": month.game}
    if month.table and (names.get("game", ""), month.month) in by_game:
        del names["game"]
    amounts = Amounts(drop_minor=month.drop_minor, win_minor=month.win_minor, handle_minor=None, event_win_minor=None)
    return HoldEntry(day=f"{month.month}-01", shift="", of=names, amounts=amounts, is_month=True)


def amounts_without(now: Amounts, then: Amounts) -> Amounts:
    """Return the change of drop and wins; a figure known on one side only counts in full."""
    return Amounts(
        drop_minor=(now.drop_minor or 0) - (then.drop_minor or 0),
        win_minor=(now.win_minor or 0) - (then.win_minor or 0),
        event_win_minor=(now.event_win_minor or 0) - (then.event_win_minor or 0),
    )


def sum_where(entries: Iterable[HoldEntry], wanted: Callable[[HoldEntry], bool]) -> Amounts:
    """The sums of those that are wanted."""
    return total_amounts(entry.amounts for entry in entries if wanted(entry))


def _hold_line(name: str, entries: list[HoldEntry], day: str) -> HoldLine:
    today = [entry for entry in entries if entry.day == day and not entry.is_month and not entry.is_late]
    late_entries = [entry for entry in entries if entry.is_late]
    shifts = dict.fromkeys(entry.shift for entry in today)
    return HoldLine(
        name=name,
        shifts={shift: total_amounts(entry.amounts for entry in today if entry.shift == shift) for shift in shifts},
        day=total_amounts(entry.amounts for entry in today),
        month=sum_where(entries, lambda entry: entry.month == day[:7]),
        year=total_amounts(entry.amounts for entry in entries),
        month_of_earlier_days=_of_late([entry for entry in late_entries if entry.month == day[:7]]),
        year_of_earlier_days=_of_late(late_entries),
    )


def _of_late(entries: list[HoldEntry]) -> Amounts | None:
    return total_amounts(entry.amounts for entry in entries) if entries else None


def _of_shift(shift: ShiftFigures) -> Amounts:
    drop = shift.drop
    return Amounts(
        drop_minor=drop.cash_minor + drop.marker_minor + drop.chips_minor,
        win_minor=shift.inventory_win_minor,
        handle_minor=None if shift.event_win_minor is None else 0,
        event_win_minor=shift.event_win_minor,
        is_estimated=not drop.counted,
    )


def _share(part: int | None, whole: int | None) -> Fraction | None:
    return Fraction(part, whole) if part is not None and whole else None


def _total(amounts: list[int | None]) -> int | None:
    known_amounts = [amount for amount in amounts if amount is not None]
    return sum(known_amounts) if len(known_amounts) == len(amounts) else None
