"""Drop boxes of a gaming day: the state of each, and its count against the recorded buy-ins."""

from collections.abc import Collection, Iterable, Iterator

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from backoffice.event_log.figures_hidden_before_counts import is_sealed
from events.accounting.drop_box_content_structs import Content, DropBox
from events.accounting.table_shifts_fold import TableShifts
from projections.accounts.models import BoxAccount

_people: msgspec.json.Decoder[tuple[str, ...]] = msgspec.json.Decoder(tuple[str, ...])
TENDERS = ("cash", "marker", "promotional", "chips")
STATES: dict[str, tuple[str, "str | Promise"]] = {
    "under": ("grey", gettext_lazy("at the table")),
    "removed": ("amber", gettext_lazy("removed, not counted yet")),
    "entered": ("amber", gettext_lazy("first count entered")),
    "differed": ("red", gettext_lazy("counters disagree, recount needed")),
    "counted": ("green", gettext_lazy("counted")),
}


class TenderShown(msgspec.Struct, frozen=True):
    """A box's content of one tender. None: not known yet, or not shown. `permille` is the difference of the record."""

    tender: str
    recorded_minor: int | None
    found_minor: int | None
    difference_minor: int | None
    permille: int | None


class BoxShown(msgspec.Struct, frozen=True, kw_only=True):
    """A drop box. `is_sealed`: its recorded buy-ins are not shown before it is counted."""

    key: str
    table: str
    shift: str
    drop_box: str
    stage: str
    state: str
    words: "str | Promise"
    position: int
    counters: tuple[str, ...]
    tenders: tuple[TenderShown, ...]
    is_sealed: bool

    @property
    def is_as_recorded(self) -> bool:
        """Return whether every tender of it was counted as recorded."""
        return bool(self.tenders) and all(tender.difference_minor == 0 for tender in self.tenders)

    @property
    def difference_minor(self) -> int | None:
        """Return the difference of all tenders together; None while one is unknown."""
        known_differences = [tender.difference_minor for tender in self.tenders if tender.difference_minor is not None]
        return sum(known_differences) if known_differences and len(known_differences) == len(self.tenders) else None


def boxes(rows: Collection[BoxAccount], days: Iterable[TableShifts], *, counts: bool) -> tuple[BoxShown, ...]:
    """Every box that was put, and those that no one put and that were counted all the same; `counts`: the reader may
    count."""
    shift_boxes = dict(_of_shifts(days))
    return tuple(
        _box_shown(row, *shift_boxes.get((row.table, row.drop_box), (row.shift, None)), counts=counts) for row in rows
    )


def _of_shifts(days: Iterable[TableShifts]) -> Iterator[tuple[tuple[str, str], tuple[str, DropBox]]]:
    for day in days:
        for shift in day.shifts:
            yield from (((day.table, box.name), (shift.name, box)) for box in shift.boxes)


def _box_shown(row: BoxAccount, shift: str, box: DropBox | None, *, counts: bool) -> BoxShown:
    stage = stage_of(row)
    state, words = STATES[stage]
    hidden = is_sealed(row, counts=counts)
    return BoxShown(
        key=f"{row.table}-{row.drop_box}",
        table=row.table,
        shift=shift,
        drop_box=row.drop_box,
        stage=stage,
        state=state,
        words=words,
        position=row.counted_at or row.differed_at or row.entered_at or row.removed_at or row.put_at or 0,
        counters=_people.decode(row.counters),
        tenders=() if hidden or box is None else _tenders(box),
        is_sealed=hidden,
    )


def stage_of(row: BoxAccount) -> str:
    """Return the stage that a box has reached."""
    stages = (("counted", row.counted_at), ("differed", row.differed_at), ("entered", row.entered_at))
    reached = next((name for name, at in stages if at is not None), None)
    return reached or ("removed" if row.removed_at is not None else "under")


def _tenders(box: DropBox) -> tuple[TenderShown, ...]:
    """Against all buy-ins while it was under the table, of later shifts too."""
    put_in = box.put_in
    recorded = {"cash": put_in.cash, "marker": put_in.marker, "promotional": put_in.promotional}
    return tuple(_tender(name, recorded.get(name, 0), box.counted) for name in TENDERS)


def _tender(name: str, recorded: int, content: Content | None) -> TenderShown:
    if content is None:
        return TenderShown(name, recorded, None, None, None)
    counted = getattr(content, name)
    difference = counted - recorded
    return TenderShown(name, recorded, counted, difference, round(1000 * difference / recorded) if recorded else None)
