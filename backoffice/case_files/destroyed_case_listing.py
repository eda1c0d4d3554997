"""Cases whose key is destroyed, by their events alone, and the exports of them that left the house."""

from typing import Any

import msgspec

from backoffice.case_files.case_queries import events_of_destroyed_cases
from events.cases import event_types


class IssuedExport(msgspec.Struct, frozen=True):
    """An export of a case: its event, time and author. The event's content cannot be read any more."""

    event: str
    at: str
    by: str


class DestroyedCase(msgspec.Struct, frozen=True):
    """A case whose key is destroyed: when, why, by whom (person and role), and its issued exports."""

    id: str
    destroyed: str
    reason: str
    approvals: tuple[tuple[str, str], ...]
    exports: tuple[IssuedExport, ...]


class _Destruction(msgspec.Struct):
    reason: str
    approvals: tuple[tuple[str, str], ...] = ()


class _DestructionEnvelope(msgspec.Struct):
    id: str
    time: str
    actor: str
    data: msgspec.Raw


_decode = msgspec.json.Decoder(_DestructionEnvelope).decode


def destroyed_cases() -> tuple[DestroyedCase, ...]:
    """Return the cases whose key is destroyed, the first destroyed first."""
    cases = []
    for case, events in events_of_destroyed_cases().items():
        last = next(event for event in events if event.type == event_types.CaseKeyDestroyed.TYPE)
        issued = tuple(_issued(event.raw) for event in events if event.type == event_types.CaseExported.TYPE)
        cases.append(_destroyed(case, last.raw, issued))
    return tuple(sorted(cases, key=lambda each: (each.destroyed, each.id)))


def _destroyed(case: str, raw: bytes, issued: tuple[IssuedExport, ...]) -> DestroyedCase:
    envelope = _decode(raw)
    data: Any = msgspec.json.decode(envelope.data, type=_Destruction)
    return DestroyedCase(case, envelope.time, data.reason, data.approvals, issued)


def _issued(raw: bytes) -> IssuedExport:
    envelope = _decode(raw)
    return IssuedExport(envelope.id, envelope.time, envelope.actor)
