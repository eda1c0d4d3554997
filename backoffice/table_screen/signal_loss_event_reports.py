"""Reports of times without signal: an event at the end of each, from which surveillance gets its alert.

Almost every request of a device has nothing to report. Devices that had nothing are remembered until their next entry
without signal, so that such a request asks no database.
"""

import msgspec
from django.db.models import Count, Max, Min

from backoffice.models import QueueEntry, TableDevice
from backoffice.table_screen.action_sending_to_front_door import Acting, send
from events.envelope import Action
from events.runtime.clock import written
from events.streams.stream_kind_declaration import Target

_nothing_open: set[str] = set()  # devices without an entry to report; one process takes all entries


def expect(device: TableDevice) -> None:
    """Note that a device has sent an entry without signal, which is to be reported."""
    _nothing_open.discard(device.pk)


def report(device: TableDevice, person: str) -> None:
    """Report the offline entries that a device has sent, once; `person` is at the device.

    Where the house cannot take the report now, the next request of the device makes it.
    """
    if not person or device.pk in _nothing_open:
        return
    rows = QueueEntry.objects.filter(device=device, is_queued=True, is_reported=False, state="done")
    totals = rows.aggregate(entries=Count("id"), last=Max("seq"), since=Min("time"), until=Max("time"))
    if not totals["entries"]:
        if not QueueEntry.objects.filter(device=device, is_queued=True, is_reported=False).exists():
            _nothing_open.add(device.pk)
        return
    data = {
        "device": device.pk,
        "since": written(totals["since"]),
        "until": written(totals["until"]),
        "entries": totals["entries"],
        "clock_behind_ms": device.clock_behind_ms,
    }
    key = f"{device.pk}:reconnect:{totals['last']}"
    action = Action(type="device.reconnect", key=key, data=msgspec.Raw(msgspec.json.encode(data)))
    answer = send(Acting(person, device.pk, device.table), Target("devices"), (action,), "atomic")
    if answer.is_final:
        rows.filter(seq__lte=totals["last"]).update(is_reported=True)
