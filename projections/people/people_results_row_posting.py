"""Results of people into the read models, exactly once: rows and the reader's place move in one transaction.

A table's gaming day is a fold over its stream alone. The theory of a round costs more than a projector may spend, and a
late correction changes an old round. So the rows are posted from the store beside the projector, as the journal is. An
open day is held in memory. A day with a late correction is folded again from its first event.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter, itemgetter
from typing import ClassVar

import msgspec
import structlog
from django.db import transaction

from events import catalogue
from events.envelope import digest
from events.error_codes import coded
from events.errors import Conflict, PitledgerError, Retry
from events.progressives.history_reader import recorded_rulesets
from events.rules import loading_and_pinning_rulesets
from events.rules.ruleset_adoption_and_recording import RulesetRecorded
from events.settings.settings_from_environment import settings
from events.store import EventReader, EventStore, Stored
from events.tables.event_types.rounds import SettlementCorrected
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.models import Reader
from projections.engine.same_store_check_by_digest import holds
from projections.journal.idle_posting import JournalPoster, StorePosting
from projections.people.models import HourResult, RoundResult
from projections.people.round_results_and_hourly_sums import TableResults

NAME, VERSION = "people", 2
BATCH = 1_000
KEPT_MAX = 60  # tables' gaming days in memory

OTHER = "the store holds another history than the one that was posted"
log = structlog.get_logger(__name__)


class PeopleResultsPosting:
    """Posting of the store's events after the read models' position. One at a time: a faster process is detected."""

    def __init__(self, store: EventStore, property_: str, using: str = "default") -> None:
        self._store, self._property, self._using = store, property_, using
        self._days: dict[str, TableResults] = {}
        self._reader = self._load()
        for ruleset in recorded_rulesets(store, property_).values():
            loading_and_pinning_rulesets.cache_ruleset(ruleset.data)

    @property
    def position(self) -> int:
        """Return the position up to which all is posted."""
        return self._reader.position

    def catch_up(self) -> int:
        """Post all stored events; return the number of rows written. Raises Conflict, Retry: begin again then."""
        count, until = 0, self._store.position()
        while self.is_behind(until):
            count += self.step(until)
        return count

    @property
    def is_folded(self) -> bool:
        """Return whether the next events can be taken: days of tables are folded when they are needed."""
        return True

    def is_behind(self, until: int) -> bool:
        """Return whether there is a batch to take."""
        return self.position < until

    def step(self, until: int, most: int | None = None) -> int:
        """Take one batch of at most `most` events; return the number of rows written."""
        if not holds(self._store, self._reader):
            raise Conflict(OTHER)
        return self.take(self._store.after(self.position, most or BATCH, until=until))

    def take(self, events: Sequence[Stored] | Sequence[Event]) -> int:
        """Take the next events of the store; return the number of rows written."""
        if not events:
            return 0
        by_stream: dict[str, list[Stored | Event]] = {}
        for event in events:
            if event.type == RulesetRecorded.TYPE:
                loading_and_pinning_rulesets.cache_ruleset(catalogue.decode(event.type, event.raw).data.data)
            elif event.stream.startswith(f"{self._property}/tables/"):
                by_stream.setdefault(event.stream, []).append(event)
        last = events[-1]
        written = [self._day(stream, events) for stream, events in by_stream.items()]
        with transaction.atomic(using=self._using):
            self._move(last)
            count = sum(rows.write(self._using) for rows in written)
        self._reader.position, self._reader.digest = last.position, digest(last.raw).hex()
        if len(self._days) > KEPT_MAX:
            self._days.clear()
        return count

    def _day(self, stream: str, events: Sequence[Stored | Event]) -> "TableDayResultRows":
        """Return the rows that these events change; all rows of the day where it was folded again."""
        try:
            day = self._days.get(stream)
            if day is not None:
                _take(day, events)
                if not day.is_stale:
                    return TableDayResultRows(stream, day, is_whole=False)
            day = self._days[stream] = fold_day(self._store, stream, events[-1].position)
            return TableDayResultRows(stream, day, is_whole=True)
        except (Retry, MemoryError):
            raise
        except (PitledgerError, AssertionError, LookupError, TypeError, ValueError, ArithmeticError) as error:
            # An event that cannot be read or applied holds its own table's day only: its rows stay as they were.
            log.error("results of a table's day are not posted", stream=stream, why=str(error))
            self._days.pop(stream, None)
            return TableDayResultRows(stream, None, is_whole=False)

    # --- position -----------------------------------------------------------------------------------------------------

    def _load(self) -> Reader:
        """Begun again where another version posted, or the store holds another history now."""
        readers = Reader.objects.using(self._using)
        reader, _ = readers.get_or_create(projection=NAME, defaults={"version": VERSION, "property": self._property})
        if reader.version == VERSION and reader.property == self._property and holds(self._store, reader):
            return reader
        log.warning("results of people are posted afresh", version=reader.version, position=reader.position)
        with transaction.atomic(using=self._using):
            RoundResult.objects.using(self._using).all().delete()
            HourResult.objects.using(self._using).all().delete()
            reader.version, reader.property = VERSION, self._property
            reader.position, reader.digest, reader.event = 0, "", ""
            reader.save(using=self._using)
        return reader

    def _move(self, last: Stored | Event) -> None:
        """The reader's row is the lock. Raises Conflict where another process has moved it."""
        place = {
            "position": last.position,
            "digest": digest(last.raw).hex(),
            "event": f"{last.stream}@{last.version}",
        }
        readers = Reader.objects.using(self._using).filter(projection=NAME, position=self.position)
        if readers.update(**place) != 1:
            raise Conflict(coded("journal-posted-elsewhere"))


