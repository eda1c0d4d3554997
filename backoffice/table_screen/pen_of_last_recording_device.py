"""The pen of a table: the device that recorded last.

Entries that another device recorded offline meanwhile are sent only after its people confirm them.
"""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from backoffice.models import QueueEntry, TableDevice
from backoffice.table_screen import queued_entry_structs_and_chain
from backoffice.table_screen.queued_entry_structs_and_chain import Entry, SignedEntry
from backoffice.table_screen.received_entry_processing import Clock
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
    last = _last_entry_device(device.table)
    return None if last is None else Pen(last[0], clock.event_time(last[1]), last[0] == device.pk)


def require(device: TableDevice, sent: Sequence[SignedEntry], device_clock: Clock) -> None:
    """Raise PenElsewhere for entries made without signal while another screen recorded at the table."""
    since = [device_clock.to_house_time(entry.time, clock.moment()) for entry in _made_without_signal(device, sent)]
    last = _last_entry_device(device.table) if since else None
    if last is not None and last[0] != device.pk and last[1] > min(since):
        raise PenElsewhere(Pen(last[0], clock.event_time(last[1]), is_here=False))


def _made_without_signal(device: TableDevice, sent: Sequence[SignedEntry]) -> list[Entry]:
    entries: list[Entry] = []
    for signed in sent:
        try:
            entry = queued_entry_structs_and_chain.read(signed.body)
        except Invalid:
            continue
        if entry.queued and entry.seq > device.last_seq:
            entries.append(entry)
    return entries


def _last_entry_device(table: str) -> tuple[str, datetime] | None:
    """Return the device of a table's latest entry of a screen, with the time when the house received it."""
    rows = QueueEntry.objects.filter(table=table, device__use="screen").order_by("-received_at", "-id")
    return rows.values_list("device_id", "received_at").first()
