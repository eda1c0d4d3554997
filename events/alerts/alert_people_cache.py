"""The people an alert is about, for the decision about it. The read model, and not the log, has the alerts.

The sender's thread asks the read model before the action waits for the writer. An alert never changes once it is
raised, so the answer is kept. Nothing is decided about an alert that was not found.
"""

from collections.abc import Callable

from events.store import EventStore

Finder = Callable[[str], frozenset[str] | None]
KEPT_MAX = 10_000  # alerts whose people are kept in memory


class Subjects:
    """The people of the alerts that were looked up, by the alert's id."""

    def __init__(self, find: Finder) -> None:
        self._find = find
        self._people: dict[str, frozenset[str]] = {}

    def look_up(self, alert: str) -> None:
        """Ask the read model, unless it is known. Raises Retry where the read model does not answer."""
        if alert in self._people:
            return
        people = self._find(alert)
        if people is None:
            return
        if len(self._people) >= KEPT_MAX:
            self._people = {}
        self._people[alert] = people

    def people_of(self, alert: str) -> frozenset[str] | None:
        """Return the people whom the alert concerns; None for an alert that was never raised."""
        return self._people.get(alert)


def set_finder(store: EventStore, find: Finder) -> None:
    """Set the finder of the people of this store's alerts; the composition of the house calls it."""
    store.process_cache.forget(Subjects)
    store.process_cache.get(Subjects, lambda: Subjects(find))


def of_store(store: EventStore) -> Subjects:
    """Return the subjects of a store; without a registered reader, every alert is unknown."""
    return store.process_cache.get(Subjects, lambda: Subjects(_find_nobody))


def _find_nobody(_alert: str) -> None:
    return None
