"""Dependencies of an event of a closed day: an amendment takes an event only with the earlier ones that it depends on.

Events about one bet, box, slip or hit have one order, in any stream; an explanation depends on its discrepancy. Events
that came with another one and move no figure of their own - a request, a counter's entry, a discrepancy - may be named
or not.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from events import catalogue
from events.accounting import fill_and_credit_slip_states
from events.accounting.event_types.soft_count import CountDiffered, CountEntered, CountSettled, DiscrepancyExplained
from events.controls.discrepancy_event_and_severity import DiscrepancyFound
from events.envelope import AnyEnvelope
from events.people import approval_request_lifecycle
from events.store import EventReader, Stored, everything
from events.tables.event_types.counts import DropPut
from events.tables.event_types.money import DropRemoved
from events.tables.event_types.progressive import HitDeclared, HitDeclaredLate
from events.tables.event_types.session import IrregularityRecorded

_PAGE = 50  # events of a stream read at a time
_INDEPENDENT_TYPES: tuple[type[Any], ...] = (
    *approval_request_lifecycle.EVENTS,
    DiscrepancyFound,
    CountEntered,
    CountDiffered,
    IrregularityRecorded,
)
_ELSEWHERE: tuple[type[Any], ...] = (
    *fill_and_credit_slip_states.TYPES,
    DropPut,
    DropRemoved,
    CountSettled,
    HitDeclared,
    HitDeclaredLate,
    DiscrepancyFound,
)
_OTHER_STREAMS = tuple(sorted({shape.TYPE for shape in _ELSEWHERE}))


def missing(history: EventReader, named: Iterable[Stored], until: int) -> str | None:
    """An event that one of those named rests on, which came after the close (`until`) and was not named; None: there is
    none."""
    events = {stored.position: _read(stored) for stored in named}
    elsewhere = [
        (stored.position, _read(stored)) for stored in _events_since(history, until, max(events, default=until))
    ]
    for position, event in events.items():
        before = [(at, earlier) for at, earlier in elsewhere if at < position]
        for at, earlier in [*before, *_of_stream(history, event, until)]:
            if at not in events and _carries(earlier, event):
                return earlier.id
    return None


def _read(stored: Stored) -> AnyEnvelope:
    return catalogue.decode(stored.type, stored.raw)


def _events_since(history: EventReader, until: int, last: int) -> Iterator[Stored]:
    """Yield the events after the close that an event of another stream may rest on."""
    return everything(history, until, types=_OTHER_STREAMS, until=last)


def _carries(earlier: AnyEnvelope, event: AnyEnvelope) -> bool:
    """Return whether an event rests on an earlier one."""
    if isinstance(event.data, DiscrepancyExplained):
        return earlier.id == event.data.discrepancy
    about = _event_subject(event)
    return about is not None and not isinstance(earlier.data, _INDEPENDENT_TYPES) and _event_subject(earlier) == about


def _event_subject(event: AnyEnvelope) -> str | None:
    """Return the subject of an event: its box (known by table and day in any stream), bet, slip or hit.

    A round alone is not a subject.
    """
    data: Any = event.data
    if (box := getattr(data, "drop_box", None)) is not None:
        return f"{data.table}/{data.gaming_day}/{box}"
    if (bet := getattr(data, "bet", None)) is not None:
        return f"{event.subject}/{bet}"
    correlation = event.correlation
    return correlation if isinstance(correlation, str) and "#" not in correlation else None


def _of_stream(history: EventReader, event: AnyEnvelope, until: int) -> Iterator[tuple[int, AnyEnvelope]]:
    """The events of its own stream between the close and this one, the last first."""
    version = int(event.id.rpartition("@")[2])
    while version > 1:
        first = max(0, version - 1 - _PAGE)
        page = history.stream(event.subject, first, version - 1 - first)
        late = [stored for stored in page if stored.position > until]
        yield from ((stored.position, _read(stored)) for stored in reversed(late))
        if len(late) < len(page):
            return
        version = first + 1
