"""Amounts of events, added to the columns of a row.

`events/tables/moved_amount_declarations.py` declares the movements.
"""

from collections.abc import Mapping
from typing import Any

from events.envelope import EventData
from events.tables.moved_amount_declarations import Name, Reader, readers

Columns = tuple[tuple[str, Reader], ...]


def columns_of(kind: type[EventData], names: Mapping[Name, str]) -> Columns:
    """Return the columns that events of a type add to, each with its amount; `names` has the column of each amount."""
    amounts = readers(kind)
    return tuple((column, amounts[name]) for name, column in names.items() if name in amounts)


def add_amounts(row: Any, columns: Columns, data: EventData) -> None:
    """Add an event's amounts to its columns."""
    for column, read in columns:
        if amount := read(data):
            setattr(row, column, getattr(row, column) + amount)
