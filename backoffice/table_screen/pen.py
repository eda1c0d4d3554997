"""The pen of a table: the device that recorded last.

Entries that another device recorded offline meanwhile are sent only after its people confirm them.
"""

from collections.abc import Sequence

import msgspec

from backoffice.models import QueueEntry, TableDevice
from backoffice.table_screen import entry_chain
from backoffice.table_screen.entry_chain import Entry, SignedEntry
from backoffice.table_screen.entry_queue import Clock
from events.error_codes import coded
from events.errors import Conflict, Invalid
from events.runtime import clock


class Pen(msgspec.Struct, frozen=True):
    """The device that recorded last at the table."""

    device: str
    at: str
    is_here: bool


class PenElsewhere(Conflict):
    """Another device recorded at this table while this one was offline."""

    def __init__(self, pen: Pen) -> None:
        super().__init__(coded("pen-elsewhere", device=pen.device, at=pen.at))
        self.pen = pen


def pen_of(device: TableDevice) -> Pen | None:
    """Return the device that recorded last at a table, as seen from this device."""
    row = _last(device.table)
    return None if row is None else Pen(row.device_id, clock.written(row.received_at), row.device_id == device.pk)


def require(device: TableDevice, sent: Sequence[SignedEntry], device_clock: Clock) -> None:
    """Raise PenElsewhere for entries made without signal while another screen recorded at the table."""
    since = [device_clock.to_house_time(entry.time, clock.moment()) for entry in _made_without_signal(device, sent)]
    row = _last(device.table) if since else None
    if row is not None and row.device_id != device.pk and row.received_at > min(since):
        raise PenElsewhere(Pen(row.device_id, clock.written(row.received_at), is_here=False))


def _made_without_signal(device: TableDevice, sent: Sequence[SignedEntry]) -> list[Entry]:
    entries: list[Entry] = []
    for signed in sent:
        try:
            entry = entry_chain.read(signed.body)
        except Invalid:
            continue
        if entry.queued and entry.seq > device.last_seq:
            entries.append(entry)
    return entries


def _last(table: str) -> QueueEntry | None:
    rows = QueueEntry.objects.filter(table=table, device__use="screen")
    return rows.order_by("-received_at", "-id").first()
