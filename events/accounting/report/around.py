"""What a house's programs say of themselves, for the checklist of a day: it is no event, and stands in no report."""

from collections.abc import Callable, Mapping

import msgspec

from events.store import EventStore


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """How far each read model has read and the last signed head reaches; what is put aside or waits, by read model.

    None: nobody here can say.
    """

    readers: Mapping[str, int] | None = None
    head: int | None = None
    aside: Mapping[str, int] | None = None


Tells = Callable[[], Around]


def tell(store: EventStore, tells: Tells) -> None:
    """From now on this is asked where a day of this store is to be closed: the house composes it."""
    store.beside.forget(Around)
    store.beside.get(Around, lambda: tells)


def now(store: EventStore) -> Around:
    """What they say now; nothing, where nobody was told to ask them."""
    tells: Tells = store.beside.get(Around, lambda: _nobody)
    return tells()


def _nobody() -> Around:
    return Around()
