"""The report's lines about tables: both wins of a shift, and the parts of their difference.

*Table win* = net drop + closer + credits - opener - fills: by tray and box. *Recorded win* = stakes lost - winnings due
+ commissions: by the rules of every bet. An unknown figure has the value None, never 0.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

import msgspec
from msgspec.structs import replace

from events.accounting import report_rules_version_numbers
from events.accounting.drop_box_content_structs import Content, Tenders, contents
from events.accounting.table_shifts_fold import TableShift, TableShifts, boxes_of, loose_of
from events.tables.moved_amount_declarations import EVENT_WIN, MISPAY, total


class Drop(msgspec.Struct, frozen=True, kw_only=True):
    """Content of the boxes: counted boxes as counted, all others as recorded. `counted`: every box is counted."""

    cash_minor: int
    marker_minor: int
    promotional_minor: int
    chips_minor: int
    counted: bool


class Buyins(msgspec.Struct, frozen=True, kw_only=True):
    """Chips given for cash, markers and vouchers, by the record."""

    cash_minor: int
    marker_minor: int
    promotional_minor: int


class WinParts(msgspec.Struct, frozen=True, kw_only=True):
    """Parts of the difference between table win and recorded win, with the sign of their effect on the table win.

    mispay: due - paid. promotional: chips given for vouchers. drop: boxes less recorded buy-ins. inventory: counts less
    expected tray. rest: the unexplained part.
    """

    mispay_minor: int | None
    promotional_minor: int | None
    drop_minor: int | None
    inventory_minor: int | None
    rest_minor: int | None


class WinFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a shift, a table's day, a pit or the house. Every figure can be added up."""

    begin_minor: int
    end_minor: int | None
    expected_minor: int | None
    fills_minor: int
    credits_minor: int
    drop: Drop
    buyins: Buyins
    lost_minor: int | None
    due_minor: int | None
    paid_minor: int | None
    commission_minor: int | None
    promotional_stakes_minor: int | None
    undecided_minor: int | None
    inventory_win_minor: int | None
    event_win_minor: int | None
    parts: WinParts


class ShiftFigures(WinFigures, frozen=True, kw_only=True):
    """The figures of one shift, by its name."""

    shift: str


class TableFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A table's gaming day: its shifts in order, and their sums."""

    table: str
    game: str
    pit: str
    recorded: bool
    shifts: tuple[ShiftFigures, ...]
    day: WinFigures


def of_table(day: TableShifts, layout: int = report_rules_version_numbers.LAST) -> TableFigures:
    """Return the figures of a table's day, by the rules of a layout."""
    shifts = tuple(_of_shift(day, shift, layout) for shift in day.shifts)
    return TableFigures(
        table=day.table,
        game=day.game,
        pit=day.pit,
        recorded=day.recorded,
        shifts=shifts,
        day=_of_day(shifts),
    )


def tables(days: Iterable[TableShifts], layout: int = report_rules_version_numbers.LAST) -> list[TableFigures]:
    """Return the figures of several tables, by name."""
    return sorted((of_table(day, layout) for day in days), key=lambda figures: figures.table)


# --- a shift ----------------------------------------------------------------------------------------------------------


def _of_shift(day: TableShifts, shift: TableShift, layout: int) -> ShiftFigures:
    soft_count = is_counted(day, shift, layout)
    drop = drop_of(shift, counted=soft_count, layout=layout)
    inventory_win = _inventory_win(shift, drop)
    return ShiftFigures(
        shift=shift.name,
        begin_minor=shift.begin,
        end_minor=shift.end,
        expected_minor=shift.expected if day.recorded else None,
        fills_minor=shift.fills,
        credits_minor=shift.credits,
        drop=_drop_shown(drop, counted=soft_count),
        buyins=_bought(shift.buyins),
        inventory_win_minor=inventory_win,
        parts=_win_parts(day, shift, drop if soft_count else None, inventory_win),
        **(_of_bets(day, shift) if day.recorded else _OF_NO_BETS),
    )


def event_win(shift: TableShift) -> int:
    """Return stakes lost - winnings due + separate commissions."""
    return total(EVENT_WIN, lambda name: getattr(shift, name))


def _of_bets(day: TableShifts, shift: TableShift) -> dict[str, int | None]:
    return {
        "lost_minor": shift.lost,
        "due_minor": shift.due,
        "paid_minor": shift.paid,
        "commission_minor": shift.commission,
        "promotional_stakes_minor": shift.promotional_stakes,
        "undecided_minor": shift.undecided if shift.end is not None else day.lying,
        "event_win_minor": event_win(shift),
    }


