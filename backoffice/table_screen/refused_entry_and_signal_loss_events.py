"""Refused entries of a device's queue and its times without signal, as events from which surveillance gets its alerts.

A refused entry is also kept for the inspector. Almost every request of a device has nothing to report. Devices that had
nothing are remembered until their next entry without signal, so that such a request asks no database.
"""

import msgspec
from django.db.models import Count, Max, Min

from backoffice.installation.dependency_injection import installation
from backoffice.models import QueueEntry, RefusedEntry, TableDevice
from backoffice.table_screen.action_sending_to_front_door import DevicePerson, send
from backoffice.table_screen.queued_entry_structs_and_chain import ChainBreak
from events.desk.locked_decisions import OwnStream, append_due
from events.envelope import Action
from events.floor.device_and_entry_decider import refusal_due
from events.runtime import clock
from events.streams import stream_kind_declaration
from events.streams.stream_kind_declaration import Target

_KEPT_MAX = 200  # most kept refused entries of a device, because its holder controls their number
_nothing_open: set[str] = set()  # devices without an entry to report; one process takes all entries


def keep_refused_entry(device: TableDevice, broken: ChainBreak) -> None:
    """Keep a refused entry, once, and record it. Safe to repeat at any moment."""
    rows = RefusedEntry.objects.filter(device=device)
    about = {"seq": broken.seq, "code": broken.code, "digest": broken.digest}
    if not rows.filter(**about).exists() and rows.count() < _KEPT_MAX:
        RefusedEntry.objects.get_or_create(device=device, **about, defaults={"at": clock.moment()})
    _record(device, broken)


def _record(device: TableDevice, broken: ChainBreak) -> None:
    """Append the event of a refused entry, by the house itself: no one may be signed in at the device."""
    house = installation()
    stream = f"{house.settings.property_}/devices"
    at = house.store.process_cache.get(
        (OwnStream, stream), lambda: OwnStream(stream_kind_declaration.kind_by_name("devices"), stream)
    )
    append_due(
        house.store,
        at,
        lambda _history: refusal_due(at.state, device.pk, broken.seq, broken.code, broken.digest),
    )


def note_entry_without_signal(device: TableDevice) -> None:
    """Note that a device has sent an entry without signal, which is to be reported."""
    _nothing_open.discard(device.pk)


def report_signal_loss(device: TableDevice, person: str) -> None:
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
        "since": clock.event_time(totals["since"]),
        "until": clock.event_time(totals["until"]),
        "entries": totals["entries"],
        "clock_behind_ms": device.clock_behind_ms,
    }
    key = f"{device.pk}:reconnect:{totals['last']}"
    action = Action(type="device.reconnect", key=key, data=msgspec.Raw(msgspec.json.encode(data)))
    answer = send(DevicePerson(person, device.pk, device.table), Target("devices"), (action,), "atomic")
    if answer.is_final:
        rows.filter(seq__lte=totals["last"]).update(is_reported=True)
