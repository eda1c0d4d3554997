"""Places in the store as people say them: a position, or a time."""

from datetime import UTC, datetime

from events import catalogue
from events.errors import Invalid
from events.store import Past


def position_of(past: Past, said: str) -> int:
    """A position, or the last one recorded by a time (ISO 8601, UTC where it says nothing). Raises Invalid."""
    last = past.position()
    if said.isascii() and said.isdigit():
        if not 1 <= int(said) <= last:
            raise Invalid("as_of", f"a position from 1 to {last}")
        return int(said)
    try:
        time = datetime.fromisoformat(said)
    except ValueError as error:
        raise Invalid("as_of", "a position, or a time as 2026-11-20T23:00:00Z") from error
    return recorded_by(past, time if time.tzinfo is not None else time.replace(tzinfo=UTC))


def recorded_by(past: Past, time: datetime) -> int:
    """The last position recorded by then; 0: nothing was yet. Times of recording go up with the positions."""
    low, high = 0, past.position()
    while low < high:
        middle = (low + high + 1) // 2
        [stored] = past.after(middle - 1, 1)
        if datetime.fromisoformat(catalogue.decode(stored.type, stored.raw).recordedat) <= time:
            low = stored.position
        else:
            high = middle - 1
    return low
