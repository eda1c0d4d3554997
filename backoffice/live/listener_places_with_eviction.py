"""Places for listeners: no one keeps them from the others by sitting there.

When all are taken, a person who comes gets the place of the one that has sat longest at the address with the most. A
browser that loses its place comes back a second later, and gets one in the same way.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Leave = Callable[[], None]


class ListenerPlaces:
    """The connections by source, in the order in which they came. In the event loop's thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._by_address: dict[str, OrderedDict[object, Leave]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @contextmanager
    def take_place(self, address: str, leave: Leave) -> Iterator[None]:
        """A place for as long as this lasts; `leave` is called when another person needs it."""
        if self._count >= self._most:
            self._make_room()
        me = object()
        self._by_address.setdefault(address, OrderedDict())[me] = leave
        self._count += 1
        try:
            yield
        finally:
            self._give_back(address, me)

    def _make_room(self) -> None:
        fullest = max(self._by_address, key=lambda address: len(self._by_address[address]))
        oldest, leave = next(iter(self._by_address[fullest].items()))
        self._give_back(fullest, oldest)
        leave()

    def _give_back(self, address: str, who: object) -> None:
        sitting = self._by_address.get(address, OrderedDict())
        if sitting.pop(who, None) is not None:
            self._count -= 1
            if not sitting:
                del self._by_address[address]
