"""Verify the store by recomputation: every stream's versions, ids and chain, from the bytes alone.

It detects an edited event (the next one's `prev` differs), a missing one in between, and two exchanged ones. It also
detects one filed under another stream, version or type. A chain does not detect a stream that is cut off at its end:
integrity heads cover that.
"""

from collections.abc import Callable, Sequence

import msgspec

from events.envelope import digest, first_prev
from events.store import EventReader, Stored

CHUNK = 5_000
MAX_FINDINGS = 1_000  # a store edited everywhere needs no longer list


class ChainFinding(msgspec.Struct, frozen=True):
    """A changed event. A broken link has two ends: where the one before it may be right after all, `other` is the event
    behind the link."""

    position: int
    stream: str
    version: int
    message: str
    other: "ChainFinding | None" = None

    @property
    def event(self) -> str:
        """`STREAM@VERSION`."""
        return f"{self.stream}@{self.version}"


class VerifiedChains(msgspec.Struct, frozen=True):
    """Events read up to `position`, and the findings (at most MAX_FINDINGS)."""

    position: int
    events: int
    streams: int
    findings: list[ChainFinding]


class _Frame(msgspec.Struct, gc=False):
    """The part of the envelope with the event's place."""

    specversion: str
    id: str
    source: str
    type: str
    subject: str
    prev: str


decode_frame = msgspec.json.Decoder(_Frame).decode
_End = tuple[int, str, int]  # of a stream: version, digest in hex, position
_NONE: _End = (0, "", 0)


class ChainSnapshot(msgspec.Struct, frozen=True):
    """Chains up to a position, without a finding."""

    position: int
    events: int
    ends: dict[str, _End]
    of_family: dict[str, list[str]]


