"""A projector that is put together of parts: each has some of the rows, and handles some of the events."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from projections.engine.batch_rows import RowCache
from projections.engine.bulk_writer import Changes, Target
from projections.engine.decoded_events import Event
from projections.engine.projector_base_class import Projector

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

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._parts = tuple(self.parts(target))
        self._rows = tuple(rows for part in self._parts for rows in part.rows)
        pairs = [(kind.TYPE, handler) for part in self._parts for kind, handler in part.handlers().items()]
        self._handlers = dict(pairs)
        assert len(self._handlers) == len(pairs)
        self.takes = self._handlers

    @abstractmethod
    def parts(self, target: Target) -> Iterable[ProjectorPart]:
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
