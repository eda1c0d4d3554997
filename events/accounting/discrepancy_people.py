"""The people of a discrepancy: those named by its event, and those who handled its slip or its box.

They may not explain it, and may not agree to leave it unexplained.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from events import catalogue
from events.accounting.event_types.cage import CreditReceived, SlipVoided
from events.accounting.event_types.soft_count import CountDiffered, CountEntered, CountSettled
from events.controls.slip_issued_event import SlipIssued, name_of
from events.envelope import AnyEnvelope
from events.people.event_people import people_of_all
from events.store import EventReader
from events.tables.event_types.counts import DropPut
from events.tables.event_types.money import (
    CreditRequested,
    CreditSent,
    DropCounted,
    DropRemoved,
    FillReceived,
    FillRequested,
)

_OF_BOXES = (DropPut, DropRemoved, DropCounted, CountEntered, CountDiffered, CountSettled)
_OF_SLIPS = (SlipIssued, FillReceived, CreditSent, CreditReceived, SlipVoided)
_ASKING = (FillRequested, CreditRequested)
_TYPES = frozenset(shape.TYPE for shape in (*_OF_BOXES, *_OF_SLIPS, *_ASKING))


def people_of_discrepancies(history: EventReader, discrepancies: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the people of each discrepancy, by its event's id; no one where there is no such event.

    Each stream that is concerned (a table's day, the cage's, the count room's) is read once.
    """
    days: dict[str, list[AnyEnvelope]] = {}
    return {id_: _people(history, id_, days) for id_ in discrepancies}


def _people(history: EventReader, discrepancy: str, days: dict[str, list[AnyEnvelope]]) -> frozenset[str]:
    stream, _, version = discrepancy.rpartition("@")
    if not stream or not version.isdecimal() or int(version) < 1:
        return frozenset()
    stored = history.stream(stream, int(version) - 1, 1)
    if not stored:
        return frozenset()
    discrepancy_event = catalogue.decode(stored[0].type, stored[0].raw)
    return people_of_all([discrepancy_event, *_related_events(history, discrepancy_event, days)])


def _related_events(
    history: EventReader, discrepancy: AnyEnvelope, days: dict[str, list[AnyEnvelope]]
) -> Iterator[AnyEnvelope]:
    """The events of the slip or the box in which the difference was found."""
    box, slip = getattr(discrepancy.data, "drop_box", None), getattr(discrepancy.data, "slip", None)
    if box is None and slip is None:
        return
    requests: set[str] = set()
    for event in _of_day(history, discrepancy, days):
        if (
            box is not None
            and getattr(event.data, "drop_box", None) == box
            and event.data.table == discrepancy.data.table
        ):
            yield event
        elif slip is not None and isinstance(event.data, _OF_SLIPS) and _slip(event.data) == slip:
            requests.add(getattr(event.data, "request", ""))
            yield event
    yield from (event for event in _of_day(history, discrepancy, days) if _request(event.data) in requests)


def _of_day(
    history: EventReader, discrepancy: AnyEnvelope, days: dict[str, list[AnyEnvelope]]
) -> Iterator[AnyEnvelope]:
    """Yield the events of slips and boxes of the gaming day, at the table, in the cage and in the count room."""
    property_, day = discrepancy.source, discrepancy.data.gaming_day
    streams = [f"{property_}/cage/{day}", f"{property_}/days/{day}"]
    if discrepancy.data.table:
        streams.append(f"{property_}/tables/{discrepancy.data.table}/{day}")
    for stream in streams:
        if stream not in days:
            stored = (stored_event for stored_event in history.stream(stream) if stored_event.type in _TYPES)
            days[stream] = [catalogue.decode(stored_event.type, stored_event.raw) for stored_event in stored]
        yield from days[stream]


def _slip(data: Any) -> str:
    """The slip's name: "fill-2026-12"."""
    kind = getattr(data, "kind", None) or ("fill" if isinstance(data, FillReceived) else "credit")
    return name_of(kind, data.year, data.slip)


def _request(data: Any) -> str | None:
    return data.request if isinstance(data, _ASKING) else None
