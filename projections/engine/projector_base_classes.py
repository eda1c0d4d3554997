"""Base classes of projectors: merge events into rows in memory, and write each changed row once."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from django.db import models

from projections.engine.bulk_writer import Changes, WriteTarget
from projections.engine.decoded_events import Event, read_as
from projections.engine.row_cache_for_batches import RowCache
from projections.engine.worker_task_sending_after_batch import WorkerTask


class Projector(ABC):
    """Base of a read model. Loading, folding and writing are in the transaction that moves the reader, and repeatable.

    `version` increases with every change of an event's effect on the rows: a rebuild is then necessary.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    models: ClassVar[tuple[type[models.Model], ...]]
    # The log is filled before it gets its indexes; the others need their keys from the start.
    indexes_last: ClassVar[bool] = False
    # Whether it is shown the events of restricted kinds, which are on their own pages only.
    takes_restricted: ClassVar[bool] = False

    def __init__(self, target: WriteTarget) -> None:
        self.target = target
        # The types of events that it takes; others are neither shown to it nor quarantined for it. None: all.
        self.takes: Collection[str] | None = None

    def load(self, events: Sequence[Event]) -> None:  # noqa: B027 - a projector without queries loads no rows
        """Load, with few queries, the rows that the following `fold` of these events needs."""

    @abstractmethod
    def fold(self, events: Sequence[Event]) -> None:
        """Merge events, in order of position. Any error means: one of these events cannot be applied."""

    def add(self) -> None:  # noqa: B027 - nearly all change their rows
        """Write the rows that `fold` has made and that nothing ever changes: the database has that to do meanwhile."""

    def changes(self) -> Sequence[Changes]:
        """Return the whole rows changed by `fold`; the caller writes them, together with those of other projectors."""
        return ()

    @abstractmethod
    def forget(self) -> None:
        """Drop the cached state: the transaction was rolled back, or another process wrote."""

    def uses(self, filed: str) -> bool:
        """Return whether an event filed under this type may change a row. An unknown type may, and waits."""
        current = read_as(filed)
        return self.takes is None or current is None or current in self.takes

    def needs(self, event: Event) -> Sequence[str]:
        """Return further streams whose quarantined events this event must wait for."""
        return ()

    def tasks(self) -> set[WorkerTask]:
        """Return the tasks that follow from the events folded since the last call."""
        return set()


Handler: TypeAlias = Callable[[Event, Any], None]


class ProjectorPart:
    """Related rows and their handlers. A part that needs another's rows gets that part."""

    def __init__(self, *rows: RowCache[Any]) -> None:
        self.rows = rows

    def handlers(self) -> Mapping[Any, Handler]:
        """Return the handlers by event type (its Struct), which change rows by the event and its data."""
        return {}

    def load(self, events: Sequence[Event]) -> None:
        """Load, with few queries, the rows that the handlers of these events need."""

    def forget(self) -> None:
        """Drop the state that is cached in addition to the rows."""


class Composed(Projector):
    """A projector of parts. No two parts handle the same type, so an event has one handler."""

    def __init__(self, target: WriteTarget) -> None:
        super().__init__(target)
        self._parts = tuple(self.parts(target))
        self._rows = tuple(rows for part in self._parts for rows in part.rows)
        pairs = [(kind.TYPE, handler) for part in self._parts for kind, handler in part.handlers().items()]
        self._handlers = dict(pairs)
        assert len(self._handlers) == len(pairs)
        self.takes = self._handlers

    @abstractmethod
    def parts(self, target: WriteTarget) -> Iterable[ProjectorPart]:
        """All parts, in the order in which their rows are written."""

    def load(self, events: Sequence[Event]) -> None:
        taken = [event for event in events if event.type in self._handlers]
        for part in self._parts:
            part.load(taken)

    def fold(self, events: Sequence[Event]) -> None:
        for event in events:
            if (handler := self._handlers.get(event.type)) is not None:
                handler(event, event.data)

    def changes(self) -> Sequence[Changes]:
        return [rows.changes() for rows in self._rows]

    def forget(self) -> None:
        for rows in self._rows:
            rows.forget()
        for part in self._parts:
            part.forget()