class Chains:
    """The chains of all streams, fed with events in the store's order."""

    def __init__(self) -> None:
        self.position = 0
        self.events = 0
        self.findings: list[ChainFinding] = []
        self._ends: dict[str, _End] = {}
        self._of_family: dict[str, list[str]] = {}  # streams that a new one may carry on from
        self._broken: dict[str, int] = {}  # by stream: the finding of its last link, if that was broken
        self._missing_versions: dict[tuple[str, int], int] = {}  # versions that were skipped, and their finding

    def dump(self) -> "ChainSnapshot":
        """Return the whole state, from which to continue; for valid chains."""
        assert not self.findings
        return ChainSnapshot(self.position, self.events, self._ends, self._of_family)

    def load(self, saved: "ChainSnapshot") -> None:
        """Continue from a `dump`."""
        self.position, self.events = saved.position, saved.events
        self._ends, self._of_family = saved.ends, saved.of_family

    def feed(self, events: Sequence[Stored], digests: Sequence[bytes]) -> None:
        """Check events, whose digests are given, against their streams' ends, and move the ends on."""
        ends, position = self._ends, self.position
        for stored, end in zip(events, digests, strict=True):
            stream, version, at = stored.stream, stored.version, stored.position
            last = ends.get(stream, _NONE)
            if not (at > position and version == last[0] + 1 and self._is_next(stored, last)):
                self._look(stored, last, position)
                last = ends.get(stream, _NONE)
            if version > last[0]:
                ends[stream] = (version, end.hex(), at)
            position = at
        self.position, self.events = position, self.events + len(events)

    def _is_next(self, stored_event: Stored, last: _End) -> bool:
        """Return whether the event is right, as nearly every event is."""
        stream = stored_event.stream
        if stream in self._broken or not last[0]:
            return False
        try:
            frame = decode_frame(stored_event.raw)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return False
        return (
            frame.prev == last[1]
            and frame.id == f"{stream}@{stored_event.version}"
            and frame.type == stored_event.type
            and frame.subject == stream
            and frame.source == stream.partition("/")[0]
            and frame.specversion == "1.0"
        )

    def result(self) -> VerifiedChains:
        """Return the findings so far."""
        return VerifiedChains(self.position, self.events, len(self._ends), self.findings)

    def _look(self, stored_event: Stored, last: _End, position: int) -> None:
        """Find the errors of this event, if any."""
        if not last[0]:
            self._of_family.setdefault(_family(stored_event.stream), []).append(stored_event.stream)
        broken = self._broken.pop(stored_event.stream, None)
        prev, faults = _description(stored_event)
        if stored_event.position <= position:
            faults.append(f"position {stored_event.position} after {position}")
        if faults:
            self._find(stored_event, "; ".join(faults))
        elif stored_event.version != last[0] + 1:
            self._out_of_turn(stored_event, last)
        elif not self._chained(stored_event.stream, last, prev):
            self._break(stored_event, last, broken)
        elif broken is not None:  # the event behind the broken link is whole: it was the one before it
            self.findings[broken] = msgspec.structs.replace(self.findings[broken], other=None)

    def _find(self, stored: Stored, message: str) -> None:
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(ChainFinding(stored.position, stored.stream, stored.version, message))

    def _out_of_turn(self, stored_event: Stored, last: _End) -> None:
        """Another version than the next: one is missing, or comes later, as two that were exchanged."""
        stream, version = stored_event.stream, stored_event.version
        finding_index = self._missing_versions.pop((stream, version), None)
        if finding_index is not None:
            first = self.findings[finding_index]
            message = f"stands before {stream}@{version}, which is at {stored_event.position}: the two were exchanged"
            self.findings[finding_index] = ChainFinding(last[2], stream, last[0], message)
        elif version <= last[0]:
            self._find(stored_event, f"version {version} after {last[0]}")
        else:
            lost = f"{stream}@{last[0] + 1}" + (f" to {version - 1} are" if version > last[0] + 2 else " is")
            first = ChainFinding(
                stored_event.position, stream, last[0] + 1, f"{lost} missing before {stream}@{version}"
            )
            if len(self.findings) < MAX_FINDINGS:
                self._missing_versions[stream, last[0] + 1] = len(self.findings)
                self.findings.append(first)

    def _break(self, stored_event: Stored, last: _End, broken: int | None) -> None:
        """Report a `prev` that is not the digest of the event before.

        That event was edited, or, where its own link was broken as well, this was the wrong end of that link.
        """
        stream = stored_event.stream
        here = ChainFinding(
            stored_event.position, stream, stored_event.version, "its prev is not the digest of the event before it"
        )
        if broken is not None:
            wrong = self.findings[broken].other
            assert wrong is not None
            self.findings[broken] = wrong
        elif not last[0]:
            self.findings.append(here)
        elif len(self.findings) < MAX_FINDINGS:
            self._broken[stream] = len(self.findings)
            message = f"its bytes are not those that {stream}@{stored_event.version} names as the ones before it"
            self.findings.append(ChainFinding(last[2], stream, last[0], message, here))

    def _chained(self, stream: str, last: _End, prev: str) -> bool:
        if last[0]:
            return prev == last[1]
        family = self._of_family[_family(stream)]
        return prev == first_prev(stream).hex() or any(
            prev == self._ends[name][1] for name in family if name in self._ends
        )


def _description(stored_event: Stored) -> tuple[str, list[str]]:
    """Return the event's named predecessor, and its wrong statements about itself."""
    try:
        frame = decode_frame(stored_event.raw)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return "", [f"not an event: {error}"]
    claims = {
        "specversion": (frame.specversion, "1.0"),
        "id": (frame.id, f"{stored_event.stream}@{stored_event.version}"),
        "source": (frame.source, stored_event.stream.partition("/")[0]),
        "type": (frame.type, stored_event.type),
        "subject": (frame.subject, stored_event.stream),
    }
    return frame.prev, [f"{name} is {is_!r}, not {should!r}" for name, (is_, should) in claims.items() if is_ != should]


def verify(
    store: EventReader, until: int | None = None, progress: Callable[[int], None] | None = None
) -> VerifiedChains:
    """Recompute all chains up to a position (or all). `progress` gets the position from time to time."""
    chains = Chains()
    while chunk := store.after(chains.position, CHUNK, until=until):
        chains.feed(chunk, [digest(stored.raw) for stored in chunk])
        if progress is not None:
            progress(chains.position)
    return chains.result()


def _family(stream: str) -> str:
    """Return the common part of the streams of a rolled session and the one before it: all but the gaming day."""
    return stream.rpartition("/")[0]
