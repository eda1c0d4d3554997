"""Devices at the tables: tablets and readers that a pit boss has paired with one table each. Stream PROPERTY/devices.

A device signs its messages with a key of its own. The event of a pairing holds the fingerprint of the public half, and
no secret. The device is valid from its pairing until its revocation.
"""

from typing import Annotated, ClassVar, Literal, get_args

import msgspec
from msgspec.structs import asdict

from events.envelope import Action, ActionData, EventData, Who
from events.error_codes import coded
from events.errors import Conflict, Refused
from events.fields import Count, Hash, Name, Note, Position, TableName, Text, Time
from events.people import authority
from events.people.approval_request_lifecycle import Moment
from events.roles import DEALING, SUPERVISORS, AuthorityRule

CLAUSE = "house devices"
# A screen sends its people's actions; a reader sends only the actions of its kind.
Use = Literal["screen", "card reader", "wheel reader", "dice reader", "chip tray"]
ClockDifference = Annotated[int, msgspec.Meta(ge=-(10**14), le=10**14)]  # milliseconds
USES: tuple[Use, ...] = get_args(Use)
# The fault of an entry that is not the next one of its queue.
Fault = Literal["queue-entry-changed", "queue-entry-missing", "queue-entry-reordered"]
REFUSED_MAX = 20  # refused entries of one device that become events: after them it should be revoked
RULES: dict[str, AuthorityRule] = {
    "device.pair": AuthorityRule(ask=("pit boss",), signed=True, clause=CLAUSE),
    "device.revoke": AuthorityRule(ask=(*SUPERVISORS, "surveillance", "security"), clause=CLAUSE),
    "device.accept_entry": AuthorityRule(ask=SUPERVISORS, clause=CLAUSE),
    "device.reject_entry": AuthorityRule(ask=SUPERVISORS, clause=CLAUSE),
    "device.reconnect": AuthorityRule(ask=DEALING, clause=CLAUSE),
}


class DevicePaired(EventData, frozen=True, kw_only=True):
    """The device is valid at this table from this event on. `key`: SHA-256 of its public key."""

    TYPE: ClassVar[str] = "device.paired.v1"
    device: str
    table: str
    use: str
    key: str


