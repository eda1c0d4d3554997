"""The event as it is stored and sent: a CloudEvents 1.0 JSON object, encoded once and never again.

The bytes in the store are the bytes on Kafka. `prev` chains each event to the bytes before it, so an edited or missing
event is detected. The content is in `data`, a frozen Struct with an explicit type name such as "bet.placed.v1" in its
class variable TYPE; `events/catalogue.py` lists them all.
"""

import hashlib
from datetime import UTC, datetime
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from events.fields import ActionKey, ActionRound, ActionTime, ActionType, DeviceSeq, EventId


class EventData(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Data of an event. Fields are only ever added, with a default; anything else is a new version and an upcaster.

    Events are made once and never hold each other: the cyclic garbage collector need not track them.
    """

    TYPE: ClassVar[str]


D = TypeVar("D")
# The intent behind an event: a request, or a report.
Intent: TypeAlias = Literal["ask", "fact"]


class Envelope(msgspec.Struct, Generic[D], frozen=True, kw_only=True, gc=False):
    """One event. `time` is when it happened, `recordedat` when it was stored (UTC, ISO 8601 with a Z).

    `intent` and `deviceseq` are those of its action: its intent, and its number at the terminal, where terminals count.
    Earlier events and the system's own do not have them. `queued`: recorded by an offline device and sent later.
    """

    specversion: str
    id: str
    source: str
    type: str
    time: str
    recordedat: str
    subject: str
    actor: str
    actorrole: str
    actordevice: str | UnsetType = UNSET
    correlation: str | UnsetType = UNSET
    causation: str | UnsetType = UNSET
    intent: Intent | UnsetType = UNSET
    deviceseq: int | UnsetType = UNSET
    queued: bool | UnsetType = UNSET
    prev: str
    data: D


class Meta(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Actor, time and reason of an action; the same for all its events."""

    time: str
    actor: str
    actorrole: str
    actordevice: str | UnsetType = UNSET
    causation: str | UnsetType = UNSET
    # judged afterwards, by a person who was not there: corrections, the reconciler
    correlation: str | UnsetType = UNSET
    intent: Intent | UnsetType = UNSET
    deviceseq: int | UnsetType = UNSET
    queued: bool | UnsetType = UNSET


class Action(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """A request of a terminal ("ask": is this allowed?), a report ("fact": this has happened), or a check.

    A check ("check") returns the result of an action and writes nothing. `key` is unique in the property permanently.
    `data` is decoded by `type` (see events/catalogue.py). The desk checks the other fields, action by action: a bad one
    must not block its queue. `queued`: a fact that a device recorded while offline.
    """

    type: ActionType
    key: ActionKey
    intent: Literal["ask", "fact", "check"] = "ask"
    time: ActionTime | None = None
    device_seq: DeviceSeq | None = None
    queued: bool = False
    round: ActionRound | None = None
    data: msgspec.Raw = msgspec.Raw(b"{}")
    corrects: EventId | None = None


class ActionData(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """The `data` of an action, by type. Names are imperative: "bet.place"."""

    TYPE: ClassVar[str]


class Who(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The person at work, from the credentials and never from the body: opaque id, roles in force, device, factor."""

    person: str
    roles: frozenset[str]
    device: str | None = None
    # the table this device is bound to; None: not bound (a person at a desk, the system itself)
    table: str | None = None
    # seconds since this person showed a second factor; None: never, a badge is all there is
    factor_s: int | None = None


class _EncodedEnvelope(msgspec.Struct, frozen=True, gc=False):
    """The fields of `Envelope`, in its order, all of them required: by position, one is made seven times as fast."""

    specversion: str
    id: str
    source: str
    type: str
    time: str
    recordedat: str
    subject: str
    actor: str
    actorrole: str
    actordevice: str | UnsetType
    correlation: str | UnsetType
    causation: str | UnsetType
    intent: Intent | UnsetType
    deviceseq: int | UnsetType
    queued: bool | UnsetType
    prev: str
    data: EventData


_encode = msgspec.json.Encoder().encode


def encode(stream: str, version: int, prev: bytes, data: EventData, meta: Meta, recordedat: str) -> bytes:
    """Return the permanent bytes of the event. `prev` is the digest of the stream's previous event (see
    `first_prev`).
    """
    return _encode(
        _EncodedEnvelope(
            "1.0",
            f"{stream}@{version}",
            stream.partition("/")[0],
            data.TYPE,
            meta.time,
            recordedat,
            stream,
            meta.actor,
            meta.actorrole,
            meta.actordevice,
            meta.correlation,
            meta.causation,
            meta.intent,
            meta.deviceseq,
            meta.queued,
            prev.hex(),
            data,
        )
    )


def digest(raw: bytes) -> bytes:
    """SHA-256 of an event's bytes: the next event's `prev`."""
    return hashlib.sha256(raw).digest()


def first_prev(stream: str) -> bytes:
    """The `prev` of a stream's first event: SHA-256 of the stream's name (a rolled session carries on instead)."""
    return hashlib.sha256(stream.encode()).digest()


def now() -> str:
    """Return the present time in the form of events: UTC, milliseconds, "Z"."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


AnyEnvelope = Envelope[Any]
