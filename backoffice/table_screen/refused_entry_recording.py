"""Refused entries of a device's queue: kept for the inspector, and recorded as events, from which surveillance gets its
alerts."""

from backoffice.installation.dependency_injection import installation
from backoffice.models import RefusedEntry, TableDevice
from backoffice.table_screen.entry_chain import ChainBreak
from events.desk.locked_decisions import OwnStream, append_due
from events.floor.device_pairing_decider import refusal_due
from events.runtime import clock
from events.streams import stream_kind_declaration

SHOWN_MAX = 200  # refused entries of a device that are kept: their number is chosen by who holds it


def keep(device: TableDevice, broken: ChainBreak) -> None:
    """Keep a refused entry, once, and record it. Safe to repeat at any moment."""
    rows = RefusedEntry.objects.filter(device=device)
    about = {"seq": broken.seq, "code": broken.code, "digest": broken.digest}
    if not rows.filter(**about).exists() and rows.count() < SHOWN_MAX:
        RefusedEntry.objects.get_or_create(device=device, **about, defaults={"at": clock.moment()})
    _record(device, broken)


def _record(device: TableDevice, broken: ChainBreak) -> None:
    """Append the event of a refused entry, by the house itself: no one may be signed in at the device."""
    house = installation()
    stream = f"{house.settings.property_}/devices"
    at = house.store.process_cache.get(
        (OwnStream, stream), lambda: OwnStream(stream_kind_declaration.of("devices"), stream)
    )
    append_due(
        house.store,
        at,
        lambda _past: refusal_due(at.state, device.pk, broken.seq, broken.code, broken.digest),
    )
