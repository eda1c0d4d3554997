"""Look up whether a drop box is at another table before it is put, by the books of the count room.

A box is under one table, and empty when it is put (WA 615). Boxes are put a few times a day.
"""

from events.accounting.books_cache import kept
from events.accounting.shifts import TableShifts
from events.streams.kinds import StreamView

AT_HAND = 20_000  # positions: no table waits while the books are folded from further back


def table_with(look: StreamView, stream: str, drop_box: str | None) -> str:
    """Return another table that has the box under it, or had it and its box is not counted yet; "" for no table."""
    if drop_box is None:
        return ""
    books = kept(look.store, look.property)
    with books.guard:
        if look.store.position() - books.position > AT_HAND:
            return ""
        books.catch_up(look.store)
        counting = books.books.counting
    table = stream.rpartition("/")[0]
    for other, day in counting.days.items():
        entry = counting.entries.get(f"{other}#{drop_box}")
        is_settled = entry is not None and entry.found is not None
        if other.rpartition("/")[0] != table and not is_settled and _holds(day, drop_box):
            return day.table
    return ""


def _holds(day: TableShifts, drop_box: str) -> bool:
    return any(box.name == drop_box and box.found is None for shift in day.shifts for box in shift.boxes)
