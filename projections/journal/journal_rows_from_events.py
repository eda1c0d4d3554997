"""Posting of journal entries, exactly once: rows and the reader's position change in one transaction.

The journal is a fold over the whole property, in the order of the store. It reads the relevant events there and not
from Kafka, and an unreadable event stops it. No other part waits for it. A process with other work posts one batch
at a time.
"""

from collections.abc import Iterable, Sequence
from operator import attrgetter

import structlog
from django.db import transaction

from events.accounting.event_with_position import AccountingEvent
from events.accounting.journal.ledger_entry import LedgerEntry
from events.accounting.report import folded_accounts_snapshot
from events.accounting.report.day_reports import closed_layouts
from events.accounting.report.ledger_fold_for_journal_only import EVOLVE, LeanLedger, journal_events
from events.accounting.report.property_ledger_fold import accounting_event, is_followed
from events.envelope import digest
from events.error_codes import coded
from events.errors import Conflict
from events.store import EventStore, Snapshot, Stored
from projections.engine.bulk_writer import FewerRowsChanged, WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.models import Reader
from projections.engine.pipelined_transaction import pipelined
from projections.engine.same_store_check_by_digest import holds, is_last
from projections.journal.models import MICRO, MICRO_MAX, JournalEntry

NAME, VERSION = "journal", 3
BATCH, NUMBERS = 1_000, 1_000
SNAPSHOT_EVERY = 20_000  # positions

OTHER = "the store holds another history than the one that was posted"

_FIELDS = [field.attname for field in JournalEntry._meta.concrete_fields[1:-1]]
values, AMOUNT = attrgetter(*_FIELDS), _FIELDS.index("micro")

log = structlog.get_logger(__name__)


class JournalPosting:
    """Posting of the store's events after the read models' position. One at a time: a faster process is detected."""

    def __init__(self, store: EventStore, property_: str, using: str = "default") -> None:
        self._store, self._property, self._target = store, property_, WriteTarget(using)
        self._closed = closed_layouts(store, property_)
        self._accounts, self._reader = LeanLedger(closed=self._closed), self._load()
        self._at = self._saved = self._begin()

    @property
    def position(self) -> int:
        """Return the position up to which all is posted."""
        return self._reader.position

    def catch_up(self) -> int:
        """Post all stored events; return the number of entries. Raises `Poison`, Conflict, Retry: then start again."""
        count, until = 0, self._store.position()
        while self.is_behind(until):
            count += self.step(until)
        return count

    def is_behind(self, until: int) -> bool:
        """Return whether there is a batch to take."""
        return self._at < until

    def step(self, until: int, most: int | None = None) -> int:
        """Take one batch of at most `most` events; return the number of entries posted. Posted events are only folded.

        Raises Conflict where the store holds another history than the one that was posted.
        """
        is_posted = not self.is_folded
        events = (self._events_before_start if is_posted else self._beyond)(until, most or BATCH)
        entries = made_of(self._accounts, events, self._property)
        if not events:
            return 0
        self._at = events[-1].position
        return 0 if is_posted else self._post(entries, events[-1])

    def take(self, events: Sequence[Event]) -> int:
        """Take the next events, already read from the store; return the number of entries posted."""
        assert self.is_folded
        entries = posted_entries(
            self._accounts,
            (_fact(event) for event in journal_events(events) if is_followed(event.stream, self._property)),
        )
        self._at = events[-1].position
        return self._post(entries, events[-1])

    @property
    def is_folded(self) -> bool:
        """Return whether the accounts have reached the posted position."""
        return self._at == self.position

    def _events_before_start(self, _until: int, most: int) -> Sequence[Stored]:
        """Return events posted before this process started, which must be folded."""
        if not holds(self._store, self._reader):
            raise Conflict(OTHER)
        return self._store.after(self._at, most, until=self.position)

    def _beyond(self, until: int, most: int) -> Sequence[Stored]:
        """Return the next events of every type, which is cheaper than a search by type.

        They are read together with the event before them, which must be the one that was read last.
        """
        if self.position == 0:
            return self._store.after(0, most, until=until)
        events = self._store.after(self.position - 1, most + 1, until=until)
        if not events or events[0].position != self.position or not is_last(self._reader, events[0]):
            raise Conflict(OTHER)
        return events[1:]

    # --- position and snapshot ----------------------------------------------------------------------------------------

    def _load(self) -> Reader:
        """Return the reader, reset if another version posted or the store holds another history."""
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
        """Load the accounts of the last snapshot, where one exists, and fold the events after it."""
        snapshot = self._store.snapshot(self._name, EVOLVE)
        if snapshot is None or snapshot.version > self.position:
            return 0
        self._accounts = LeanLedger(snapshot.state, self._closed)
        return snapshot.version

    @property
    def _name(self) -> str:
        return f"{self._property}#journal"

    # --- a batch ------------------------------------------------------------------------------------------------------

    def _post(self, entries: Sequence[LedgerEntry], last: Stored | Event) -> int:
        place = (last.position, digest(last.raw).hex(), f"{last.stream}@{last.version}")
        try:
            with pipelined(self._target):
                self._move(place)
                self._target.insert(JournalEntry, rows(entries))
        except FewerRowsChanged as error:
            raise Conflict(coded("journal-posted-elsewhere")) from error
        self._reader.position, self._reader.digest, self._reader.event = place
        self._save()
        return len(entries)

    def _move(self, place: tuple[int, str, str]) -> None:
        """Move the reader's row, which is the lock. Raises FewerRowsChanged if another process has moved it."""
        self._target.change(
            f"UPDATE {self._target.table(Reader)} SET position = %s, digest = %s, event = %s "
            "WHERE projection = %s AND position = %s",
            (*place, NAME, self.position),
            1,
        )

    def _save(self) -> None:
        """Save a snapshot from time to time, for the start of the next process."""
        if self.position - self._saved >= SNAPSHOT_EVERY:
            self._store.save_snapshot(
                Snapshot(self._name, self.position, EVOLVE, folded_accounts_snapshot.dump(self._accounts))
            )
            self._saved = self.position


def made_of(accounts: LeanLedger, events: Sequence[Stored], property_: str) -> list[LedgerEntry]:
    """Return the entries of the next events."""
    return posted_entries(
        accounts, filter(None, (accounting_event(event, property_) for event in journal_events(events)))
    )


def posted_entries(accounts: LeanLedger, facts: Iterable[AccountingEvent]) -> list[LedgerEntry]:
    """Return the entries of the next facts."""
    entries: list[LedgerEntry] = []
    for fact in facts:
        entries += accounts.posted(fact)
    return entries


def _fact(event: Event) -> AccountingEvent:
    return AccountingEvent(event.position, event.stream, event.envelope.actor, event.data, event.envelope.id)


def rows(entries: Sequence[LedgerEntry]) -> list[tuple[object, ...]]:
    """Return the values of every column, each entry numbered within its event."""
    values_by_entry, last, number = [], 0, 0
    for entry in entries:
        number = number + 1 if entry.position == last else 0
        last = entry.position
        minor, micro = _split_micro(entry.micro)
        row = values(entry)
        values_by_entry.append((last * NUMBERS + number, *row[:AMOUNT], micro, *row[AMOUNT + 1 :], minor))
    return values_by_entry


def _split_micro(micro: int) -> tuple[int, int]:
    """Return whole minor units and the remaining millionths; only millionths where they alone hold the amount."""
    if abs(micro) <= MICRO_MAX:
        return 0, micro
    sign = -1 if micro < 0 else 1
    return sign * (abs(micro) // MICRO), sign * (abs(micro) % MICRO)
