"""Whose store it is: every stream begins with the property's name, so the first event tells."""

from events.errors import Conflict
from events.store import EventStore


def must_be_of(store: EventStore, property_: str) -> None:
    """Raises Conflict where another property's events lie in it, to which this one's must not be added."""
    if store.amiss() is None:  # no store was made here yet
        return
    found = store.after(0, 1)
    whose = found[0].stream.partition("/")[0] if found else property_
    if whose != property_:
        raise Conflict(
            f"this event store holds the events of {whose}, not of {property_}: correct PITLEDGER_STORE, or "
            f"PITLEDGER_PROPERTY if this is {whose}"
        )
