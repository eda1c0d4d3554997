"""The projector of the event log: every event becomes one row, with its search fields in columns."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import lru_cache
from operator import attrgetter, itemgetter
from typing import Any, TypeAlias

import msgspec

from events.accounting.event_types.cage import IrregularityFound
from events.tables.event_types.session import IrregularityRecorded
from projections.engine.bulk_writer import WriteTarget
from projections.engine.decoded_events import Event
from projections.engine.projector_base_classes import Projector
from projections.eventlog import VERSION
from projections.eventlog.due_amounts import due_reader
from projections.eventlog.models import WORDS_MAX, EventLog, EventWord
from projections.eventlog.search_filter_vocabulary import OF_DATA
from projections.eventlog.text_folding import WRITTEN, folded_words, of_kind, texts

# The part of `data` that has columns, in the model's order.
SEARCHED = tuple(column.name for column in OF_DATA)
_AMOUNT = SEARCHED.index("amount_minor")

Pick: TypeAlias = Callable[[Any], Sequence[Any]]
FindWords: TypeAlias = Callable[[Any], set[str]]


def _picker(kind: type[Any]) -> Pick:
    """Return a function that takes the searched fields out of a Struct of this type, None for a missing value."""
    present = [name for name in SEARCHED if name in kind.__struct_fields__]
    if not present:
        nothing = (None,) * (len(SEARCHED) + 1)
        return lambda data: nothing
    # The first one twice: for a single name `attrgetter` would give no tuple. Missing values come last.
    get = attrgetter(present[0], *present)
    arrange = itemgetter(*(present.index(name) + 1 if name in present else -1 for name in SEARCHED))
    unsaid = _empty_values(kind, present)
    due = due_reader(kind) or _no_due

    def pick(data: Any) -> Sequence[Any]:
        row: tuple[Any, ...] = (*arrange((*get(data), None)), due(data))
        if all(row[at] != value for at, value in unsaid):
            return row
        return tuple(None if (at, value) in unsaid else value for at, value in enumerate(row))

    return pick


def _no_due(data: Any) -> None:
    return None


def _empty_values(kind: type[Any], present: Sequence[str]) -> list[tuple[int, Any]]:
    """Return the values that carry no information: an amount of 0, and defaults left out of an event's bytes."""
    usual = {field.name: field.default for field in msgspec.structs.fields(kind) if not field.required}
    empty_values = [(SEARCHED.index(name), usual[name]) for name in present if usual.get(name) is not None]
    return [*dict.fromkeys([*empty_values, (_AMOUNT, 0)])]


def _word_finder(kind: type[Any]) -> FindWords | None:
    """A function that finds the words in a Struct of this type; None for a type in which no one writes any."""
    names = [name for name in WRITTEN if name in kind.__struct_fields__]
    if kind in (IrregularityRecorded, IrregularityFound):
        return lambda data: {*_event_words(data, names), *of_kind(data.kind)}
    return (lambda data: _event_words(data, names)) if names else None


def _event_words(data: Any, names: Sequence[str]) -> set[str]:
    contents = (getattr(data, name) for name in names)
    return {word for value in contents for text in texts(value) for word in folded_words(text)}


class EventLogProjector(Projector):
    """The event log. Columns that an event has nothing for are NULL and take no room in the indexes."""

    name = "eventlog"
    version = VERSION
    models = (EventLog, EventWord)
    indexes_last = True

    def __init__(self, target: WriteTarget) -> None:
        super().__init__(target)
        self._pickers: dict[type[Any], tuple[Pick, FindWords | None]] = {}
        self._rows: list[tuple[Any, ...]] = []
        self._words: list[tuple[int, str, int]] = []

    def fold(self, events: Sequence[Event]) -> None:
        pickers = self._pickers
        when = _moment if self.target.is_postgres else _sqlite_time
        for event in events:
            envelope, data = event.envelope, event.data
            picker = pickers.get(type(data))
            if picker is None:
                picker = pickers[type(data)] = (_picker(type(data)), _word_finder(type(data)))
            pick, say = picker
            if say is not None:
                self._say(event.position, say(data))
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

    def _say(self, position: int, words: set[str]) -> None:
        first_words = sorted(words)[:WORDS_MAX]
        self._words += [(position * WORDS_MAX + at, word, position) for at, word in enumerate(first_words)]

    def add(self) -> None:
        rows, self._rows = self._rows, []
        word_rows, self._words = self._words, []
        self.target.insert(EventLog, rows)
        self.target.insert(EventWord, word_rows)

    def forget(self) -> None:
        self._rows.clear()
        self._words.clear()


@lru_cache(maxsize=1_000)  # events recorded together have the same value
def _moment(text: str) -> datetime:
    """Return the moment of an ISO 8601 text. Raises ValueError for any other text, or one without a zone."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone")
    return moment


def _sqlite_time(text: str) -> str:
    """Return a time as Django writes it into SQLite: UTC without a zone, microseconds where there are any."""
    moment = _moment(text)
    offset = moment.utcoffset()
    if offset:
        moment -= offset
    return str(moment.replace(tzinfo=None))
