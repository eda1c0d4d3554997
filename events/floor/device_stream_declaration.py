"""Declaration of the devices at the tables: tablets and readers. A device is paired with a table on the floor."""

from collections.abc import Sequence

from events.envelope import ActionData, EventData
from events.error_codes import coded
from events.errors import Refused
from events.floor import device_and_entry_decider
from events.streams.stream_kind_declaration import Decisions, Kind, StreamView
from events.text.translation_marker import translatable as _

WORDS = {
    "devices": _("devices"),
    "device.pair": _("pair a device"),
    "device.paired": _("device paired"),
    "device.revoke": _("revoke a device"),
    "device.revoked": _("device revoked"),
    "device.reject_entry": _("reject an entry of a queue"),
    "device.entry_rejected": _("entry of a queue rejected"),
    "device.accept_entry": _("accept an entry of a queue"),
    "device.entry_accepted": _("entry of a queue accepted"),
    "device.entry_refused": _("entry of a queue refused"),
    "device.reconnect": _("report a time without signal"),
    "device.reconnected": _("device back after a time without signal"),
    "screen": _("screen"),
    "card reader": _("card reader"),
    "wheel reader": _("wheel reader"),
    "dice reader": _("dice reader"),
    "chip tray": _("chip tray"),
    "queue-entry-changed": _("changed"),
    "queue-entry-missing": _("missing"),
    "queue-entry-reordered": _("out of order"),
}


def confirm(
    view: StreamView, _stream: str, _state: device_and_entry_decider.Devices, batch: Sequence[ActionData | EventData]
) -> None:
    """Confirm that the table of a new device is installed."""
    for entry in batch:
        if (
            isinstance(entry, device_and_entry_decider.PairDevice)
            and entry.table not in view.property_state("floor").tables
        ):
            raise Refused(
                device_and_entry_decider.CLAUSE, coded("table-unknown", table=entry.table), field="data.table"
            )


def kind() -> Kind:
    """The declaration."""
    return Kind(
        streams="PROPERTY/devices",
        title="Of devices at the tables",
        summary="Pair and revoke tablets and readers",
        types=("events.floor.device_and_entry_decider",),
        rules=device_and_entry_decider.RULES,
        words=WORDS,
        decisions=Decisions(
            begin=lambda _look, _stream: device_and_entry_decider.Devices(),
            decide=device_and_entry_decider.decide,
            evolve=device_and_entry_decider.evolve,
            rests_on=("floor",),
            confirm=confirm,
        ),
    )
