"""A batch of events into the read models, exactly once: rows and reader positions move in one transaction.

Events up to a reader's position are skipped. An event that cannot be decoded or applied is quarantined. Later events of
its stream wait for it, and other streams continue. Nearly every batch can be applied as a whole. Otherwise it is rolled
back and done again, with a savepoint for each projector and by halves, to find the event.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias, cast

import msgspec
import structlog
from django.db import InterfaceError, InternalError, OperationalError, transaction

from events.errors import Conflict, PitledgerError, Retry, Stale
from events.store import EventReader
from events.streams import stream_kind_declaration
from projections.engine.bulk_writer import FewerRowsChanged, WriteTarget
from projections.engine.decoded_events import BrokenEvent, Event, JustRead, Record, decode
from projections.engine.models import PoisonedEvent, Reader, WaitingEvent
from projections.engine.pipelined_transaction import pipelined
from projections.engine.projector_base_classes import Projector
from projections.engine.same_store_check_by_digest import last_of, must_hold
from projections.engine.values_cut_to_column_limits import fit_to_columns
from projections.engine.worker_task_sending_after_batch import WorkerTask

POISON_MAX = 25
log = structlog.get_logger(__name__)
# The database's troubles, not an event's.
TROUBLES = (OperationalError, InterfaceError, InternalError, Retry, MemoryError, RecursionError)


class ReaderMoved(Stale):
    """Another process moved the reader or changed the projection (a rebuild, a replay): load again and continue."""


class TooMuchPoison(PitledgerError):
    """Too many events for an accident are quarantined: find the cause, then start the projector again."""


class OtherVersion(Conflict):
    """The read model was made by another version of its projector: rebuild it."""


class Hint(msgspec.Struct, frozen=True):
    """Kafka position after a batch; valid for this incarnation of the topic only."""

    incarnation: str = ""
    offset: int = -1


NO_HINT = Hint()


class ReaderPlace(msgspec.Struct, frozen=True):
    """Position of a reader: the columns that change with every batch, in the order of writing."""

    position: int
    digest: str
    event: str
    incarnation: str
    offset: int


PLACE = ReaderPlace.__struct_fields__


Share: TypeAlias = tuple[Projector, Sequence[Event]]  # the events of a batch for one projector


class BatchResult(msgspec.Struct):
    """Result of a batch: events new to at least one reader, quarantined events, and tasks to send.

    `read` holds the events where all of them were decoded.
    """

    new: int = 0
    poisoned: int = 0
    tasks: set[WorkerTask] = msgspec.field(default_factory=set)
    read: JustRead | None = None


class Applier:
    """Distributor of batches to projectors, with the position of each. One thread, one process at a time.

    With a `store`, only readers of its history continue.
    """

    def __init__(
        self,
        projectors: Sequence[Projector],
        property_: str,
        *,
        poison_max: int = POISON_MAX,
        store: EventReader | None = None,
    ) -> None:
        assert projectors
        assert len({projector.target for projector in projectors}) == 1
        self.projectors = projectors
        self.target: WriteTarget = projectors[0].target
        self.property = property_
        self._store = store
        self.poison_max = poison_max
        self._readers: dict[str, Reader] = {}
        # By projection: the streams that wait, each since the position of the first event quarantined.
        self._held_streams: dict[str, dict[str, int]] = {}
        self._applied = BatchResult()
        self._aside = {projector.name: 0 for projector in projectors}

    def name(self, projector: Projector) -> str:
        """The reader's name: a copy that is being built has a reader of its own."""
        return projector.name + self.target.suffix

    def load(self) -> None:
        """Read positions and held streams.

        Raises OtherVersion for a read model of another version, OtherHistory for one of another store, Retry where
        the store does not answer.
        """
        for projector in self.projectors:
            name = self.name(projector)
            reader, _ = Reader.objects.using(self.target.using).get_or_create(
                projection=name, defaults={"version": projector.version, "property": self.property}
            )
            if reader.version != projector.version:
                raise OtherVersion(
                    f"the read model {projector.name!r} is of version {reader.version}, its projector of version "
                    f"{projector.version}: ./manage.py rebuild {projector.name} shows how they differ, and "
                    "with --approve takes the new one"
                )
            if reader.property != self.property:
                raise OtherVersion(
                    f"these read models belong to {reader.property}, not to {self.property}: correct PITLEDGER_READ. "
                    "If they are to be this house's: ./manage.py rebuild all --approve"
                )
            self._readers[projector.name] = reader
            self._load_held(projector)
            projector.forget()
        if self._store is not None:
            must_hold(self._store, self._readers.values())

    def _load_held(self, projector: Projector) -> None:
        name, using = self.name(projector), self.target.using
        held: dict[str, int] = {}
        for model in (PoisonedEvent, WaitingEvent):
            rows = model._default_manager.using(using).filter(projection=name).values_list("stream", "position")
            for stream, position in rows:
                held[stream] = min(position, held.get(stream, position))
        self._held_streams[projector.name] = held
        self._aside[projector.name] = PoisonedEvent.objects.using(using).filter(projection=name).count()

    @property
    def position(self) -> int:
        """Return the position up to which every projector here has read."""
        return min(reader.position for reader in self._readers.values())

    @property
    def hint(self) -> Hint:
        """Return the Kafka position of the reader that is furthest behind."""
        last = min(self._readers.values(), key=lambda reader: reader.position)
        return Hint(last.incarnation, last.offset)

    def apply(self, records: Sequence[Record], hint: Hint = NO_HINT) -> BatchResult:
        """Apply a batch in one transaction. Raises ReaderMoved (load, then continue from `position`), TooMuchPoison."""
        try:
            return self._apply(records, hint)
        except (*TROUBLES, ReaderMoved, TooMuchPoison):
            raise
        except Exception as error:  # for any error, one of these events is the cause
            position = self.position
            self.load()
            if self.position != position:  # these records may not be the next ones any more
                raise ReaderMoved(f"the readers are at {self.position}, and were at {position}") from error
            return self._apply(records, hint, by_halves=True)

    def _apply(self, records: Sequence[Record], hint: Hint, *, by_halves: bool = False) -> BatchResult:
        new = _records_after(records, self.position)
        self._applied = BatchResult(new=len(new))
        if not new:
            return self._applied
        events = decode(new, self._wanted)
        last = last_of(new[-1])
        place = ReaderPlace(new[-1].position, last.digest, last.event, hint.incarnation, hint.offset)
        if len(whole := [event for event in events if isinstance(event, Event)]) == len(new):
            self._applied.read = JustRead(self.position, whole)
        before = {name: _place(reader) for name, reader in self._readers.items()}
        try:
            with transaction.atomic(using=self.target.using) if by_halves else pipelined(self.target):
                behind = [each for each in self.projectors if self._readers[each.name].position < place.position]
                self._move([self._readers[each.name] for each in behind], place)
                shown = _by_disclosure(events)
                shares = [(each, self._advance(each, shown[each.takes_restricted], place)) for each in behind]
                self._merge([(each, events) for each, events in shares if events], by_halves=by_halves)
        except BaseException as error:
            for name, was in before.items():
                _store_position(self._readers[name], was)
            for projector in self.projectors:
                projector.forget()
            if isinstance(error, FewerRowsChanged):
                raise ReaderMoved("some of the readers are not where they were any more") from error
            raise
        return self._applied

    def _wanted(self, filed: str) -> bool:
        return any(projector.uses(filed) for projector in self.projectors)

    def _advance(
        self, projector: Projector, events: Sequence[Event | BrokenEvent], place: ReaderPlace
    ) -> Sequence[Event]:
        """Bring one reader, whose row has moved, to the end of the batch; return the events to merge."""
        reader = self._readers[projector.name]
        first = reader.position
        _store_position(reader, place)
        if events and events[0].position <= first:
            events = [event for event in events if event.position > first]
        return self._sift(projector, events)

    def _move(self, readers: Sequence[Reader], place: ReaderPlace) -> None:
        """The readers' rows, which are the lock, come first: in one statement, since small batches feel each.

        Raises FewerRowsChanged where another process has moved one.
        """
        target = WriteTarget(self.target.using)
        rows = ", ".join(["(%s, %s, %s)"] * len(readers))
        where = [value for each in readers for value in (each.projection, each.position, each.generation)]
        target.change(
            f"UPDATE {target.table(Reader)} SET ({target.quoted(PLACE)}) = ({', '.join(['%s'] * len(PLACE))}) "
            f"WHERE ({target.quoted(['projection', 'position', 'generation'])}) IN (VALUES {rows})",
            [*msgspec.structs.astuple(place), *where],
            len(readers),
        )

    def _sift(self, projector: Projector, events: Sequence[Event | BrokenEvent]) -> Sequence[Event]:
        """Remove the events that cannot be decoded or have to wait; return the rest."""
        held_streams = self._held_streams[projector.name]
        broken = [event for event in events if isinstance(event, BrokenEvent)]
        if held_streams or broken:  # a projector ignores errors of types that it does not use
            events = [event for event in events if projector.uses(_filed(event))]
            broken = [event for event in broken if projector.uses(_filed(event))]
        for event in broken:
            if event.stream not in held_streams:
                self._poison(projector, event, event.error)
        if broken:
            set_aside = {event.position for event in broken if held_streams[event.stream] == event.position}
            events = [event for event in events if event.position not in set_aside]
        return self._free(projector, events)

    def _merge(self, shares: Sequence[Share], *, by_halves: bool) -> None:
        if not by_halves:
            self._at_once(shares)
            return
        for projector, events in shares:
            self._by_halves(projector, events)

    def _at_once(self, shares: Sequence[Share]) -> None:
        """Apply all events in one go; an error fails the whole batch.

        Reading waits for everything sent before, so `load` comes first.
        """
        for projector, events in shares:
            projector.load(events)
        for projector, events in shares:
            projector.fold(events)
            projector.add()
        self.target.upsert([change for projector, _ in shares for change in projector.changes()])
        for projector, _ in shares:
            self._applied.tasks |= projector.tasks()

    def _by_halves(self, projector: Projector, events: Sequence[Event]) -> None:
        """All at once; if that fails, by halves, down to the event that cannot be applied."""
        try:
            with transaction.atomic(using=self.target.using):
                self._at_once([(projector, events)])
        except TROUBLES:
            raise
        except Exception as error:  # for any error, one of these events is the cause
            projector.forget()
            if len(events) == 1:
                if (mild := fit_to_columns(events[0])) is not None:
                    log.warning("an event holds what no column does: it is shown as the nearest", id=mild.id)
                    self._by_halves(projector, [mild])
                    return
                self._poison(projector, events[0], f"{type(error).__name__}: {error}")
                return
            half = len(events) // 2
            for part in (events[:half], events[half:]):
                if free := self._free(projector, part):
                    self._by_halves(projector, free)

    def _free(self, projector: Projector, events: Sequence[Event | BrokenEvent]) -> Sequence[Event]:
        """Return the events that wait for nothing; store the others as waiting."""
        held_streams = self._held_streams[projector.name]
        if not held_streams:
            return cast("Sequence[Event]", events)  # a broken event would be held
        free_events: list[Event] = []
        waiting_events: list[Event | BrokenEvent] = []
        for event in events:
            waits = held_streams.get(event.stream, event.position) < event.position
            if not waits and isinstance(event, Event):
                waits = any(
                    held_streams.get(stream, event.position) < event.position for stream in projector.needs(event)
                )
            if waits:
                held_streams.setdefault(event.stream, event.position)
                waiting_events.append(event)
            else:
                assert isinstance(event, Event)
                free_events.append(event)
        self._wait(projector, waiting_events)
        return free_events

    def _wait(self, projector: Projector, events: Sequence[Event | BrokenEvent]) -> None:
        name = self.name(projector)
        rows = [
            (f"{name}/{event.position}", name, event.position, event.stream, _filed(event), event.raw)
            for event in events
        ]
        WriteTarget(self.target.using).insert(WaitingEvent, rows)

    def _poison(self, projector: Projector, event: Event | BrokenEvent, error: str) -> None:
        """Put an event aside. Raises TooMuchPoison where that is more than an accident."""
        self._aside[projector.name] += 1
        self._applied.poisoned += 1
        if self._aside[projector.name] > self.poison_max:
            raise TooMuchPoison(
                f"more than {self.poison_max} events cannot be applied to {projector.name!r}; the last is "
                f"{_filed(event)} at {event.position} in {event.stream}: {error[:500]}"
            )
        name = self.name(projector)
        self._held_streams[projector.name].setdefault(event.stream, event.position)
        clean = error[:2_000].replace("\x00", "?")
        row = (f"{name}/{event.position}", name, event.position, event.stream, _filed(event), clean, event.raw)
        WriteTarget(self.target.using).insert(PoisonedEvent, [row])

    def release(self, projector: Projector) -> int:
        """Replay the quarantined events after a fix, quarantine failing ones again, and return the number applied."""
        name, using = self.name(projector), self.target.using
        with transaction.atomic(using=using):
            # The reader's row is the lock; a new generation makes a running projector load again.
            reader = self._readers[projector.name]
            rows = Reader.objects.using(using).filter(projection=name, generation=reader.generation)
            if not rows.update(generation=reader.generation + 1):
                raise ReaderMoved(f"the reader {name} was changed by somebody else")
            aside = _put_aside(using, name)
            PoisonedEvent.objects.using(using).filter(projection=name).delete()
            WaitingEvent.objects.using(using).filter(projection=name).delete()
            self._held_streams[projector.name], self._aside[projector.name] = {}, 0
            self._applied = BatchResult()
            projector.forget()
            self._by_halves(projector, self._sift(projector, decode(aside)))
            left = len(_put_aside(using, name))
        self.load()
        return len(aside) - left

    @property
    def last(self) -> BatchResult:
        """Return the result of the last `apply` or `release`."""
        return self._applied


