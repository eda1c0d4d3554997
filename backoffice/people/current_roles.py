"""The roles in force, for processes without a desk: from the people's stream, where they are granted and revoked.

It is no read model: a rebuild would sign all people out, and a late projector would let in a person without rights. A
read is valid for a second, like a badge's. While the store does not answer, the earlier roles stay: no one can revoke
one then either.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping

from eventsourcing.persistence import PersistenceError

from backoffice.installation.dependency_injection import installation
from events import catalogue
from events.errors import PitledgerError
from events.people.role_grant_decider import People, evolve
from events.store import EventStore, StreamEnd

log = logging.getLogger(__name__)

REMEMBERED_S = 1.0
PAGE = 500


class RolesInForce:
    """The roles of a store's stream of people, updated from the last read event."""

    def __init__(self, store: EventStore, property_: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._store, self._clock = store, clock
        self._stream = f"{property_}/people"
        self._people = People()
        self._read_to: StreamEnd | None = None
        self._looked_at = float("-inf")
        self._read_lock = threading.Lock()

    def all_roles(self) -> Mapping[str, frozenset[str]]:
        """Return the roles of all people, at most a second old. Raises the store's error before the first read."""
        is_old = self._clock() - self._looked_at > REMEMBERED_S
        # one thread reads, the others use the last result
        if is_old and self._read_lock.acquire(blocking=self._read_to is None):
            try:
                self._look()
            finally:
                self._read_lock.release()
        return self._people.roles

    def read_people(self) -> People:
        """Return the people of the stream as of now. Raises the store's errors."""
        with self._read_lock:
            self._look()
        return self._people

    def _look(self) -> None:
        try:
            head = self._store.head(self._stream)
            if head != self._read_to:
                self._people = self._read(head)
                self._read_to = head
        except (PitledgerError, PersistenceError, OSError) as error:
            if self._read_to is None:
                raise
            log.warning("the roles of before stay in force, the event store does not answer: %s", error)
        self._looked_at = self._clock()

    def _read(self, head: StreamEnd) -> People:
        """Read the whole stream up to there again: another store may have taken the place of this one. The stream is
        short."""
        people, version = People(), 0
        while version < head.version and (page := self._store.stream(self._stream, version, PAGE)):
            for stored in page:
                people = evolve(people, catalogue.decode(stored.type, stored.raw).data)
            version = page[-1].version
        return people


def roles_of(person: str) -> frozenset[str]:
    """The roles of a person in the property of this house."""
    return of_all().get(person, frozenset())


def of_all() -> Mapping[str, frozenset[str]]:
    """Return the roles of all people in the property of this house."""
    return _roles_of_house().all_roles()


def read_people() -> People:
    """Return the people of this house as of now, for decisions that depend on them."""
    return _roles_of_house().read_people()


def _roles_of_house() -> RolesInForce:
    house = installation()
    store, property_ = house.store, house.settings.property_
    return store.process_cache.get((RolesInForce, property_), lambda: RolesInForce(store, property_))
