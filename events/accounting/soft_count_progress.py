"""The boxes as the count room knows them: buy-ins, entered counts, settled counts."""

from typing import Any

import msgspec
from msgspec.structs import replace

from events.accounting import table_shifts_fold
from events.accounting.drop_box_content_structs import Tenders, total_tenders
from events.accounting.event_types.soft_count import CountDiffered, CountEntered, CountSettled, Figures, OfBox
from events.accounting.event_with_position import AccountingEvent
from events.accounting.table_shifts_fold import TableShifts
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.event_types.money import DropRemoved
from events.tables.event_types.session import SessionOpened, SessionVoided


class CountProgress(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Progress of a box's count: `sealed` are the first figures until the second are in, `settled` those that count.

    `counters` are the two people who counted it, once the second figures are in.
    """

    counter: str = ""
    counters: tuple[str, ...] = ()
    sealed: str = ""
    first: Figures | None = None
    second: Figures | None = None
    settled: Figures | None = msgspec.field(name="found", default=None)
    settled_at: int | None = None


class Counting(msgspec.Struct, frozen=True, gc=False):
    """The tables' days by their streams, the boxes taken away from each, and how far the count of each box is.

    `staked` are vouchers that were staked over a box, in minor units: read for the decision about its count.
    """

    days: dict[str, TableShifts] = {}
    taken: dict[str, tuple[str, ...]] = {}
    entries: dict[str, CountProgress] = {}
    staked: dict[str, int] = {}


@cached_until_forgotten
def types() -> frozenset[type[Any]]:
    """Return the event types that it takes."""
    return _of_tables() | {CountEntered, CountDiffered, CountSettled}


@cached_until_forgotten
def _of_tables() -> frozenset[type[Any]]:
    return table_shifts_fold.of_boxes() | {SessionOpened, SessionVoided}


def name_of(property_: str, data: Any, gaming_day: str) -> str:
    """A box of a table's day: "athens/tables/FR1/2026-11-20#b-1"."""
    return f"{property_}/tables/{data.table}/{gaming_day}#{data.drop_box}"


def recorded_buyins(counting: Counting, box: str) -> tuple[str, Tenders] | None:
    """The shift that a box counts to, and the recorded buy-ins over it, of later shifts too; None: it was not taken
    away."""
    stream, _, name = box.partition("#")
    return at_table(counting, box) if name in counting.taken.get(stream, ()) else None


def at_table(counting: Counting, box: str) -> tuple[str, Tenders] | None:
    """The same of a box that no one has taken away, or put; None: nothing is known of its table on that day."""
    stream, _, name = box.partition("#")
    day = counting.days.get(stream)
    if day is None:
        return None
    if not day.has_boxes:
        return day.last.name, total_tenders(shift.buyins for shift in day.shifts)
    put = [(shift.name, box.put_in) for shift in day.shifts for box in shift.boxes if box.name == name]
    return put[0] if put else (day.last.name, Tenders())


def evolve(counting: Counting, fact: AccountingEvent) -> Counting:
    """The count room after one more event."""
    if isinstance(fact.data, OfBox):
        return _count_box(counting, fact, fact.data)
    if type(fact.data) in _of_tables():
        return _at_table(counting, fact)
    return counting


def together_with(counting: Counting, old: Counting) -> Counting:
    """Return the state with the days that were dropped and read again."""
    return Counting(
        counting.days | old.days,
        counting.taken | old.taken,
        counting.entries | old.entries,
        counting.staked | old.staked,
    )


def settled_before(soft_counts: Counting, position: int) -> Counting:
    """Return the state without days whose boxes were all settled before a position, and without those boxes."""
    old = {
        box
        for box, entry in soft_counts.entries.items()
        if entry.settled_at is not None and entry.settled_at < position
    }
    finished_streams = {stream for stream in soft_counts.days if _is_over(soft_counts, stream, old)}
    return Counting(
        {stream: day for stream, day in soft_counts.days.items() if stream not in finished_streams},
        {stream: boxes for stream, boxes in soft_counts.taken.items() if stream not in finished_streams},
        {box: entry for box, entry in soft_counts.entries.items() if box.partition("#")[0] not in finished_streams},
    )


def _is_over(counting: Counting, stream: str, old: set[str]) -> bool:
    boxes = counting.taken.get(stream, ())
    return counting.days[stream].is_closed and bool(boxes) and all(f"{stream}#{name}" in old for name in boxes)


def _at_table(counting: Counting, fact: AccountingEvent) -> Counting:
    day = table_shifts_fold.evolve(counting.days.get(fact.stream), fact.data)
    days = {stream: other_day for stream, other_day in counting.days.items() if stream != fact.stream}
    counting = replace(counting, days=days if day is None else {**days, fact.stream: day})
    if not isinstance(fact.data, DropRemoved):
        return counting
    boxes = (*counting.taken.get(fact.stream, ()), fact.data.drop_box)
    return replace(counting, taken={**counting.taken, fact.stream: boxes})


def _count_box(soft_counts: Counting, fact: AccountingEvent, data: OfBox) -> Counting:
    box = name_of(fact.stream.partition("/")[0], data, data.gaming_day)
    before = soft_counts.entries.get(box, CountProgress())
    if isinstance(data, CountEntered):
        entry = CountProgress(counter=data.counter, sealed=data.sealed)
    elif isinstance(data, CountDiffered):
        entry = replace(before, counters=data.counters, sealed="", first=data.first, second=data.second)
    elif isinstance(data, CountSettled):
        entry = replace(before, counters=data.counters, sealed="", first=data.first, second=data.second)
        entry = replace(entry, settled=data.counted, settled_at=fact.position)
    else:
        return soft_counts
    return replace(soft_counts, entries={**soft_counts.entries, box: entry})