class TableDayResultRows(msgspec.Struct, frozen=True):
    """Rows of a table's day to be written; without a day none. `is_whole`: they replace all rows of the day."""

    stream: str
    day: TableResults | None
    is_whole: bool

    def write(self, using: str) -> int:
        """Write the rows; return their number."""
        if self.day is None:
            return 0
        rounds = [*self.day.rounds()] if self.is_whole else [*self.day.changed.values()]
        keys = None if self.is_whole else {share.hour_key for share in rounds}
        self.day.changed.clear()
        hours = [*self.day.hours(keys)]
        if self.is_whole:
            RoundResult.objects.using(using).filter(stream=self.stream).delete()
            HourResult.objects.using(using).filter(stream=self.stream).delete()
        WriteTarget(using).upsert(
            [(RoundResult, [*map(_of_round, rounds)]), (HourResult, [*map(_of_hour, hours)])],
        )
        return len(rounds) + len(hours)


_of_round = attrgetter(*(field.attname for field in RoundResult._meta.concrete_fields))
_of_hour = itemgetter(*(field.attname for field in HourResult._meta.concrete_fields))


def fold_day(store: EventReader, stream: str, until: int) -> TableResults:
    """Return a table's gaming day up to a position, its later corrections known from the start."""
    events = [event for event in store.stream(stream) if event.position <= until]
    corrections = [
        catalogue.decode(event.type, event.raw).data for event in events if event.type == SettlementCorrected.TYPE
    ]
    day = TableResults(stream, settings().time_zone, corrections)
    _take(day, events)
    return day


def _take(day: TableResults, events: Iterable[Stored | Event]) -> None:
    for event in events:
        envelope = event.envelope if isinstance(event, Event) else catalogue.decode(event.type, event.raw)
        day.take(event.position, envelope)


class ResultsPoster(JournalPoster):
    """Poster of results on request, with the share of time that the journal has."""

    begin: ClassVar[Callable[[EventStore, str, str], StorePosting]] = PeopleResultsPosting
    failure: ClassVar[str] = "results of people are not posted for now"
