"""The evidence of all cases, in the memory of this process: each event of a case is read once.

It finds the cases that a question concerns. Access is judged on the case itself. The keys of destroyed cases take
their evidence with them.
"""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec

from events.cases import action_structs, decrypted_case, encryption, event_types
from events.cases.decrypted_case import EvidenceKind
from events.envelope import digest
from events.store import EventReader
from events.store.replaced_history_check import is_as_read

Keys = Callable[[Sequence[str]], Mapping[str, bytes]]
_CONTENTS = {event_types.CaseOpened.TYPE: action_structs.OpenCase, event_types.CaseAdded.TYPE: action_structs.AddToCase}


class IndexedEvent(msgspec.Struct, frozen=True):
    """An event of a case: its place in the store and the stream, its type and its own bytes."""

    case: str
    position: int
    version: int
    type: str
    raw: bytes

    @property
    def mark(self) -> str:
        """Return a text that no other last event of the case has."""
        return f"{self.position} {hash(self.raw)}"


EventsAfter = Callable[[int], tuple[Collection[IndexedEvent], int]]  # and the position up to which they are all


class _SealedText(msgspec.Struct):
    sealed: str


class _SealedEvent(msgspec.Struct):
    data: _SealedText


_decode = msgspec.json.Decoder(_SealedEvent).decode


class CaseIndex:
    """The last event of each case, and the cases by their evidence. All events of cases up to `position` are in it."""

    def __init__(self) -> None:
        self._guard = threading.RLock()
        self._forget()

    def _forget(self) -> None:
        self.position = 0  # of an event of a case; `_digest` is of this event
        self._digest = b""
        self._last: dict[str, tuple[int, str]] = {}  # by case: version and mark of its last event
        self._cases: dict[tuple[str, str], set[str]] = {}  # by kind and id of the evidence
        self._unread: set[str] = set()  # cases with evidence that did not open
        self._destroyed: set[str] = set()

    def update(self, history: EventReader, read_events: EventsAfter, open_keys: Keys) -> None:
        """Add the events after `position`, or all events where the store holds another history there."""
        with self._guard:
            if self.position:
                events_there = history.after(self.position - 1, 1, until=self.position)
                if not is_as_read(events_there, self._digest, "cases", position=self.position):
                    self._forget()
            events, position = read_events(self.position)
            keys = open_keys(sorted({event.case for event in events if event.type in _CONTENTS}))
            for event in events:
                self._add(event, keys)
                if self.position < event.position <= position:
                    self.position, self._digest = event.position, digest(event.raw)

    def marks(self) -> dict[str, str]:
        """Return the mark of the last event of each case that has a key, by case."""
        with self._guard:
            return {case: mark for case, (_version, mark) in self._last.items()}

    def cases(self) -> frozenset[str]:
        """Return the ids of all cases, also of those whose key is destroyed."""
        with self._guard:
            return frozenset(self._last) | self._destroyed

    def destroyed_cases(self) -> frozenset[str]:
        """Return the ids of the cases whose key is destroyed."""
        with self._guard:
            return frozenset(self._destroyed)

    def marks_of_evidence(self, kind: EvidenceKind, ref: str) -> dict[str, str]:
        """Return the marks of the cases in which an event, alert or round is evidence, and of those not opened."""
        with self._guard:
            cases = self._cases.get((kind, ref), set()) | self._unread
            return {case: self._last[case][1] for case in cases if case in self._last}

    def _add(self, event: IndexedEvent, keys: Mapping[str, bytes]) -> None:
        version, _mark = self._last.get(event.case, (0, ""))
        if event.version <= version or event.case in self._destroyed:
            return
        if event.type == event_types.CaseKeyDestroyed.TYPE:
            self._destroy(event.case)
            return
        if event.type in _CONTENTS:
            self._add_evidence(event, keys.get(event.case))
        self._last[event.case] = event.version, event.mark

    def _add_evidence(self, event: IndexedEvent, key: bytes | None) -> None:
        sealed = _decode(event.raw).data.sealed
        raw = None if key is None else encryption.unseal(key, decrypted_case.place(event.case, event.type), sealed)
        if raw is None:
            self._unread.add(event.case)
            return
        data = msgspec.json.decode(raw, type=_CONTENTS[event.type])
        refs = (("event", data.events), ("alert", data.alerts), ("round", data.rounds))
        for kind, ids in refs:
            for ref in ids:
                self._cases.setdefault((kind, ref), set()).add(event.case)

    def _destroy(self, case: str) -> None:
        self._destroyed.add(case)
        self._last.pop(case, None)
        self._unread.discard(case)
        for cases in self._cases.values():
            cases.discard(case)
