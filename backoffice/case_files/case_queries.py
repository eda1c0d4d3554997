"""Read cases for a person. A person without access gets the answer for an unknown case.

Events come from the read model, and later ones from the store: access that was withdrawn is withdrawn at once. The
parts of an answer share a read of the store (`backoffice/http/read_cache_within_one_answer.py`).
"""

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Protocol

import msgspec

from backoffice.case_files.cases_by_evidence_index import CaseIndex, IndexedEvent
from backoffice.http.read_cache_within_one_answer import read_once
from backoffice.installation.dependency_injection import installation
from events import catalogue
from events.cases import decider, decrypted_case, encryption, event_types
from events.cases.access import may_read, may_work
from events.cases.case_key_and_file_vault import vault
from events.cases.decider import unknown_case
from events.cases.decrypted_case import CaseFile, EvidenceKind, SealedEntry
from events.people import approval_request_lifecycle
from events.settings.settings_from_environment import settings
from events.store import Stored
from projections.cases.models import CaseEvent
from projections.engine.models import PoisonedEvent
from projections.engine.models import Reader as ProjectionReader

KEPT_MAX = 5_000  # decrypted cases in memory
CASES_MAX = 1_000  # cases in a query
EVENTS_MAX = 1_000  # events in a read of the store
_APPROVALS = frozenset(event.TYPE for event in approval_request_lifecycle.EVENTS)
_TYPES = (*decrypted_case.CONTENTS, event_types.CaseKeyDestroyed.TYPE, *_APPROVALS)
_files: dict[tuple[str, str], CaseFile] = {}  # by case and last event
_guard = threading.Lock()


class CaseReader(Protocol):
    """A person and the roles in force."""

    @property
    def person(self) -> str: ...
    @property
    def roles(self) -> Collection[str]: ...


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
    file = _file(case, keys.key(case), events_of(case))
    if file is None or not may_read(file, reader.person, reader.roles):
        raise unknown_case(case)
    return file


def case_to_work_on(case: str, reader: CaseReader) -> CaseFile:
    """Return a case on which the reader may act. Raises as `case_for`."""
    file = case_for(case, reader)
    if not may_work(file, reader.person, reader.roles):
        raise unknown_case(case)
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
    seen = [file for file in _current(marks).values() if may_read(file, reader.person, reader.roles)]
    return tuple(sorted(seen, key=lambda file: (file.opened, file.id), reverse=True))


def _current(marks: Mapping[str, str]) -> dict[str, CaseFile]:
    """Return the cases whose last events have these marks, by id. Unreadable cases are left out."""
    keys = vault().open_keys(sorted(marks))
    cached_files = {case: _files.get((case, marks[case])) for case in keys}
    events = events_of_cases({case for case, file in cached_files.items() if file is None})
    files = cached_files | {case: _file(case, keys[case], of_case) for case, of_case in events.items()}
    return {case: file for case, file in files.items() if file is not None}


def _index() -> CaseIndex:
    """Return the index of this process, with all events up to now."""
    store = installation().store
    index = store.process_cache.get((CaseIndex, settings().property_), CaseIndex)
    index.update(store, _events_after, vault().open_keys)
    return index


def every_case() -> tuple[CaseFile, ...]:
    """Return all cases that can be read, for the administrator of the machine."""
    files = files_of(_index().cases())
    return tuple(sorted(files.values(), key=lambda file: (file.opened, file.id)))


def files_of(cases: Iterable[str]) -> Mapping[str, CaseFile]:
    """Return those of the cases that can be read, by id, for the administrator of the machine."""
    marks = _index().marks()
    return _current({case: marks[case] for case in {*cases} & marks.keys()})


def shown_and_hidden(reader: CaseReader) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids of the cases that the reader may see, and of those that the reader may not see."""
    readable_cases = frozenset(file.id for file in cases_of(reader))
    return readable_cases, _index().cases() - readable_cases


def seen_until(case: str, reader: CaseReader) -> str:
    """Return the time of the event since which the reader does not see a case: "" for never seen, "9999" for now.

    The key of a destroyed case shows no more than this: everyone may have seen it until its destruction.
    """
    events, key = events_of(case), vault().key(case)
    if key is None:
        return next((_decode(each.raw).time for each in events if each.type == event_types.CaseKeyDestroyed.TYPE), "")
    entries, until = [*entries_of(events)], ""
    for number in range(1, len(entries) + 1):
        file = decrypted_case.decrypted(case, key, entries[:number])
        if file is not None and may_read(file, reader.person, reader.roles):
            until = entries[number].at if number < len(entries) else "9999"
    return until


def unreadable_cases() -> tuple[str, ...]:
    """Return the ids of cases whose key is missing, or not opened by the house case key; none of destroyed cases."""
    marks = _index().marks()
    return tuple(sorted(marks.keys() - _current(marks).keys()))


def events_of_destroyed_cases() -> Mapping[str, list[IndexedEvent]]:
    """Return the events of each case whose key is destroyed."""
    return events_of_cases(_index().destroyed_cases())


def requests_of(file: CaseFile) -> tuple[CaseRequest, ...]:
    """Return the requests of a case that wait for a second person."""
    return requests_by_case([file]).get(file.id, ())


def requests_by_case(files: Iterable[CaseFile]) -> Mapping[str, tuple[CaseRequest, ...]]:
    """Return the requests of cases that wait for a second person, by case."""
    keys = vault().open_keys(sorted(file.id for file in files))
    return {case: tuple(_requests(case, keys[case], events)) for case, events in events_of_cases({*keys}).items()}


def _requests(case: str, key: bytes, events: Iterable[IndexedEvent]) -> Iterator[CaseRequest]:
    waiting: approval_request_lifecycle.Requests = {}
    for event in events:
        if event.type in _APPROVALS:
            waiting = approval_request_lifecycle.evolve(waiting, catalogue.decode(event.type, event.raw).data)
    return (_request(case, key, each.event) for each in waiting.values() if not each.done)


def _request(case: str, key: bytes, request: approval_request_lifecycle.ApprovalRequested) -> CaseRequest:
    raw = encryption.unseal(key, decrypted_case.place(case, decider.REQUEST), str(request.input.get("sealed", "")))
    data = {} if raw is None else msgspec.json.decode(raw)
    return CaseRequest(request.request, request.action, request.person, request.content, data, request.until)


def events_of(case: str) -> list[IndexedEvent]:
    """Return all events of a case's stream, the earliest first, with those that the read model has not read yet."""
    return events_of_cases({case}).get(case, [])


