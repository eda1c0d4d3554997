"""Projections built again from the store, as copies of the live ones, and switched in with one transaction.

A copy reads up to the live one's position, is compared with it there, and takes over its quarantined events and its
reader. The same version must be equal; another version's difference needs a person's approval. Several are built in one
pass over the store, each event decoded once. A rebuild sends no tasks.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec
from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Replace

from events.errors import Conflict
from events.runtime.garbage_collection import seldom_collected
from events.store import EventReader, EventStore, Stored
from projections.engine.batch_applier import PLACE, POISON_MAX, Applier
from projections.engine.bulk_writer import WriteTarget
from projections.engine.models import PoisonedEvent, Reader, WaitingEvent
from projections.engine.projector_base_classes import Projector
from projections.engine.same_store_check_by_digest import holds, why_not
from projections.engine.table_copies import SUFFIX, Copy, RowDifference

CHUNK = 20_000  # events a transaction
PART = 2_000  # merged at once, each changed row written once: many more do not stay in the processor's cache
# The last events before the switch are read while the live projector waits.
NEAR = 1_000


class RebuildDiffers(Conflict):
    """The rebuilt read model is not the live one; `differences` shows a sample of how."""

    def __init__(self, message: str, differences: Sequence[RowDifference]) -> None:
        super().__init__(message)
        self.differences = differences


class RebuildProgress(msgspec.Struct, frozen=True):
    """Progress of a rebuild: position reached, position aimed at, events so far, seconds."""

    name: str
    position: int
    aim: int
    events: int
    seconds: float
    doing: str = "reading"


class RebuildResult(msgspec.Struct, frozen=True):
    """Result of a rebuilt projection. `differences` are those that were approved."""

    name: str
    position: int
    events: int
    poisoned: int
    seconds: float
    rows: dict[str, int]
    differences: list[RowDifference]


Tell = Callable[[RebuildProgress], None]
Live = Mapping[type[Projector], Reader]


class Rebuild:
    """The rebuild of some projections, all in one pass over the store. `run` once."""

    def __init__(
        self,
        kinds: Sequence[type[Projector]],
        store: EventStore,
        property_: str,
        *,
        using: str = "default",
        tell: Tell = lambda progress: None,
        poison_max: int = POISON_MAX,
        suffix: str = SUFFIX,
    ) -> None:
        self._store = store
        self._using = using
        self._tell = tell
        self._copies = {kind: [Copy(model, using, suffix) for model in kind.models] for kind in kinds}
        self._suffix = suffix
        copies = [kind(WriteTarget(using, suffix)) for kind in kinds]
        self._applier = Applier(copies, property_, poison_max=poison_max)
        self._started = time.monotonic()
        self._events = 0
        self._new_projectors: set[type[Projector]] = set()  # those without read events: no rows to compare

    def run(self, *, approve: bool = False) -> list[RebuildResult]:
        """Build, compare, switch. Raises RebuildDiffers (nothing was switched) unless the difference is approved."""
        with seldom_collected():
            return self._run(approve=approve)

    def check(self) -> dict[str, list[RowDifference]]:
        """Build and compare without switching; return the differences by name of the projection."""
        with seldom_collected():
            try:
                self._build()
                with transaction.atomic(using=self._using):
                    live = {kind: self._lock_live(kind) for kind in self._copies}
                    differences_of = self._compare(live, approve=True)
            finally:
                self._clear()
        return {kind.name: differences for kind, differences in differences_of.items()}

    def _run(self, *, approve: bool) -> list[RebuildResult]:
        try:
            self._build()
            return self._switch(approve=approve)
        except BaseException:
            self._clear()
            raise

    def _build(self) -> None:
        """The copies, nearly as far as the live ones are."""
        self._clear()
        for kind, copies in self._copies.items():
            for copy in copies:
                copy.create(indexed=not kind.indexes_last)
        self._applier.load()
        places = self._places()
        self._new_projectors = {kind for kind in self._copies if not places.get(kind.name)}
        self._read(until=self._aim() or self._store.position())
        self._index()
        while (aim := self._aim()) - self._applier.position > NEAR and self._read(until=aim):
            pass

    def _places(self) -> dict[str, int]:
        """Return the positions of the live readers."""
        readers = Reader.objects.using(self._using).filter(projection__in=[kind.name for kind in self._copies])
        return dict(readers.values_list("projection", "position"))

    def _aim(self) -> int:
        """Return the position of the slowest live reader among those to compare with; 0 for none.

        Never after the store's end: a reader that is ahead has read events that this store does not hold.
        """
        places = self._places()
        old = [places[kind.name] for kind in self._copies if kind not in self._new_projectors]
        return min([*old, self._store.position()]) if old else 0

    def _say(self, doing: str, aim: int) -> None:
        seconds = time.monotonic() - self._started
        names = ", ".join(kind.name for kind in self._copies)
        self._tell(RebuildProgress(names, self._applier.position, aim, self._events, seconds, doing))

    def _read(self, until: int) -> bool:
        """Read the store up to a position, a chunk a transaction; return whether there was anything."""
        before = self._events
        for chunk in chunks(self._store, self._applier.position, until):
            with transaction.atomic(using=self._using):
                for first in range(0, len(chunk), PART):
                    self._applier.apply(chunk[first : first + PART])
            self._events += len(chunk)
            self._say("reading", until)
        return self._events > before

    def _index(self) -> None:
        for kind, copies in self._copies.items():
            if kind.indexes_last:
                self._say("indexing", self._applier.position)
                for copy in copies:
                    copy.index()

    def _switch(self, *, approve: bool) -> list[RebuildResult]:
        with transaction.atomic(using=self._using):
            live = {kind: self._lock_live(kind) for kind in self._copies}
            differences = self._compare(live, approve=approve)
            return [self._take_place(kind, live[kind], differences[kind]) for kind in self._copies]

    def _lock_live(self, kind: type[Projector]) -> Reader:
        """The live reader, locked: its projector waits until the switch is done."""
        readers = Reader.objects.using(self._using)
        if not readers.filter(projection=kind.name).update(projection=kind.name):
            readers.create(projection=kind.name, version=kind.version, property=self._applier.property)
        return readers.get(projection=kind.name)

    def _compare(self, live: Live, *, approve: bool) -> dict[type[Projector], list[RowDifference]]:
        """Compare each projection at the position of its live reader, the one furthest behind first.

        Raises RebuildDiffers unless they are equal, or a person approved the difference. A read model of another
        history than the store's is never equal.
        """
        differences_of: dict[type[Projector], list[RowDifference]] = {}
        end = self._store.position()
        meets = {
            kind: max(reader.position, end) if kind in self._new_projectors else reader.position
            for kind, reader in live.items()
        }
        for kind in sorted(live, key=lambda kind: meets[kind]):
            self._read(until=meets[kind])
            self._say("comparing", self._applier.position)
            copies = [] if kind in self._new_projectors else self._copies[kind]
            differences_of[kind] = [difference for copy in copies for difference in copy.differences()]
        astray = {kind: why for kind, reader in live.items() if (why := self._astray(reader))}
        unlike = [kind for kind, differences in differences_of.items() if differences or kind in astray]
        if unlike and not approve:
            reasons = ", and ".join(astray.get(kind) or _how_unlike(kind, live[kind]) for kind in unlike)
            raise RebuildDiffers(
                f"{reasons}; nothing was switched. If the rebuilt one is right: --approve",
                [difference for kind in unlike for difference in differences_of[kind]],
            )
        return differences_of

    def _astray(self, live: Reader) -> str:
        """Return why a live reader is not of this house's history; empty where it is."""
        if live.property != self._applier.property:
            return f"the read model {live.projection!r} belongs to {live.property}"
        return "" if holds(self._store, live) else why_not(self._store, live)

    def _take_place(self, kind: type[Projector], live: Reader, differences: list[RowDifference]) -> RebuildResult:
        """Make a copy the live one, with its own quarantined events and place. The live place may be of another
        history.
        """
        rows = {copy.model.__name__: copy.count()[1] for copy in self._copies[kind]}
        for copy in self._copies[kind]:
            copy.switch()
        for model in (PoisonedEvent, WaitingEvent):
            _rename_aside(model, self._using, kind.name)
        readers = Reader.objects.using(self._using)
        place = readers.filter(projection=kind.name + SUFFIX).values(*PLACE).get()
        identity = {"version": kind.version, "property": self._applier.property, "generation": live.generation + 1}
        readers.filter(projection=kind.name).update(**identity, **place)
        readers.filter(projection=kind.name + SUFFIX).delete()
        poisoned = PoisonedEvent.objects.using(self._using).filter(projection=kind.name).count()
        seconds = time.monotonic() - self._started
        return RebuildResult(kind.name, self._applier.position, self._events, poisoned, seconds, rows, differences)

    def _clear(self) -> None:
        """Remove the remains of an unfinished rebuild."""
        for kind, copies in self._copies.items():
            for copy in copies:
                copy.drop()
            for model in (Reader, PoisonedEvent, WaitingEvent):
                model._default_manager.using(self._using).filter(projection=kind.name + self._suffix).delete()


def chunks(store: EventReader, after: int = 0, until: int | None = None, size: int = CHUNK) -> Iterator[list[Stored]]:
    """All events above a position, up to another (or to where the store ends now), `size` at a time.

    While the caller works on a chunk, a thread reads the next one: at most two are in memory.
    """
    last = store.position() if until is None else until
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="store-copy") as ahead:
        coming = ahead.submit(store.after, after, size, (), last)
        while chunk := coming.result():
            coming = ahead.submit(store.after, chunk[-1].position, size, (), last)
            yield chunk


def _how_unlike(kind: type[Projector], live: Reader) -> str:
    same = live.version == kind.version
    why = "although both are of the same version" if same else f"made by version {live.version}"
    return f"the rebuilt {kind.name} (version {kind.version}) differs from the live one, {why}"


def _rename_aside(model: type[PoisonedEvent] | type[WaitingEvent], using: str, name: str) -> None:
    """Give the live projection the quarantined and waiting events of its copy."""
    rows = model._default_manager.using(using)
    rows.filter(projection=name).delete()
    renamed = Replace("id", Value(f"{name}{SUFFIX}/"), Value(f"{name}/"))
    rows.filter(projection=name + SUFFIX).update(projection=name, id=renamed)
