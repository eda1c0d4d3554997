"""A projection built again from the store, beside the live one, and switched in with one transaction.

The copy reads what the live one has read, is compared with it at the same position, and takes its place with its
poison and its reader. The same version must be equal; another version's difference needs somebody's word. A rebuild
sends no tasks.
"""

import time
from collections.abc import Callable, Sequence

import msgspec
from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Replace

from events.collector import seldom_collected
from events.errors import Conflict
from events.store import EventStore
from events.store.copy import chunks
from projections.apply import POISON_MAX, Applier
from projections.copies import SUFFIX, Copy, Difference
from projections.models import PoisonedEvent, Reader, WaitingEvent
from projections.projector import Projector
from projections.target import Target

CHUNK = 20_000  # events a transaction
PART = 2_000  # merged at once, each changed row written once: many more do not stay in the processor's cache
# The last events before the switch are read while the live projector waits.
NEAR = 1_000


class Differs(Conflict):
    """The rebuilt read model is not the live one; `differences` shows a sample of how."""

    def __init__(self, message: str, differences: Sequence[Difference]) -> None:
        super().__init__(message)
        self.differences = differences


class Progress(msgspec.Struct, frozen=True):
    """How far a rebuild is: position reached of the position aimed at, events so far, seconds."""

    name: str
    position: int
    aim: int
    events: int
    seconds: float
    doing: str = "reading"


class Rebuilt(msgspec.Struct, frozen=True):
    """What a rebuild did. `differences` are those that were approved."""

    name: str
    position: int
    events: int
    poisoned: int
    seconds: float
    rows: dict[str, int]
    differences: list[Difference]


Tell = Callable[[Progress], None]


class Rebuild:
    """One projection's rebuild. `run` once."""

    def __init__(
        self,
        kind: type[Projector],
        store: EventStore,
        property_: str,
        *,
        using: str = "default",
        tell: Tell = lambda progress: None,
        poison_max: int = POISON_MAX,
    ) -> None:
        self._kind = kind
        self._store = store
        self._using = using
        self._tell = tell
        self._copies = [Copy(model, using) for model in kind.models]
        self._applier = Applier([kind(Target(using, SUFFIX))], property_, poison_max=poison_max)
        self._started = time.monotonic()
        self._events = 0
        self._poisoned = 0

    def run(self, *, approve: bool = False) -> Rebuilt:
        """Build, compare, switch. Raises Differs (nothing was switched) unless the difference is approved."""
        with seldom_collected():
            return self._run(approve=approve)

    def _run(self, *, approve: bool) -> Rebuilt:
        self._clear()
        for copy in self._copies:
            copy.create(indexed=not self._kind.indexes_last)
        try:
            self._applier.load()
            self._read(until=self._live_position() or self._store.position())
            if self._kind.indexes_last:
                self._say("indexing", self._applier.position)
                for copy in self._copies:
                    copy.index()
            while (aim := self._live_position()) - self._applier.position > NEAR:
                self._read(until=aim)
            return self._switch(approve=approve)
        except BaseException:
            self._clear()
            raise

    def _live_position(self) -> int:
        found = Reader.objects.using(self._using).filter(projection=self._kind.name).first()
        return found.position if found else 0

    def _say(self, doing: str, aim: int) -> None:
        seconds = time.monotonic() - self._started
        self._tell(Progress(self._kind.name, self._applier.position, aim, self._events, seconds, doing))

    def _read(self, until: int) -> None:
        """Everything from the store up to a position, a chunk a transaction."""
        for chunk in chunks(self._store, self._applier.position, until, CHUNK):
            with transaction.atomic(using=self._using):
                for first in range(0, len(chunk), PART):
                    self._poisoned += self._applier.apply(chunk[first : first + PART]).poisoned
            self._events += len(chunk)
            self._say("reading", until)

    def _switch(self, *, approve: bool) -> Rebuilt:
        name = self._kind.name
        readers = Reader.objects.using(self._using)
        with transaction.atomic(using=self._using):
            live = self._lock_live()
            self._read(until=live.position or self._store.position())
            self._say("comparing", self._applier.position)
            differences = self._compare(live, approve=approve)
            rows = {copy.model.__name__: copy.count()[1] for copy in self._copies}
            for copy in self._copies:
                copy.switch()
            for model in (PoisonedEvent, WaitingEvent):
                _rename_aside(model, self._using, name)
            readers.filter(projection=name).update(
                version=self._kind.version,
                generation=live.generation + 1,
                position=max(live.position, self._applier.position),
            )
            readers.filter(projection=name + SUFFIX).delete()
        seconds = time.monotonic() - self._started
        return Rebuilt(name, self._applier.position, self._events, self._poisoned, seconds, rows, differences)

    def _lock_live(self) -> Reader:
        """The live reader, locked: its projector waits until the switch is done."""
        readers = Reader.objects.using(self._using)
        name, version = self._kind.name, self._kind.version
        if not readers.filter(projection=name).update(projection=name):
            readers.create(projection=name, version=version, property=self._applier.property)
        return readers.get(projection=name)

    def _compare(self, live: Reader, *, approve: bool) -> list[Difference]:
        """Raises Differs unless both are the same, or somebody said that the difference is right."""
        if live.position == 0:
            return []
        found = [difference for copy in self._copies for difference in copy.differences()]
        if found and not approve:
            same = live.version == self._kind.version
            why = "although both are of the same version" if same else f"made by version {live.version}"
            raise Differs(
                f"the rebuilt {self._kind.name} (version {self._kind.version}) differs from the live one, {why}; "
                "nothing was switched. If the rebuilt one is right: --approve",
                found,
            )
        return found

    def _clear(self) -> None:
        """Remove what a rebuild that did not end left behind."""
        for copy in self._copies:
            copy.drop()
        copied = self._kind.name + SUFFIX
        for model in (Reader, PoisonedEvent, WaitingEvent):
            model._default_manager.using(self._using).filter(projection=copied).delete()


def _rename_aside(model: type[PoisonedEvent] | type[WaitingEvent], using: str, name: str) -> None:
    """What the copy put aside becomes what the live one put aside."""
    rows = model._default_manager.using(using)
    rows.filter(projection=name).delete()
    renamed = Replace("id", Value(f"{name}{SUFFIX}/"), Value(f"{name}/"))
    rows.filter(projection=name + SUFFIX).update(projection=name, id=renamed)