# For a table that is counted only, without events of bets.
_OF_NO_BETS: dict[str, int | None] = dict.fromkeys(
    (
        *("lost_minor", "due_minor", "paid_minor", "commission_minor", "promotional_stakes_minor"),
        *("undecided_minor", "event_win_minor"),
    )
)


def is_counted(day: TableShifts, shift: TableShift, layout: int = report_rules_version_numbers.LAST) -> bool:
    """Return whether the shift is over and every box with its buy-ins is counted.

    A table without recorded boxes has one box.
    """
    boxes = boxes_of(shift, layout)
    is_there = bool(boxes) or day.has_boxes
    return shift.end is not None and is_there and all(box.counted is not None for box in boxes)


def drop_of(shift: TableShift, *, counted: bool, layout: int = report_rules_version_numbers.LAST) -> Content:
    """Return the content of its boxes; until all are counted, with the buy-ins that are in no counted box."""
    boxes = contents(box.content for box in boxes_of(shift, layout))
    if counted:
        return boxes
    loose = loose_of(shift, layout)
    return contents((boxes, Content(loose.cash, loose.marker, loose.promotional)))


def _inventory_win(shift: TableShift, drop: Content) -> int | None:
    """Return the table win; None while a shift runs, since it has no closer yet."""
    if shift.end is None:
        return None
    return drop.net + shift.end + shift.credits - shift.begin - shift.fills


def _win_parts(day: TableShifts, shift: TableShift, soft_count: Content | None, inventory_win: int | None) -> WinParts:
    """Return the parts; the rest is None until all others are known."""
    parts = {
        "mispay_minor": total(MISPAY, lambda name: getattr(shift, name)) if day.recorded else None,
        "promotional_minor": -shift.buyins.promotional,
        "drop_minor": None if soft_count is None else soft_count.net - shift.buyins.net,
        "inventory_minor": shift.end - shift.expected if day.recorded and shift.end is not None else None,
    }
    known_parts = [part for part in parts.values() if part is not None]
    if inventory_win is None or len(known_parts) < len(parts):
        return WinParts(**parts, rest_minor=None)
    return WinParts(**parts, rest_minor=inventory_win - event_win(shift) - sum(known_parts))


def _drop_shown(drop: Content, *, counted: bool) -> Drop:
    return Drop(
        cash_minor=drop.cash,
        marker_minor=drop.marker,
        promotional_minor=drop.promotional,
        chips_minor=drop.chips,
        counted=counted,
    )


def _bought(buyins: Tenders) -> Buyins:
    return Buyins(cash_minor=buyins.cash, marker_minor=buyins.marker, promotional_minor=buyins.promotional)


# --- sums -------------------------------------------------------------------------------------------------------------


def _of_day(shifts: Sequence[WinFigures]) -> WinFigures:
    """Return the sums of a table's shifts, from the beginning of the first to the end of the last."""
    first, last = shifts[0], shifts[-1]
    moved = _total(
        shifts, lambda figures: None if figures.expected_minor is None else figures.expected_minor - figures.begin_minor
    )
    return replace(
        total_win_figures(shifts),
        begin_minor=first.begin_minor,
        end_minor=last.end_minor,
        expected_minor=None if moved is None else first.begin_minor + moved,
        undecided_minor=last.undecided_minor,
    )


def total_win_figures(several: Sequence[WinFigures]) -> WinFigures:
    """Return the sums of tables or pits; None for a figure that one of them does not know."""
    figures: dict[str, Any] = {name: _total(several, attrgetter(name)) for name in _AMOUNTS}
    return WinFigures(
        **figures,
        drop=_drops([figures.drop for figures in several]),
        buyins=Buyins(**{name: sum(getattr(figures.buyins, name) for figures in several) for name in _TENDERS}),
        parts=WinParts(**{name: _total(several, attrgetter(f"parts.{name}")) for name in WinParts.__struct_fields__}),
    )


_AMOUNTS = tuple(name for name in WinFigures.__struct_fields__ if name.endswith("_minor"))
_TENDERS = Buyins.__struct_fields__


def _drops(drops: Sequence[Drop]) -> Drop:
    amounts = {name: sum(getattr(drop, name) for drop in drops) for name in (*_TENDERS, "chips_minor")}
    return Drop(**amounts, counted=all(drop.counted for drop in drops))


def _total(several: Sequence[WinFigures], figure: Callable[[WinFigures], int | None]) -> int | None:
    values = [figure(figures) for figures in several]
    known_values = [value for value in values if value is not None]
    return sum(known_values) if len(known_values) == len(values) else None
