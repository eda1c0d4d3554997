"""Places in the store as people enter them: a position, or a time."""

from datetime import UTC, datetime

import msgspec

from events.error_codes import coded
from events.errors import Invalid
from events.store import EventReader

CHUNK = 5_000  # positions read at a time


class _EventRecordingTime(msgspec.Struct):
    """The fields that are read of an event."""

    recordedat: str


_moment = msgspec.json.Decoder(_EventRecordingTime)


def position_of(history: EventReader, text: str) -> int:
    """Return a position, or the last one recorded by a time (ISO 8601, UTC without a zone). Raises Invalid."""
    last = history.position()
    if text.isascii() and text.isdigit():
        if not 1 <= int(text) <= last:
            raise Invalid("as_of", coded("position-range", last=last))
        return int(text)
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        raise Invalid("as_of", coded("position-or-time")) from error
    return recorded_by(history, time if time.tzinfo is not None else time.replace(tzinfo=UTC))


def recorded_by(history: EventReader, time: datetime) -> int:
    """Return the last position recorded by then; 0 if nothing was.

    Reads backwards from the end: after a clock was set back, times of recording do not go up with the positions.
    """
    last = history.position()
    while last > 0:
        events = history.after(max(0, last - CHUNK), CHUNK, until=last)
        for stored in reversed(events):
            if datetime.fromisoformat(_moment.decode(stored.raw).recordedat) <= time:
                return stored.position
        last = max(0, last - CHUNK)
    return 0
