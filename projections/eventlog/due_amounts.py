"""Amounts due to players by single events: for the log's column, and for a search of events as JSON."""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

import msgspec

from events.catalogue import event_types
from events.envelope import EventData
from events.runtime.cache_until_declarations_change import cached_until_forgotten
from events.tables.event_types.rounds import PaymentMade
from events.tables.moved_amount_declarations import readers, types_with


@cached_until_forgotten
def due_reader(kind: type[EventData]) -> Callable[[Any], int | None] | None:
    """Return a function from an event's data to the amount due: of a payment, or of a settlement that is a win.

    None where events of this type have none. A correction changes the due amount of an earlier settlement.
    """
    if kind is PaymentMade:
        return attrgetter("due_minor")
    if kind not in types_with(("due",)) or kind in types_with(("corrected",)):
        return None
    due = readers(kind)["due"]
    return lambda data: amount if (amount := due(data)) > 0 else None


def due_of_json(event_type: str, data: Mapping[str, Any]) -> int | None:
    """Return the amount due by an event's data as JSON; None for an event without one."""
    kind = event_types().get(event_type)
    due = None if kind is None else due_reader(kind)
    return None if due is None else due(msgspec.convert(data, kind))
