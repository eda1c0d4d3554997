"""The accounts that a process keeps for the close of days. They follow the store, so that a close reads little."""

import threading
from collections.abc import Iterable

from events.accounting.event_types.day_close import DayClosed
from events.accounting.journal.journal_against_other_accounts_checks import BrokenIdentity, broken
from events.accounting.report.folded_accounts_snapshot import EVOLVE, dump, load
from events.accounting.report.property_ledger_fold import Ledger, accounting_event, fold
from events.store import EventReader, EventStore, Snapshot, Stored, everything
from events.store.state_follower_base_class import StoreFollower

SNAPSHOT_EVERY = 20_000  # positions
LOOK = 1_000  # events that a read of the journal folds at the same time
KEPT_DAYS = 40  # cached closed days; older ones are folded again for a restatement


class KeptLedger(StoreFollower):
    """A property's accounts, up to `position` of the store.

    `closed` are the accounts of days at their close: of days closed while this process ran, or needed for a
    restatement.
    """

    def __init__(self, property_: str) -> None:
        super().__init__(f"{property_} accounts")
        self.property = property_
        self.guard = threading.RLock()
        self.saved = 0
        self.has_begun = False
        self.reset()

    def reset(self) -> None:
        """Forget all events."""
        self.ledger = Ledger()
        self.closed: dict[str, Ledger] = {}
        self._looked_at: tuple[int, str] = 0, ""
        self._broken: tuple[BrokenIdentity, ...] = ()

    def catch_up(self, history: EventReader) -> None:
        """Take every event that is stored: all of them again, where the store holds another history now."""
        with self.guard:
            super().catch_up(history)

    def broken(self, history: EventReader, gaming_day: str) -> tuple[BrokenIdentity, ...] | None:
        """Return the journal's identities that do not hold on a day.

        None: not available, because another thread uses the accounts, or because they are too far behind for one call.
        Each call applies some events.
        """
        if not self.has_begun or not self.guard.acquire(blocking=False):
            return None
        try:
            return self._look(gaming_day) if self.step(history, LOOK) < LOOK else None
        finally:
            self.guard.release()

    def _look(self, gaming_day: str) -> tuple[BrokenIdentity, ...]:
        """At the same position it is the same."""
        if self._looked_at != (self.position, gaming_day):
            self._broken = tuple(broken(self.ledger, [gaming_day]))
            self._looked_at = self.position, gaming_day
        return self._broken

    def begin(self, store: EventStore) -> None:
        """At the latest snapshot, once; where the store does not answer, the next caller does."""
        with self.guard:
            if self.has_begun:
                return
            snapshot = store.snapshot(f"{self.property}#accounts", EVOLVE)
            if snapshot is not None:
                self.ledger, self.position = load(snapshot.state), snapshot.version
                self.saved = self.position
            self.has_begun = True

    def save(self, store: EventStore) -> None:
        """Save a snapshot from time to time."""
        with self.guard:
            if self.position - self.saved >= SNAPSHOT_EVERY:
                store.save_snapshot(Snapshot(f"{self.property}#accounts", self.position, EVOLVE, dump(self.ledger)))
                self.saved = self.position

    def apply_event(self, stored: Stored) -> None:
        """Fold the next event into the accounts; a close keeps those before it."""
        if (fact := accounting_event(stored, self.property)) is not None:
            if isinstance(fact.data, DayClosed) and fact.data.layout == self.ledger.layout:
                self._keep(fact.data.gaming_day, self.ledger.copy())
            self.ledger.take(fact)

    def hold(self, history: EventReader, gaming_day: str) -> None:
        """Load a closed day into the cache, also one closed by another process, so that no request waits for its
        fold.
        """
        closing = self.ledger.closings.closed_day(gaming_day)
        if closing is None or gaming_day in self.closed:
            return
        before = fold(everything(history, until=closing.closed.position), self.property, closing.closed.layout)
        with self.guard:
            self._keep(gaming_day, before)

    def _keep(self, gaming_day: str, before: Ledger) -> None:
        previous = [*self.closed.items()][-KEPT_DAYS + 1 :]
        self.closed = {**dict(previous), gaming_day: before}

    def with_named(self, gaming_day: str, named: Iterable[Stored]) -> Ledger | None:
        """Return a closed day's accounts with later events; None where they are no longer cached."""
        before = self.closed.get(gaming_day)
        if before is None:
            return None
        ledger = before.copy()
        for stored in named:
            if (fact := accounting_event(stored, self.property)) is not None:
                ledger.take(fact)
        return ledger


def cached_ledger(store: EventStore, property_: str) -> KeptLedger:
    """The accounts as this process keeps them."""
    accounts = _cached_ledger(store, property_)
    accounts.begin(store)
    return accounts


def journal_broken(store: EventStore, property_: str, gaming_day: str) -> tuple[BrokenIdentity, ...] | None:
    """Return the journal's identities that do not hold on a day, by the accounts of this process; None without cached
    accounts.
    """
    return _cached_ledger(store, property_).broken(store, gaming_day)


def _cached_ledger(store: EventStore, property_: str) -> KeptLedger:
    return store.process_cache.get((KeptLedger, property_), lambda: KeptLedger(property_))


def prepare(store: EventStore, property_: str) -> None:
    """Load the accounts before the first request: a new version of the fold reads all events once more."""
    accounts = cached_ledger(store, property_)
    accounts.catch_up(store)
    accounts.save(store)
