"""Read cases for a person. A person without access gets the answer for an unknown case.

Events come from the read model, and later ones from the store: access that was withdrawn is withdrawn at once.
"""

import threading
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol

import msgspec

from backoffice.case_files.case_event_index import CaseIndex, IndexedEvent
from backoffice.installation.service_container import installation
from events import catalogue
from events.cases import decider, decrypted_case, encryption, event_types
from events.cases.access import may_read
from events.cases.decider import unknown
from events.cases.decrypted_case import CaseFile, EvidenceKind, SealedEntry
from events.cases.vault import Vault, vault
from events.people import approvals
from events.settings.settings import settings
from projections.cases.models import CaseEvent
from projections.engine.models import Reader as ProjectionReader

KEPT_MAX = 5_000  # decrypted cases in memory
_TYPES = (*decrypted_case.CONTENTS, event_types.CaseKeyDestroyed.TYPE, *(event.TYPE for event in approvals.EVENTS))
_kept: dict[tuple[str, str], CaseFile] = {}  # by case and last event
_guard = threading.Lock()


class CaseReader(Protocol):
    """A person and the roles in force."""

    @property
    def person(self) -> str: ...
    @property
    def roles(self) -> Collection[str]: ...


class StoredCaseEvent(msgspec.Struct, frozen=True):
    """An event in a case's stream: its position, version and type, and its own bytes."""

    position: int
    version: int
    type: str
    raw: bytes


class CaseRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    """A request that waits for a second person. `content` is what an approval names, `input` the decrypted data."""

    request: str
    action: str
    person: str
    content: str
    input: dict[str, Any]
    until: str | None = None


class _Envelope(msgspec.Struct):
    id: str
    time: str
    actor: str
    data: dict[str, Any]


_decode = msgspec.json.Decoder(_Envelope).decode


def case_for(case: str, reader: CaseReader) -> CaseFile:
    """Return a case. Raises Unknown where it does not exist, or the reader may not see it.

    Raises Defect for every case where the house case key is missing, or is another one.
    """
    keys = vault()
    keys.must_fit()
    file = _file(keys, case, events_of(case))
    if file is None or not may_read(file, reader.person, reader.roles):
        raise unknown(case)
    return file


def cases_of(reader: CaseReader) -> tuple[CaseFile, ...]:
    """Return the cases that the reader may see, the newest first."""
    return _visible(_index().marks(), reader)


def cases_with_evidence(reader: CaseReader, kind: EvidenceKind, ref: str) -> tuple[CaseFile, ...]:
    """Return the cases in which an event, alert or round is evidence, as far as the reader may see them, the newest
    first. No other case is read."""
    files = _visible(_index().marks_of_evidence(kind, ref), reader)
    return tuple(file for file in files if any((piece.kind, piece.ref) == (kind, ref) for piece in file.evidence))


def _visible(marks: Mapping[str, str], reader: CaseReader) -> tuple[CaseFile, ...]:
    keys = vault()
    files = [_current(keys, case, mark) for case, mark in marks.items()]
    seen = [file for file in files if file is not None and may_read(file, reader.person, reader.roles)]
    return tuple(sorted(seen, key=lambda file: (file.opened, file.id), reverse=True))


def _current(keys: Vault, case: str, mark: str) -> CaseFile | None:
    """Return the case whose last event has this mark; None where no one can read it."""
    if keys.key(case) is None:
        return None
    known = _kept.get((case, mark))
    return _file(keys, case, events_of(case)) if known is None else known


def _index() -> CaseIndex:
    """Return the index of this process, with all events up to now."""
    store = installation().store
    index = store.process_cache.get((CaseIndex, settings().property_), CaseIndex)
    index.update(store.position, _events_after, vault().key)
    return index


def every_case() -> tuple[CaseFile, ...]:
    """Return all cases that can be read, for the administrator of the machine."""
    files = files_of(_index().cases())
    return tuple(sorted(files.values(), key=lambda file: (file.opened, file.id)))


def files_of(cases: Iterable[str]) -> Mapping[str, CaseFile]:
    """Return those of the cases that can be read, by id, for the administrator of the machine."""
    keys, marks = vault(), _index().marks()
    files = {case: _current(keys, case, marks[case]) for case in {*cases} & marks.keys()}
    return {case: file for case, file in files.items() if file is not None}


