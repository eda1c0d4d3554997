"""The owner of a store: every stream begins with the property's name, so the first event shows it."""

from events.error_codes import coded
from events.errors import Conflict
from events.store import EventStore


def must_be_of(store: EventStore, property_: str) -> None:
    """Raise Conflict where it contains another property's events, to which this one's must not be added."""
    if store.amiss() is None:  # no store was made here yet
        return
    first_event = store.after(0, 1)
    owner = first_event[0].stream.partition("/")[0] if first_event else property_
    if owner != property_:
        raise Conflict(coded("store-of-another-property", owner=owner, property=property_))
