"""Verify the store by recomputation: every stream's versions, ids and chain, from the bytes alone.

What it can see: an edited event (the next one's `prev` differs), one that is missing in between, one filed under
another stream, version or type. The end of a stream cut off is not seen by a chain: integrity heads cover that.
"""

from collections.abc import Callable

import msgspec

from events.envelope import digest, first_prev
from events.store import Reader, Stored

CHUNK = 5_000
MAX_FINDINGS = 1_000  # a store edited everywhere needs no longer list


class Finding(msgspec.Struct, frozen=True):
    """Something that does not hold, at an event."""

    position: int
    stream: str
    version: int
    message: str


class Verified(msgspec.Struct, frozen=True):
    """What was read up to `position`, and what did not hold (at most MAX_FINDINGS)."""

    position: int
    events: int
    streams: int
    findings: list[Finding]


class _Frame(msgspec.Struct):
    """The part of the envelope that says where the event belongs."""

    specversion: str
    id: str
    source: str
    type: str
    subject: str
    prev: str


_decode = msgspec.json.Decoder(_Frame).decode


class Chains:
    """The chains of all streams, fed with events in the store's order."""

    def __init__(self) -> None:
        self.position = 0
        self.events = 0
        self.findings: list[Finding] = []
        self._heads: dict[str, tuple[int, str]] = {}
        # digests of events that a new stream may carry on from: the last ones of the streams beside it
        self._ends: dict[str, str] = {}

    def feed(self, stored: Stored) -> None:
        """Check one event against its stream's head, and move the head on."""
        version, expected = self._heads.get(stored.stream, (0, ""))
        for message in self._wrong(stored, version, expected):
            if len(self.findings) < MAX_FINDINGS:
                self.findings.append(Finding(stored.position, stored.stream, stored.version, message))
        self.position, self.events = stored.position, self.events + 1
        end = digest(stored.raw).hex()
        self._heads[stored.stream] = (stored.version, end)
        self._ends[end] = stored.stream
        if version:
            self._ends.pop(expected, None)

    def result(self) -> Verified:
        """What was found so far."""
        return Verified(self.position, self.events, len(self._heads), self.findings)

    def _wrong(self, stored: Stored, version: int, expected: str) -> list[str]:
        wrong = []
        if stored.position <= self.position:
            wrong.append(f"position {stored.position} after {self.position}")
        if stored.version != version + 1:
            wrong.append(f"version {stored.version} after {version}")
        try:
            frame = _decode(stored.raw)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            return [*wrong, f"not an event: {error}"]
        claims = {
            "specversion": (frame.specversion, "1.0"),
            "id": (frame.id, f"{stored.stream}@{stored.version}"),
            "source": (frame.source, stored.stream.partition("/")[0]),
            "type": (frame.type, stored.type),
            "subject": (frame.subject, stored.stream),
        }
        wrong += [f"{name} is {is_!r}, not {should!r}" for name, (is_, should) in claims.items() if is_ != should]
        if not self._chained(stored.stream, version, frame.prev, expected):
            wrong.append("prev is not the digest of the event before")
        return wrong

    def _chained(self, stream: str, version: int, prev: str, expected: str) -> bool:
        if version:
            return prev == expected
        if prev == first_prev(stream).hex():
            return True
        carried = self._ends.get(prev)
        return carried is not None and _family(carried) == _family(stream)


def verify(store: Reader, until: int | None = None, progress: Callable[[int], None] | None = None) -> Verified:
    """Recompute all chains up to a position (or all there is). `progress` is told the position now and then."""
    chains = Chains()
    while chunk := store.after(chains.position, CHUNK, until=until):
        for stored in chunk:
            chains.feed(stored)
        if progress is not None:
            progress(chains.position)
    return chains.result()


def _family(stream: str) -> str:
    """What a rolled session's stream has in common with the one before it: all but the gaming day."""
    return stream.rpartition("/")[0]
