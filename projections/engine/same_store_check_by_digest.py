"""Check that a reader follows the history of this event store.

A store restored from an older backup ends before the reader's position, or continues differently from there. The store
of another house has other events. A reader therefore stores the digest of its last event. No event is applied, rebuilt
as equal or called current before the store is found to have that event, byte for byte.
"""

from collections.abc import Iterable

import msgspec

from events.envelope import digest
from events.errors import Conflict
from events.store import EventReader, Stored
from projections.engine.decoded_events import Record
from projections.engine.models import Reader


class OtherHistory(Conflict):
    """The read models were made of events that this store does not hold: correct the store, or rebuild them."""


class LastEvent(msgspec.Struct, frozen=True):
    """The last event of a batch: its digest in hex, and its own id (its stream, if it has no id)."""

    digest: str
    event: str


class _EventId(msgspec.Struct):
    id: str


_id_decoder = msgspec.json.Decoder(_EventId)


def last_of(record: Record) -> LastEvent:
    """Return the place and digest that a reader stores of the last record of a batch."""
    try:
        event = _id_decoder.decode(record.raw).id
    except (msgspec.DecodeError, UnicodeDecodeError):  # it is quarantined, but it was read
        event = record.stream
    return LastEvent(digest(record.raw).hex(), event)


def holds(store: EventReader, reader: Reader) -> bool:
    """Return whether the store holds the last event that was read; by its place alone without a stored digest."""
    if reader.position == 0:
        return True
    events = store.after(reader.position - 1, 1, until=reader.position)
    return bool(events) and is_last(reader, events[0])


def is_last(reader: Reader, event: Stored) -> bool:
    """Return whether this event, found at the reader's position, is the one that was read there."""
    return reader.digest in ("", digest(event.raw).hex())


def must_hold(store: EventReader, readers: Iterable[Reader]) -> None:
    """Raise OtherHistory for the first reader that is off the store's history, Retry for no answer."""
    for reader in readers:
        if not holds(store, reader):
            raise OtherHistory(
                f"{why_not(store, reader)}: it was restored from an older backup, or is another house's. If this is "
                "the right store: ./manage.py rebuild all --approve"
            )


def why_not(store: EventReader, reader: Reader) -> str:
    """Return the reason for people: the event read, and the store's event at its place."""
    event = reader.event or "its name was not kept"
    read = f"the read model {reader.projection!r} has read event {reader.position} ({event})"
    end = store.position()
    instead = f"which ends at {end}" if end < reader.position else "which has another event there"
    return f"{read}, and this event store, {instead}, does not hold it"
