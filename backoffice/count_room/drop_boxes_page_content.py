"""Drop boxes for the count room: the place of each, its counters, and both figures once both are in.

Before the count, no first figure and no recorded buy-in of a box is shown (WA 620).
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec
from django.utils.translation import gettext as _

from backoffice.days import caught_up_cage_and_count_books
from backoffice.kit.due_action_and_link_structs import DueAction
from events.accounting.cage_and_count_state_fold import Books
from events.accounting.drop_box_content_structs import Tenders
from events.accounting.event_types.soft_count import Figures
from events.accounting.soft_count_progress import Counting, CountProgress, recorded_buyins
from events.accounting.table_shifts_fold import TableShifts
from events.people.approval_request_lifecycle import Request
from events.rules.chip_sums_by_denomination import worth
from events.store import blind_count_keys

State: TypeAlias = Literal["under the table", "to be counted", "entered", "lost", "differs", "recount", "counted"]
ORDER = ("differs", "lost", "recount", "entered", "to be counted", "under the table", "counted")
LAST_COUNTED_MAX = 20  # boxes that were counted
COLOURS = {"differs": "red", "lost": "red", "recount": "amber", "entered": "amber", "counted": "green"}


class BoxTender(msgspec.Struct, frozen=True):
    """Counted and recorded amount of one tender of a box."""

    name: str
    found_minor: int
    recorded_minor: int

    @property
    def difference_minor(self) -> int:
        return self.found_minor - self.recorded_minor


class CountedPiece(msgspec.Struct, frozen=True):
    """A line of two counts side by side: a note, a chip, or all of a tender (`worth_minor` 0)."""

    name: str
    worth_minor: int
    first: int
    second: int

    @property
    def differs(self) -> bool:
        return self.first != self.second


class CountRoomBox(msgspec.Struct, frozen=True):
    """A box. `counters` are the people who have entered figures; `pieces` has both counts, once both are in."""

    table: str
    gaming_day: str
    shift: str
    drop_box: str
    currency: str
    state: State
    counters: tuple[str, ...] = ()
    pieces: tuple[CountedPiece, ...] = ()
    tenders: tuple[BoxTender, ...] = ()
    dos: tuple[DueAction, ...] = ()

    @property
    def colour(self) -> str:
        """Return the colour of its state."""
        return COLOURS.get(self.state, "grey")

    @property
    def words(self) -> str:
        """Return its state in words."""
        return {
            "under the table": _("at the table"),
            "to be counted": _("to be counted"),
            "entered": _("first count entered"),
            "lost": _("the first count cannot be read; count again"),
            "differs": _("counters disagree"),
            "recount": _("recount entered"),
            "counted": _("counted"),
        }[self.state]

    @property
    def is_waiting(self) -> bool:
        """Return whether the count room has a task for it."""
        return self.state not in ("under the table", "counted")


class CountRoom(msgspec.Struct, frozen=True):
    """Waiting boxes with the most urgent first, boxes under tables, and counted boxes."""

    gaming_day: str
    waiting: tuple[CountRoomBox, ...]
    put: tuple[CountRoomBox, ...]
    counted: tuple[CountRoomBox, ...]

    @property
    def is_empty(self) -> bool:
        return not (self.waiting or self.put or self.counted)


def count_room(gaming_day: str = "", person: str = "") -> CountRoom:
    """Return the boxes of one gaming day; without a day all waiting boxes, and the last counted ones.

    `person` decides the next entry that a box offers.
    """
    visible_boxes = [
        box for box in boxes(caught_up_cage_and_count_books.books(), person) if gaming_day in ("", box.gaming_day)
    ]
    visible_boxes.sort(key=lambda box: (ORDER.index(box.state), box.gaming_day, box.table, box.drop_box))
    counted = [box for box in visible_boxes if box.state == "counted"]
    return CountRoom(
        gaming_day=gaming_day,
        waiting=tuple(box for box in visible_boxes if box.is_waiting),
        put=tuple(box for box in visible_boxes if box.state == "under the table"),
        counted=tuple(counted if gaming_day else counted[-LAST_COUNTED_MAX:]),
    )


def boxes(books: Books, person: str = "") -> Iterator[CountRoomBox]:
    """Yield all boxes known to the count room."""
    recounts = {
        _recounted_box(stream, request): request
        for stream, waiting in books.requests.items()
        for request in _recounts(waiting)
    }
    for stream, day in books.counting.days.items():
        for name in books.counting.taken.get(stream, ()):
            box = f"{stream}#{name}"
            yield _counted_box(books.counting, day, box, recounts.get(box), person)
        if day.box is not None:
            yield _box_at_table(day, day.box)


def _recounts(waiting: dict[str, Request]) -> list[Request]:
    return [request for request in waiting.values() if not request.done and request.event.action == "count.settle"]


def _recounted_box(stream: str, request: Request) -> str:
    """Return the box of a recount."""
    property_, _kind, day = stream.split("/", 2)
    input_ = request.event.input
    return f"{property_}/tables/{input_['table']}/{day}#{input_['drop_box']}"


def _box_at_table(day: TableShifts, name: str) -> CountRoomBox:
    shift = next((shift.name for shift in day.shifts for box in shift.boxes if box.name == name), day.last.name)
    return CountRoomBox(day.table, day.gaming_day, shift, name, day.currency, "under the table")


def _counted_box(counting: Counting, day: TableShifts, box: str, request: Request | None, person: str) -> CountRoomBox:
    entry, name, recorded_count = (
        counting.entries.get(box, CountProgress()),
        box.partition("#")[2],
        recorded_buyins(counting, box),
    )
    shift, state = recorded_count[0] if recorded_count else "", _state(day, box, entry, request)
    both = entry.first is not None and entry.second is not None
    counters = entry.counters or ((entry.counter,) if entry.counter else ())
    return CountRoomBox(
        table=day.table,
        gaming_day=day.gaming_day,
        shift=shift,
        drop_box=name,
        currency=day.currency,
        state=state,
        counters=counters,
        pieces=_side_by_side(entry.first, entry.second) if both and state != "counted" else (),
        tenders=_tenders(entry.settled, recorded_count[1]) if entry.settled is not None and recorded_count else (),
        dos=tuple(_dos(day, name, _next_action(state, entry, person), request, person)),
    )


def _state(day: TableShifts, box: str, entry: CountProgress, request: Request | None) -> State:
    if entry.sealed:
        return "entered" if blind_count_keys.is_kept(box) else "lost"
    if request is not None:
        return "recount"
    if entry.settled is not None or _is_counted_at_the_table(day, box):
        return "counted"
    return "differs" if entry.first is not None else "to be counted"


def _is_counted_at_the_table(day: TableShifts, box: str) -> bool:
    """Return whether it was counted as one sum, in a house without a count room (`drop.count`)."""
    name = box.partition("#")[2]
    return any(other.name == name and other.counted is not None for shift in day.shifts for other in shift.boxes)


# --- the next entry ---------------------------------------------------------------------------------------------------


def _next_action(state: State, entry: CountProgress, person: str) -> tuple[str, str] | None:
    """Return the label and the type of the next action."""
    if state in ("to be counted", "lost"):
        return _("Enter first count"), "count.enter"
    if state == "entered" and person != entry.counter:
        return _("Enter verification count"), "count.verify"
    if state == "differs" and (not entry.counters or person in entry.counters):
        return _("Enter recount"), "count.settle"
    return (_("Recount"), "count.settle") if state == "counted" and entry.settled is not None else None


def _dos(
    day: TableShifts, name: str, enters: tuple[str, str] | None, request: Request | None, person: str
) -> Iterator[DueAction]:
    def do(label: str, kind: str, **data: str) -> DueAction:
        return DueAction(label, "", "days", "", kind, data, f"gaming_day={day.gaming_day}")

    if enters is not None:
        yield do(*enters, table=day.table, drop_box=name)
    if request is not None and person == request.event.person:
        yield do(_("Withdraw request"), "approval.withdraw", request=request.event.request)
    elif request is not None:
        yield do(_("Approve request"), "approval.give", request=request.event.request, content=request.event.content)
        yield do(_("Decline request"), "approval.decline", request=request.event.request)


# --- counted amounts --------------------------------------------------------------------------------------------------


def _side_by_side(first: Figures | None, second: Figures | None) -> tuple[CountedPiece, ...]:
    figures, other = first or Figures(), second or Figures()
    sums = (
        CountedPiece(_("markers"), 0, figures.marker_minor, other.marker_minor),
        CountedPiece(_("vouchers"), 0, figures.promotional_minor, other.promotional_minor),
    )
    of_tenders = (piece for piece in sums if piece.first or piece.second)
    return (
        *_counted_pieces(_("cash"), figures.cash, other.cash),
        *of_tenders,
        *_counted_pieces(_("chips"), figures.chips, other.chips),
    )


def _counted_pieces(tender: str, first: dict[int, int], second: dict[int, int]) -> Iterator[CountedPiece]:
    for piece in sorted({*first, *second}, reverse=True):
        yield CountedPiece(tender, piece, first.get(piece, 0), second.get(piece, 0))


def _tenders(figures: Figures, bought: Tenders) -> tuple[BoxTender, ...]:
    each = (
        BoxTender(_("cash"), worth(figures.cash), bought.cash),
        BoxTender(_("markers"), figures.marker_minor, bought.marker),
        BoxTender(_("vouchers"), figures.promotional_minor, bought.promotional),
        BoxTender(_("chips"), worth(figures.chips), 0),
    )
    return tuple(tender for tender in each if tender.found_minor or tender.recorded_minor)
