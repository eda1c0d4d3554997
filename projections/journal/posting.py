"""Entries into the read models, exactly once: rows and the reader's place move in one transaction.

The journal is a fold over the whole property, in the order of the store: it is read there and not from Kafka, only what
matters to it, and an event that cannot be read stops it. Nothing waits for it, and it keeps nobody waiting: whoever
posts beside other work does so a batch at a time.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import structlog
from django.db import transaction

from events.accounting.journal.entries import Entry
from events.accounting.report import saved
from events.accounting.report.lean import EVOLVE, Lean, telling, types
from events.accounting.report.ledger import happened
from events.envelope import digest
from events.errors import Conflict
from events.store import EventStore, Snapshot, Stored
from projections.engine.history import holds
from projections.engine.models import Reader
from projections.engine.target import Target
from projections.journal.models import JournalEntry

NAME, VERSION = "journal", 1
BATCH, NUMBERS = 1_000, 1_000
SNAPSHOT_EVERY = 20_000  # positions

values = attrgetter(*(field.attname for field in JournalEntry._meta.concrete_fields[1:]))

log = structlog.get_logger(__name__)


class Posting:
    """Posts what a store has more than the read models. One at a time: another one that was quicker is noticed."""

    def __init__(self, store: EventStore, property_: str, using: str = "default") -> None:
        self._store, self._property, self._target = store, property_, Target(using)
        self._types = types()
        self._accounts, self._reader = Lean(), self._load()
        self._at = self._saved = self._begin()

    @property
    def position(self) -> int:
        """Everything up to here is posted."""
        return self._reader.position

    def catch_up(self) -> int:
        """Post all that is stored; how many entries that were. Raises Poison, Conflict, Retry: begin anew then."""
        count, until = 0, self._store.position()
        while self.is_behind(until):
            count += self.step(until)
        return count

    def is_behind(self, until: int) -> bool:
        """Whether there is a batch to take."""
        return self._at < until

    def step(self, until: int, most: int | None = None) -> int:
        """One batch, of so many events; how many entries that were. What is posted already is only folded once more.

        Raises Conflict where the store holds another history than the one that was posted.
        """
        if not holds(self._store, self._reader):
            raise Conflict("the store holds another history than the one that was posted")
        is_posted = self._at < self.position
        end, most = self.position if is_posted else until, most or BATCH
        found = self._store.after(self._at, most, self._types, until=end)
        entries = made_of(self._accounts, found, self._property)
        self._at = end if len(found) < most else found[-1].position
        return 0 if is_posted else self._post(entries)

    # --- where it stands ----------------------------------------------------------------------------------------------

    def _load(self) -> Reader:
        """Begun afresh where another version posted, or the store holds another history now."""
        readers = Reader.objects.using(self._target.using)
        reader, _ = readers.get_or_create(projection=NAME, defaults={"version": VERSION, "property": self._property})
        if reader.version == VERSION and reader.property == self._property and holds(self._store, reader):
            return reader
        log.warning("the journal is posted afresh", version=reader.version, position=reader.position)
        with transaction.atomic(using=self._target.using):
            JournalEntry.objects.using(self._target.using).all().delete()
            reader.version, reader.property = VERSION, self._property
            reader.position, reader.digest, reader.event = 0, "", ""
            reader.save(using=self._target.using)
        return reader

    def _begin(self) -> int:
        """The accounts as they were at a snapshot, where there is one; what lies between is folded once more."""
        snapshot = self._store.snapshot(self._name, EVOLVE)
        if snapshot is None or snapshot.version > self.position:
            return 0
        self._accounts.__dict__.update(saved.load(snapshot.state).__dict__)
        return snapshot.version

    @property
    def _name(self) -> str:
        return f"{self._property}#journal"

    # --- a batch ------------------------------------------------------------------------------------------------------

    def _post(self, entries: Sequence[Entry]) -> int:
        with transaction.atomic(using=self._target.using):
            self._move(self._at)
            self._target.insert(JournalEntry, rows(entries))
        self._save()
        return len(entries)

    def _move(self, position: int) -> None:
        """The reader's row is the lock. Raises Conflict where somebody else has moved it."""
        [last] = self._store.after(position - 1, 1, until=position)
        place: dict[str, Any] = {
            "position": position,
            "digest": digest(last.raw).hex(),
            "event": f"{last.stream}@{last.version}",
        }
        mine = Reader.objects.using(self._target.using).filter(projection=NAME, position=self.position)
        if mine.update(**place) != 1:
            raise Conflict("the journal is being posted by somebody else")
        for name, value in place.items():
            setattr(self._reader, name, value)

    def _save(self) -> None:
        """A snapshot now and then, so that the next one begins there."""
        if self.position - self._saved >= SNAPSHOT_EVERY:
            self._store.save_snapshot(Snapshot(self._name, self.position, EVOLVE, saved.dump(self._accounts)))
            self._saved = self.position


def made_of(accounts: Lean, found: Sequence[Stored], property_: str) -> list[Entry]:
    """The entries of the next events."""
    entries: list[Entry] = []
    for stored in telling(found):
        if (fact := happened(stored, property_)) is not None:
            entries += accounts.posted(fact)
    return entries


def rows(entries: Sequence[Entry]) -> list[tuple[object, ...]]:
    """A value for every column, each entry numbered within its event."""
    found, last, number = [], 0, 0
    for one in entries:
        number = number + 1 if one.position == last else 0
        last = one.position
        found.append((last * NUMBERS + number, *values(one)))
    return found
