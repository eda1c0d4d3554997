"""Events on their way into the read models: decoded once, shared by all projectors."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

import msgspec

from events import catalogue
from events.envelope import AnyEnvelope
from events.error_codes import coded
from events.errors import Poison
from events.streams.upcast import UPCASTERS


class Record(Protocol):
    """An encoded event from Kafka or from the store."""

    @property
    def position(self) -> int: ...
    @property
    def stream(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def raw(self) -> bytes: ...


class Event(msgspec.Struct, frozen=True, gc=False):
    """A decoded event. `data` is its content (a Struct), `envelope` its envelope.

    `filed` is the type under which it is stored. `type` is the type as which it is read: its successor, for an old one.
    """

    position: int
    stream: str
    version: int
    type: str
    filed: str
    raw: bytes
    envelope: AnyEnvelope
    data: Any

    @property
    def id(self) -> str:
        """`STREAM@VERSION`."""
        return self.envelope.id


class JustRead(msgspec.Struct, frozen=True, gc=False):
    """All events that come next after a position, where each of them could be decoded."""

    after: int
    events: list[Event]


class BrokenEvent(msgspec.Struct, frozen=True):
    """An event that cannot be decoded, and why."""

    position: int
    stream: str
    type: str
    raw: bytes
    error: str


def read_as(filed: str) -> str | None:
    """The type as which events filed under this one are read: its last successor; None for one that no one knows."""
    while filed in UPCASTERS:
        filed, _ = UPCASTERS[filed]
    return filed if filed in catalogue.event_types() else None


def decode(
    records: Iterable[Record], is_wanted: Callable[[str], bool] = lambda filed: True
) -> list[Event | BrokenEvent]:
    """Decode each record of a wanted type once; return a Broken for one that cannot be decoded."""
    events: list[Event | BrokenEvent] = []
    add = events.append
    wanted_types: dict[str, bool] = {}
    for record in records:
        filed = record.type
        if filed not in wanted_types:
            wanted_types[filed] = is_wanted(filed)
        if not wanted_types[filed]:
            continue
        try:
            add(_event(record))
        except Poison as error:
            add(BrokenEvent(record.position, record.stream, record.type, record.raw, str(error)))
    return events


def _event(record: Record) -> Event:
    envelope = catalogue.decode(record.type, record.raw)
    stream, _, version = envelope.id.rpartition("@")
    if stream != record.stream or not version.isdecimal():
        raise Poison(coded("event-names-another-id", named=envelope.id))
    return Event(record.position, stream, int(version), envelope.type, record.type, record.raw, envelope, envelope.data)