def events_of_cases(cases: Collection[str]) -> dict[str, list[IndexedEvent]]:
    """Return all events of the streams of cases, by case, each as `events_of`. A query for every thousand cases."""
    if not cases:
        return {}
    unread, names = read_once(_events_beyond_read_model), sorted(cases)
    events: dict[str, dict[int, IndexedEvent]] = {}
    for first in range(0, len(names), CASES_MAX):
        for row in CaseEvent.objects.filter(case__in=names[first : first + CASES_MAX]).order_by("version"):
            events.setdefault(row.case, {})[row.version] = _indexed(row)
    for event in unread.events:  # also those of a batch that was projected meanwhile: the same events
        if event.case in cases:
            events.setdefault(event.case, {})[event.version] = event
    return {case: [by_version[version] for version in sorted(by_version)] for case, by_version in events.items()}


def entries_between(case: str, after: int, upto: int) -> frozenset[str]:
    """Return the ids of the events of a case between two positions, the last included."""
    property_ = settings().property_
    return frozenset(
        f"{property_}/cases/{case}@{event.version}" for event in events_of(case) if after < event.position <= upto
    )


def _events_after(position: int) -> tuple[list[IndexedEvent], int]:
    """Return the events of cases after a position, and the position up to which they are all.

    The events of the read model come first, then those that only the store has. A read model of another history is
    left out.
    """
    unread = read_once(_events_beyond_read_model)
    rows = [*map(_indexed, CaseEvent.objects.filter(position__gt=position).order_by("position"))]
    later = [event for event in unread.events if event.position > position]
    if rows and not _is_in_store(rows[-1]):
        rows, later = [], [*_stored_after(position)]
    return [*rows, *later], max(position, unread.after, *(event.position for event in later))


def _is_in_store(event: IndexedEvent) -> bool:
    stored = installation().store.after(event.position - 1, 1, until=event.position)
    return bool(stored) and stored[0].raw == event.raw


class EventsBeyondReadModel(msgspec.Struct, frozen=True):
    """The events of cases after a position, which is how far the read model has all events."""

    after: int
    events: tuple[IndexedEvent, ...]


def _events_beyond_read_model() -> EventsBeyondReadModel:
    """Return the events of the store that the read model has not read. Ask before its rows: later rows repeat these."""
    position = _read_up_to()
    return EventsBeyondReadModel(position, tuple(_stored_after(position)))


def _stored_after(position: int) -> Iterator[IndexedEvent]:
    """Yield the events of cases after a position of the store."""
    prefix, is_last = f"{settings().property_}/cases/", False
    while not is_last:
        batch = installation().store.after(position, EVENTS_MAX, types=_TYPES)
        is_last = len(batch) < EVENTS_MAX
        for event in batch:
            position = event.position
            if event.stream.startswith(prefix):
                case = event.stream.removeprefix(prefix)
                yield IndexedEvent(case, event.position, event.version, event.type, event.raw)


def _read_up_to() -> int:
    """Return the position up to which the read model has all events: the rows of a quarantined stream are behind."""
    reader = ProjectionReader.objects.filter(projection="cases").first()
    poisoned = PoisonedEvent.objects.filter(projection="cases").order_by("position").first()
    position = 0 if reader is None else reader.position
    return position if poisoned is None else min(position, poisoned.position - 1)


def _indexed(row: CaseEvent) -> IndexedEvent:
    return IndexedEvent(row.case, row.position, row.version, row.type, row.raw.encode())


def _file(case: str, key: bytes | None, events: Iterable[IndexedEvent]) -> CaseFile | None:
    """Return the decrypted case; None where no one can read it."""
    events = [*events]
    if not events or key is None or any(event.type == event_types.CaseKeyDestroyed.TYPE for event in events):
        return None
    last = (case, events[-1].mark)
    if (cached_file := _files.get(last)) is not None:
        return cached_file
    file = decrypted_case.decrypted(case, key, entries_of(events))
    if file is not None:
        with _guard:
            if len(_files) >= KEPT_MAX:
                del _files[next(iter(_files))]
            _files[last] = file
    return file


def entries_of(events: Iterable[IndexedEvent | Stored]) -> Iterator[SealedEntry]:
    """Yield the encrypted contents among the events of a case."""
    for event in events:
        if event.type in decrypted_case.CONTENTS:
            envelope = _decode(event.raw)
            yield SealedEntry(event.type, envelope.actor, str(envelope.data["sealed"]), envelope.id, envelope.time)
