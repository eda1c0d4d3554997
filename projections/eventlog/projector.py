"""The projector of the event log: every event becomes one row, with what people search for in columns."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import Any, TypeAlias

from projections.engine.events import Event
from projections.engine.projector import Projector
from projections.engine.target import Target
from projections.eventlog.filters import OF_DATA
from projections.eventlog.models import EventLog

# The part of `data` that has columns, in the model's order.
SEARCHED = tuple(one.name for one in OF_DATA)
_AMOUNT = SEARCHED.index("amount_minor")

Pick: TypeAlias = Callable[[Any], Sequence[Any]]


def _picker(kind: type[Any]) -> Pick:
    """A function that takes the searched fields out of a Struct of this type, None where it has no such field."""
    present = [name for name in SEARCHED if name in kind.__struct_fields__]
    if not present:
        nothing = (None,) * len(SEARCHED)
        return lambda data: nothing
    # The first one twice: of a single name `attrgetter` would give no tuple. Behind them stands what is not there.
    get = attrgetter(present[0], *present)
    arrange = itemgetter(*(present.index(name) + 1 if name in present else -1 for name in SEARCHED))

    def pick(data: Any) -> Sequence[Any]:
        row: tuple[Any, ...] = arrange((*get(data), None))
        if row[_AMOUNT] or row[_AMOUNT] is None:
            return row
        return (*row[:_AMOUNT], None, *row[_AMOUNT + 1 :])  # 0 is "no money", in every event that has the field

    return pick


class Log(Projector):
    """The event log. Columns that an event has nothing for are NULL and take no room in the indexes."""

    name = "eventlog"
    version = 1
    models = (EventLog,)
    indexes_last = True

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._pickers: dict[type[Any], Pick] = {}
        self._rows: list[tuple[Any, ...]] = []

    def fold(self, events: Sequence[Event]) -> None:
        pickers = self._pickers
        when = _moment if self.target.is_postgres else _sqlite_time
        for event in events:
            envelope, data = event.envelope, event.data
            pick = pickers.get(type(data))
            if pick is None:
                pick = pickers[type(data)] = _picker(type(data))
            self._rows.append(
                (
                    event.position,
                    event.stream,
                    event.version,
                    event.filed,
                    when(envelope.time),
                    when(envelope.recordedat),
                    *pick(data),
                    envelope.actor,
                    envelope.actorrole,
                    envelope.actordevice or None,
                    envelope.correlation or None,
                    envelope.causation or None,
                    event.raw,
                )
            )

    def flush(self) -> None:
        rows, self._rows = self._rows, []
        self.target.insert(EventLog, rows)

    def forget(self) -> None:
        self._rows.clear()


@lru_cache(maxsize=1_000)  # what was recorded together says the same
def _moment(text: str) -> datetime:
    """The moment that an event writes as ISO 8601. Raises ValueError where it is none, or has no zone."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone")
    return moment


def _sqlite_time(text: str) -> str:
    """What Django writes into SQLite: UTC without a zone, microseconds where there are any."""
    moment = _moment(text)
    offset = moment.utcoffset()
    if offset:
        moment -= offset
    return str(moment.replace(tzinfo=None))