def shown_and_hidden(reader: CaseReader) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids of the cases that the reader may see, and of those that the reader may not see."""
    shown = frozenset(file.id for file in cases_of(reader))
    return shown, _index().cases() - shown


def seen_until(case: str, reader: CaseReader) -> str:
    """Return the time of the event since which the reader does not see a case: "" for never seen, "9999" for now.

    The key of a destroyed case tells nothing more: everyone may have seen it until its destruction.
    """
    events, key = events_of(case), vault().key(case)
    if key is None:
        return next((_decode(each.raw).time for each in events if each.type == event_types.CaseKeyDestroyed.TYPE), "")
    entries, until = [*_entries(events)], ""
    for number in range(1, len(entries) + 1):
        file = decrypted_case.decrypted(case, key, entries[:number])
        if file is not None and may_read(file, reader.person, reader.roles):
            until = entries[number].at if number < len(entries) else "9999"
    return until


def unreadable_cases() -> tuple[str, ...]:
    """Return the ids of cases whose key is missing, or not opened by the house case key; none of destroyed cases."""
    keys = vault()
    return tuple(case for case, mark in _index().marks().items() if _current(keys, case, mark) is None)


def events_of_destroyed_cases() -> Mapping[str, list[StoredCaseEvent]]:
    """Return the events of each case whose key is destroyed."""
    return {case: events_of(case) for case in sorted(_index().destroyed_cases())}


def _is_destroyed(events: Iterable[StoredCaseEvent]) -> bool:
    return any(event.type == event_types.CaseKeyDestroyed.TYPE for event in events)


def requests_of(file: CaseFile) -> tuple[CaseRequest, ...]:
    """Return the requests of a case that wait for a second person."""
    waiting: approvals.Requests = {}
    for event in events_of(file.id):
        data = catalogue.decode(event.type, event.raw).data
        waiting = approvals.evolve(waiting, data)
    key = vault().key(file.id)
    return tuple(_request(file.id, key, each.event) for each in waiting.values() if key and not each.done)


def _request(case: str, key: bytes, request: approvals.ApprovalRequested) -> CaseRequest:
    raw = encryption.unseal(key, decrypted_case.place(case, decider.REQUEST), str(request.input.get("sealed", "")))
    data = {} if raw is None else msgspec.json.decode(raw)
    return CaseRequest(request.request, request.action, request.person, request.content, data, request.until)


def events_of(case: str) -> list[StoredCaseEvent]:
    """Return all events of a case's stream, the earliest first, with those that the read model has not read yet."""
    rows = CaseEvent.objects.filter(case=case).order_by("version")
    events = [*map(_stored, rows)]
    later = installation().store.stream(f"{settings().property_}/cases/{case}", after=len(events))
    return [*events, *(StoredCaseEvent(event.position, event.version, event.type, event.raw) for event in later)]


def entries_between(case: str, after: int, upto: int) -> frozenset[str]:
    """Return the ids of the events of a case between two positions, the last included."""
    property_ = settings().property_
    return frozenset(
        f"{property_}/cases/{case}@{event.version}" for event in events_of(case) if after < event.position <= upto
    )


def _events_after(position: int) -> tuple[list[IndexedEvent], int]:
    """Return the events of cases after a position, and the position up to which they are all.

    Those that the read model has, then those that only the store has.
    """
    read_up_to = _read_up_to()  # first: rows of a later batch come from the store, and again from the read model
    rows = CaseEvent.objects.filter(position__gt=position).order_by("position")
    events = [IndexedEvent(row.case, row.position, row.version, row.type, row.raw.encode()) for row in rows]
    prefix = f"{settings().property_}/cases/"
    position = max(position, read_up_to)
    while batch := installation().store.after(position, 1_000, types=_TYPES):
        position = batch[-1].position
        events += [
            IndexedEvent(event.stream.removeprefix(prefix), event.position, event.version, event.type, event.raw)
            for event in batch
            if event.stream.startswith(prefix)
        ]
    return events, position


def _read_up_to() -> int:
    reader = ProjectionReader.objects.filter(projection="cases").first()
    return 0 if reader is None else reader.position


def _stored(row: CaseEvent) -> StoredCaseEvent:
    return StoredCaseEvent(row.position, row.version, row.type, row.raw.encode())


def _file(keys: Vault, case: str, events: Iterable[StoredCaseEvent]) -> CaseFile | None:
    """Return the decrypted case; None where no one can read it."""
    events = [*events]
    if not events or _is_destroyed(events):
        return None
    last = (case, f"{events[-1].position} {hash(events[-1].raw)}")
    key = keys.key(case)
    if key is None:
        return None
    if (known := _kept.get(last)) is not None:
        return known
    file = decrypted_case.decrypted(case, key, _entries(events))
    if file is not None:
        with _guard:
            if len(_kept) >= KEPT_MAX:
                del _kept[next(iter(_kept))]
            _kept[last] = file
    return file


def _entries(events: Iterable[StoredCaseEvent]) -> Iterable[SealedEntry]:
    for event in events:
        if event.type in decrypted_case.CONTENTS:
            envelope = _decode(event.raw)
            yield SealedEntry(event.type, envelope.actor, str(envelope.data["sealed"]), envelope.id, envelope.time)