class DeviceRevoked(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The device is no longer valid from this event on."""

    TYPE: ClassVar[str] = "device.revoked.v1"
    device: str
    table: str
    reason: str = ""


class EntryAccepted(EventData, frozen=True, kw_only=True):
    """An entry of a device's queue that waited for a decision is carried out, as the act of this event's actor.

    `digest`: SHA-256 of the entry.
    """

    TYPE: ClassVar[str] = "device.entry_accepted.v1"
    device: str
    table: str
    entry: int
    digest: str


class EntryRejected(EventData, frozen=True, kw_only=True):
    """An entry of a device's queue that waited for a decision is never carried out. `digest`: SHA-256 of the entry."""

    TYPE: ClassVar[str] = "device.entry_rejected.v1"
    device: str
    table: str
    entry: int
    digest: str
    reason: str


class EntryRefused(EventData, frozen=True, kw_only=True):
    """The house refused an entry of a device's queue: it was changed, missing or out of order.

    `entry` is its number, or that of the missing entry; `digest`: SHA-256 of the received text.
    """

    TYPE: ClassVar[str] = "device.entry_refused.v1"
    device: str
    table: str
    entry: int
    fault: str
    digest: str


class DeviceReconnected(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The device sent its offline queue: the number of `entries`, made between these times.

    `clock_behind_ms`: the milliseconds by which its clock was behind the house's, below zero if it was ahead. The times
    are corrected by them.
    """

    TYPE: ClassVar[str] = "device.reconnected.v1"
    device: str
    table: str
    since: str
    until: str
    entries: int
    clock_behind_ms: int = 0


class PairDevice(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Confirm the device that waits: its screen shows the same four digits as the page of the pit.

    `key` is the SHA-256 of its public key.
    """

    TYPE: ClassVar[str] = "device.pair"
    device: Name
    table: TableName
    use: Use
    key: Hash


class RevokeDevice(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Revoke a device that was lost or is replaced.

    Its people are signed out, and its later messages wait for a decision.
    """

    TYPE: ClassVar[str] = "device.revoke"
    device: Name
    reason: Note = ""


class AcceptEntry(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Accept an entry of a device's queue that waits for a decision: it is carried out as your own act."""

    TYPE: ClassVar[str] = "device.accept_entry"
    device: Name
    entry: Position
    digest: Hash


class RejectEntry(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Reject an entry of a device's queue that waits for a decision: it is never carried out."""

    TYPE: ClassVar[str] = "device.reject_entry"
    device: Name
    entry: Position
    digest: Hash
    reason: Text


class ReconnectDevice(ActionData, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Report that a device is back after a time without signal, with the number of entries made in it.

    `clock_behind_ms`: the milliseconds by which its clock is behind the house's, below zero if it is ahead.
    """

    TYPE: ClassVar[str] = "device.reconnect"
    device: Name
    since: Time
    until: Time
    entries: Count
    clock_behind_ms: ClockDifference = 0


class Devices(msgspec.Struct, frozen=True):
    """The devices that were ever paired, by id, and those revoked.

    Entries of their queues: rejected ones as (device, number), accepted ones with the person who accepted them, refused
    ones with their fault.
    """

    paired: dict[str, DevicePaired] = {}
    revoked: frozenset[str] = frozenset()
    rejected: frozenset[tuple[str, int]] = frozenset()
    accepted: frozenset[tuple[str, int, str]] = frozenset()
    refused: frozenset[tuple[str, int, str]] = frozenset()

    def accepted_by(self, device: str, entry: int) -> str:
        """Return the person who accepted an entry; "" where no one did."""
        return next((person for name, number, person in self.accepted if (name, number) == (device, entry)), "")

    def is_active(self, device: str) -> bool:
        """Return whether the device is paired and not revoked."""
        return device in self.paired and device not in self.revoked


def decide(
    devices: Devices, action: Action, data: ActionData, actor: Who, moment: Moment, _context: object = None
) -> list[EventData]:
    """Decide a pairing, a revocation, or a report on a device's queue."""
    authority.role_for("devices", data.TYPE, actor.roles)
    authority.require_factor(data.TYPE, actor, moment.fresh_s)
    if isinstance(data, PairDevice):
        return _paired(devices, data)
    device = devices.paired.get(str(getattr(data, "device", "")))
    if device is None:
        raise Refused(CLAUSE, coded("device-never-paired"), field="data.device")
    if isinstance(data, RevokeDevice):
        if data.device in devices.revoked:
            raise Conflict(coded("device-revoked-already", device=data.device))
        return [DeviceRevoked(device=data.device, table=device.table, reason=data.reason)]
    if isinstance(data, AcceptEntry | RejectEntry):
        return [_decide_entry(devices, device, data)]
    if isinstance(data, ReconnectDevice):
        return [_reconnected(device, data, actor)]
    raise Refused(CLAUSE, coded("not-an-action-of-devices", action=data.TYPE))


def _paired(devices: Devices, data: PairDevice) -> list[EventData]:
    if data.device in devices.paired:
        raise Conflict(coded("device-paired-before", device=data.device))
    if any(device.key == data.key and devices.is_active(device.device) for device in devices.paired.values()):
        raise Refused(CLAUSE, coded("device-key-taken"), field="data.key")
    return [DevicePaired(device=data.device, table=data.table, use=data.use, key=data.key)]


def _decide_entry(devices: Devices, device: DevicePaired, data: AcceptEntry | RejectEntry) -> EventData:
    """Return the decision on an entry. The first one is final."""
    if (data.device, data.entry) in devices.rejected:
        raise Conflict(coded("entry-rejected-already", entry=data.entry, device=data.device))
    if devices.accepted_by(data.device, data.entry):
        raise Conflict(coded("entry-accepted-already", entry=data.entry, device=data.device))
    if isinstance(data, AcceptEntry):
        return EntryAccepted(device=data.device, table=device.table, entry=data.entry, digest=data.digest)
    return EntryRejected(
        device=data.device, table=device.table, entry=data.entry, digest=data.digest, reason=data.reason
    )


def refusal_due(devices: Devices, device: str, entry: int, fault: Fault, digest: str) -> list[EventData]:
    """Return the event of a refused entry: once for each fault of a number, and a limited number for each device."""
    refused_before = [(name, number, before) for name, number, before in devices.refused if name == device]
    if device not in devices.paired or (device, entry, fault) in refused_before or len(refused_before) >= REFUSED_MAX:
        return []
    table = devices.paired[device].table
    return [EntryRefused(device=device, table=table, entry=entry, fault=fault, digest=digest)]


def _reconnected(device: DevicePaired, data: ReconnectDevice, actor: Who) -> DeviceReconnected:
    if actor.device != data.device:
        raise Refused(CLAUSE, coded("device-reports-itself"), field="data.device")
    return DeviceReconnected(**asdict(data), table=device.table)


def evolve(devices: Devices, event: EventData, actor: str = "") -> Devices:
    """Return the devices after the event of any actor."""
    if isinstance(event, DevicePaired):
        return msgspec.structs.replace(devices, paired={**devices.paired, event.device: event})
    if isinstance(event, DeviceRevoked):
        return msgspec.structs.replace(devices, revoked=devices.revoked | {event.device})
    if isinstance(event, EntryRejected):
        return msgspec.structs.replace(devices, rejected=devices.rejected | {(event.device, event.entry)})
    if isinstance(event, EntryAccepted):
        return msgspec.structs.replace(devices, accepted=devices.accepted | {(event.device, event.entry, actor)})
    if isinstance(event, EntryRefused):
        return msgspec.structs.replace(devices, refused=devices.refused | {(event.device, event.entry, event.fault)})
    return devices