def _place(reader: Reader) -> ReaderPlace:
    return ReaderPlace(*(getattr(reader, name) for name in PLACE))


def _store_position(reader: Reader, place: ReaderPlace) -> None:
    for name, value in msgspec.structs.asdict(place).items():
        setattr(reader, name, value)


def _filed(event: Event | BrokenEvent) -> str:
    return event.filed if isinstance(event, Event) else event.type


class AsideRecord(msgspec.Struct, frozen=True):
    """A record that was quarantined."""

    position: int
    stream: str
    type: str
    raw: bytes


def _put_aside(using: str, name: str) -> list[AsideRecord]:
    put_aside = [
        AsideRecord(row.position, row.stream, row.type, bytes(row.raw))
        for model in (PoisonedEvent, WaitingEvent)
        for row in model._default_manager.using(using).filter(projection=name)
    ]
    return sorted(put_aside, key=lambda row: row.position)


def _by_disclosure(events: Iterable[Event | BrokenEvent]) -> dict[bool, list[Event | BrokenEvent]]:
    """Return the events of restricted kinds (True), and all others (False)."""
    parts: dict[bool, list[Event | BrokenEvent]] = {False: [], True: []}
    for event in events:
        parts[stream_kind_declaration.is_restricted(event.stream)].append(event)
    return parts


def _records_after(records: Iterable[Record], position: int) -> list[Record]:
    """Return the records beyond a position, each once: duplicates on the topic are skipped."""
    newer = []
    for record in records:
        if record.position > position:
            newer.append(record)
            position = record.position
    return newer
