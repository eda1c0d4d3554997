"""A table's gaming day by shift, from its events alone: expected tray, counted tray, winnings and payments.

A shift ends with a count and the next one begins with it. Every event between two such counts belongs to that shift by
its order in the stream, with any clock. Events after the close belong to the last shift. Chips of the tray change by
six causes only (MD 36.05.03.02), and stakes on the layout are the players'.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from events.accounting import report_rules_version_numbers
from events.accounting.drop_box_content_structs import (
    Content,
    DropBox,
    Tenders,
    as_recorded,
    content_without,
    content_without_vouchers,
    difference,
    total_tenders,
)
from events.envelope import EventData
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.event_types.counts import DropPut, ShiftCounted
from events.tables.event_types.money import DropRemoved
from events.tables.event_types.session import SessionClosed, SessionOpened, SessionRolled, SessionVoided
from events.tables.moved_amount_declarations import UNDECIDED, Name, Reader, amount, figure_of, readers, types_with


class TableShift(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A shift of a table, in minor units. `end` is None while it runs; `undecided` stakes were on the layout at its
    end.

    `boxes` were put under the table in it; `loose` are buy-ins over no box. `older` are boxes of earlier shifts that
    were still under the table, each with the buy-ins of this shift.
    """

    name: str
    begin: int
    end: int | None = None
    fills: int = 0
    credits: int = 0
    buyins: Tenders = Tenders()
    loose: Tenders = Tenders()
    boxes: tuple[DropBox, ...] = ()
    older: tuple[DropBox, ...] = ()
    lost: int = 0
    due: int = 0
    paid: int = 0
    commission: int = 0
    promotional_stakes: int = 0
    undecided: int = 0

    @property
    def expected(self) -> int:
        """Return the expected content of the tray, by the movements since the shift began."""
        moved = self.fills - self.credits - self.buyins.total + self.lost - self.paid + self.commission
        return self.begin + moved


