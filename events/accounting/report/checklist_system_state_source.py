"""State of a house's programs, for the checklist of a day. It is no event, and is part of no report."""

from collections.abc import Callable, Mapping

import msgspec

from events.store import EventStore


class SystemState(msgspec.Struct, frozen=True, kw_only=True):
    """Positions of the read models and of the last signed head; events quarantined or waiting, by read model.

    None: not known here.
    """

    readers: Mapping[str, int] | None = None
    head: int | None = None
    aside: Mapping[str, int] | None = None


Tells = Callable[[], SystemState]


def register_source(store: EventStore, tells: Tells) -> None:
    """Register the report of programs that is asked when a day of this store is closed: the house composes it."""
    store.process_cache.forget(SystemState)
    store.process_cache.get(SystemState, lambda: tells)


def current_state(store: EventStore) -> SystemState:
    """Return the current state; empty where no source was named."""
    tells: Tells = store.process_cache.get(SystemState, lambda: _unknown_state)
    return tells()


def _unknown_state() -> SystemState:
    return SystemState()