class TableShifts(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A table's gaming day: the shifts that are over, and the last one, which runs until the table is closed.

    `lying` are the stakes on the layout. `has_boxes`: drop boxes are put and removed; at other tables there is one,
    which no one names before it is taken away. `box` is the one that is under the table. A table without `recorded` is
    counted only: its bets are unknown.
    """

    table: str
    game: str
    pit: str
    gaming_day: str
    currency: str
    over: tuple[TableShift, ...] = ()
    last: TableShift
    lying: int = 0
    is_closed: bool = False
    has_boxes: bool = False
    box: str | None = None
    recorded: bool = True

    @property
    def shifts(self) -> tuple[TableShift, ...]:
        """Return the shifts in order of time."""
        return (*self.over, self.last)


Evolver = Callable[[TableShifts, Any], TableShifts]


def evolve(day: TableShifts | None, event: EventData) -> TableShifts | None:
    """The table's day after one more event of its stream; None before it opens, and for one that is void."""
    evolver = None if day is None else _evolvers().get(type(event))
    if day is not None and evolver is not None:
        return evolver(day, event)
    if isinstance(event, SessionOpened):
        return _open_day(event)
    return None if isinstance(event, SessionVoided) else day


@cached_until_forgotten
def table_shift_types() -> frozenset[type[EventData]]:
    """The events that change a table's day."""
    return frozenset((SessionOpened, SessionVoided, *_evolvers()))


def boxes_of(shift: TableShift, layout: int) -> tuple[DropBox, ...]:
    """Return the boxes that hold a shift's buy-ins, each with that part alone.

    Buy-ins over the box of an earlier shift are in that box. They count for this shift as recorded, and every further
    content belongs to the earlier shift. The layouts 1 and 2 count them to the next box of the shift.
    """
    if layout < report_rules_version_numbers.BUYINS_BY_BOX:
        return shift.boxes
    return (*map(_own_part, shift.boxes), *map(_as_recorded, shift.older))


def loose_of(shift: TableShift, layout: int) -> Tenders:
    """Return the buy-ins of a shift that are in no box."""
    return (
        shift.loose if layout < report_rules_version_numbers.BUYINS_BY_BOX else difference(shift.loose, in_older(shift))
    )


def _own_part(box: DropBox) -> DropBox:
    own = None if box.counted is None else content_without(box.counted, box.late)
    return DropBox(box.name, difference(box.recorded, box.moved), own)


def _as_recorded(box: DropBox) -> DropBox:
    return DropBox(box.name, box.recorded, None if box.counted is None else as_recorded(box.recorded))


def count_box(day: TableShifts, name: str, content: Content) -> TableShifts:
    """Return the day after a count of one of its boxes. The last count of a box replaces earlier ones."""
    if not day.has_boxes:
        return _count_undivided(day, name, content)
    if all(_place_of(shift, name) is None for shift in day.shifts):
        return replace(day, last=replace(day.last, boxes=(*day.last.boxes, DropBox(name, Tenders(), content))))
    over = tuple(_with_count(shift, name, content) for shift in day.over)
    return replace(day, over=over, last=_with_count(day.last, name, content))


# --- the tray ---------------------------------------------------------------------------------------------------------


def _open_day(event: SessionOpened) -> TableShifts:
    return TableShifts(
        table=event.table,
        game=event.game,
        pit=event.pit,
        gaming_day=event.gaming_day,
        currency=event.currency,
        last=TableShift(name=event.shift, begin=amount(event, "opener")),
        has_boxes=event.has_boxes,
        recorded=event.recorded,
    )


def _shift_counted(day: TableShifts, event: ShiftCounted) -> TableShifts:
    """End the shift and begin the next one. A shortage belongs to the shift whose count found it."""
    counted = amount(event, "counted")
    ended = replace(day.last, end=counted, undecided=day.lying)
    return replace(day, over=(*day.over, ended), last=TableShift(name=event.next_shift, begin=counted))


def _closed(day: TableShifts, event: SessionClosed | SessionRolled) -> TableShifts:
    """End the shift by the closing count. Later events move the expected tray only, so the discrepancy of the count
    stays."""
    last = replace(day.last, end=amount(event, "closer"), undecided=day.lying)
    return replace(day, last=last, is_closed=True)


# --- boxes ------------------------------------------------------------------------------------------------------------


def _bought_in(day: TableShifts, event: EventData) -> TableShifts:
    """Into the box of this shift that is under the table; over one of an earlier shift, or none, it is loose."""
    last = day.last
    bought = Tenders(amount(event, "buyins_cash"), amount(event, "buyins_marker"), amount(event, "buyins_promotional"))
    after = replace(last, buyins=total_tenders((last.buyins, bought)))
    at = _place_of(last, day.box)
    if at is None:
        loose = replace(after, loose=total_tenders((last.loose, bought)))
        return _into_older(replace(day, last=loose), bought)
    box = last.boxes[at]
    into = replace(box, recorded=total_tenders((box.recorded, bought)))
    return replace(day, last=replace(after, boxes=(*last.boxes[:at], into, *last.boxes[at + 1 :])))


def _into_older(day: TableShifts, bought: Tenders) -> TableShifts:
    """Add a buy-in to the box of an earlier shift: the shift was counted without a change of box."""
    owner = next((place for place, shift in enumerate(day.over) if _place_of(shift, day.box) is not None), None)
    if owner is None or day.box is None:
        return day
    shift, last = day.over[owner], day.last
    box = shift.boxes[_place_of(shift, day.box) or 0]
    over = _with_box(shift, replace(box, late=total_tenders((box.late, bought))))
    drop_box = next((older for older in last.older if older.name == box.name), DropBox(box.name, counted=box.counted))
    drop_box = replace(drop_box, recorded=total_tenders((drop_box.recorded, bought)))
    older = (*(other for other in last.older if other.name != box.name), drop_box)
    return replace(day, over=(*day.over[:owner], over, *day.over[owner + 1 :]), last=replace(last, older=older))


def _with_box(shift: TableShift, box: DropBox) -> TableShift:
    return replace(shift, boxes=tuple(box if other.name == box.name else other for other in shift.boxes))


def _put_box(day: TableShifts, event: DropPut) -> TableShifts:
    """Add a box to the shift in which it is put, with the buy-ins over no box. A box of the same name is the same
    box."""
    last = day.last
    if _is_known(day, event.drop_box):
        return replace(day, box=event.drop_box)
    put = DropBox(event.drop_box, last.loose, moved=in_older(last))
    put_in = replace(last, boxes=(*last.boxes, put), loose=Tenders())
    return replace(day, last=put_in, box=event.drop_box, has_boxes=True)


def _removed(day: TableShifts, event: DropRemoved) -> TableShifts:
    """Take a box away unopened; its count gives its content. If only one box was there, a new name is its name.

    A box may have stayed when the next one was put. A box that no one put holds the buy-ins over no box.
    """
    if event.drop_box != day.box and _is_known(day, event.drop_box):
        return day
    if day.box is None:
        return day if day.is_closed and not day.has_boxes else _never_put(day, event.drop_box)
    over = tuple(_renamed(shift, day.box, event.drop_box) for shift in day.over)
    return replace(day, over=over, last=_renamed(day.last, day.box, event.drop_box), box=None)


def in_older(shift: TableShift) -> Tenders:
    """Return the `loose` buy-ins that are in boxes of earlier shifts."""
    moved = total_tenders(box.moved for box in shift.boxes)
    return difference(total_tenders(box.recorded for box in shift.older), moved)


def _is_known(day: TableShifts, name: str) -> bool:
    return any(_place_of(shift, name) is not None for shift in day.shifts)


def _never_put(day: TableShifts, name: str) -> TableShifts:
    box = DropBox(name, day.last.loose, moved=in_older(day.last))
    last = replace(day.last, boxes=(*day.last.boxes, box), loose=Tenders())
    return replace(day, last=last, has_boxes=True)


def _renamed(shift: TableShift, name: str, now: str) -> TableShift:
    boxes, older = (
        tuple(replace(box, name=now) if box.name == name else box for box in of) for of in (shift.boxes, shift.older)
    )
    return replace(shift, boxes=boxes, older=older)


def _place_of(shift: TableShift, name: str | None) -> int | None:
    return next((place for place, box in enumerate(shift.boxes) if box.name == name), None)


def _count_table(day: TableShifts, event: Any) -> TableShifts:
    recorded = total_tenders(shift.buyins for shift in day.shifts)
    content = content_without_vouchers(amount(event, "drop"), amount(event, "drop_promotional"), recorded)
    return count_box(day, event.drop_box, content)


def _count_undivided(day: TableShifts, name: str, content: Content) -> TableShifts:
    """One box that all shifts went into: the earlier ones' as recorded, a difference is the last one's."""
    over = tuple(_shift_with_content(shift, name, as_recorded(shift.buyins)) for shift in day.over)
    earlier = total_tenders(shift.buyins for shift in day.over)
    return replace(day, over=over, last=_shift_with_content(day.last, name, content_without(content, earlier)))


def _shift_with_content(shift: TableShift, name: str, content: Content) -> TableShift:
    return replace(shift, boxes=(DropBox(name, shift.buyins, content),), loose=Tenders())


def _with_count(shift: TableShift, name: str, content: Content) -> TableShift:
    boxes, older = (
        tuple(replace(box, counted=content) if box.name == name else box for box in of)
        for of in (shift.boxes, shift.older)
    )
    return replace(shift, boxes=boxes, older=older)


# --- movements by events ----------------------------------------------------------------------------------------------


def _move_shift(day: TableShifts, event: EventData) -> TableShifts:
    """Move the shift that runs when the event is recorded; a stake moves the shift that decides it."""
    amounts, undecided = _readers(type(event))
    last = day.last
    moved = {field: getattr(last, field) + by for field, read in amounts if (by := read(event))}
    if moved:
        last = replace(last, **moved)
    if undecided is not None and (by := undecided(event)):
        return replace(day, last=last, lying=day.lying + by)
    return replace(day, last=last) if moved else day


# Amounts of events by the fields of a shift that they are added to.
_OF_SHIFT: Mapping[Name, str] = {
    "fills": "fills",
    "credits": "credits",
    "lost": "lost",
    "promotional_stakes": "promotional_stakes",
    "due": "due",
    "paid": "paid",
    "commission": "commission",
}


@cached_until_forgotten
def _readers(kind: type[EventData]) -> tuple[tuple[tuple[str, Reader], ...], Reader | None]:
    amounts = readers(kind)
    fields = tuple((field, amounts[name]) for name, field in _OF_SHIFT.items() if name in amounts)
    return fields, figure_of(kind, tuple(UNDECIDED.items()))


_EVOLVERS: Mapping[type[EventData], Evolver] = {
    ShiftCounted: _shift_counted,
    SessionClosed: _closed,
    SessionRolled: _closed,
    DropPut: _put_box,
    DropRemoved: _removed,
}
_BUYINS: tuple[Name, ...] = ("buyins_cash", "buyins_marker", "buyins_promotional")
_DROP: tuple[Name, ...] = ("drop", "drop_promotional")
# The evolvers of amounts; an event may have several of them.
_BY_AMOUNT: tuple[tuple[Iterable[Name], Evolver], ...] = (
    ((*_OF_SHIFT, *UNDECIDED), _move_shift),
    (_BUYINS, _bought_in),
    (_DROP, _count_table),
)


@cached_until_forgotten
def _evolvers() -> Mapping[type[EventData], Evolver]:
    """Return the evolvers, with all events that only move amounts."""
    evolvers: dict[type[EventData], Evolver] = {}
    for names, evolver in _BY_AMOUNT:
        for kind in types_with(names):
            evolvers[kind] = _in_order(evolvers[kind], evolver) if kind in evolvers else evolver
    return {**evolvers, **_EVOLVERS}


@cached_until_forgotten
def of_boxes() -> frozenset[type[EventData]]:
    """Return the event types that move boxes, or that end a shift and so the count of its boxes."""
    ends = (ShiftCounted, SessionClosed, SessionRolled)
    return frozenset((*types_with((*_BUYINS, *_DROP)), DropPut, DropRemoved, *ends))


def _in_order(first: Evolver, second: Evolver) -> Evolver:
    return lambda day, event: second(first(day, event), event)
