"""The audit behind `./manage.py verify`: chains, heads, signatures and sums, by recomputation in one pass.

Every progressive is folded again from its events alone, without snapshot or read model. Every share, payment and meter
of its stream is compared with the result of the facts before it.

The chains do not detect a log that is cut off at its end, or rewritten from some point on. The heads do. Where the
house's own heads were replaced too, the heads of other holders (the topic, a file) do.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType

import msgspec

from events.house.current_settings import settings_of
from events.house.settings import HouseSettings
from events.integrity.action_keys_against_events import KeyAudit
from events.integrity.first_fault_of_each_kind import CopyDifference, StoreFindings, first_findings
from events.integrity.head_signing import Reckoner
from events.integrity.heads_consistency import Finding, SeenHead, Witness, examined
from events.integrity.progressive_recount import Recount
from events.integrity.signed_head_format import Head
from events.integrity.signed_head_stores import LOWEST, Heads
from events.integrity.verification_checkpoint import Checkpoint, VerifiedState
from events.progressives.progressive_state_following_store import FOLDED
from events.signing.last_signed_head_file import LastHead
from events.store import EventReader, Stored
from events.store.stream_chain_verification import CHUNK, MAX_FINDINGS, Chains
from events.store.stream_chain_verification import ChainFinding as Link

_NO_HEAD = Finding("head", 0, "no head vouches for these events: the worker makes one every few seconds")


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """The events read, and the first findings of each kind; their consequences are counted.

    `covered` is the position up to which a head vouches; `uncovered` counts the events behind it. `compared` names the
    holders whose heads were compared with the house's own, `gaps` the long times without a witnessed head, `left_out`
    the parts that could not be compared.
    """

    property_: str = msgspec.field(name="property")
    position: int
    events: int
    streams: int
    heads: int
    covered: int
    uncovered: int
    root: str
    keys: list[str]
    compared: list[str]
    findings: list[Finding]
    gaps: list[str] = []
    left_out: list[str] = []
    begun: int = 0
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        """Return whether there are no findings."""
        return not self.findings


def kept_by_house(heads: Heads) -> Witness:
    """All heads that are with the events."""
    numbered: list[tuple[int, bytes]] = []
    number = LOWEST
    while batch := heads.numbered(number):
        numbered += batch
        number = batch[-1][0]
    return Witness("store", [raw for _, raw in numbered], [place for place, _ in numbered])


def audit(
    store: EventReader,
    property_: str,
    witnesses: Sequence[Witness],
    trusted_keys: Collection[str] = (),
    progress: Callable[[int], None] | None = None,
    remembered_head: LastHead | None = None,
    copies: Sequence[CopyDifference] = (),
    resume_from: VerifiedState | None = None,
    checkpoint: Checkpoint | None = None,
    former: Mapping[str, int] = MappingProxyType({}),
) -> Audit:
    """Recompute everything up to the last event.

    `trusted_keys`: public keys in hex (none: any valid signature); `former`: keys that no longer sign behind a head.
    `progress` gets the position from time to time. `remembered_head`: the signer's last head. `resume_from`: continue
    from there; `checkpoint` keeps the progress without findings. `copies`: differences from other holders' events.
    """
    began_s = time.perf_counter()
    seen_heads, amiss = examined(witnesses, property_, trusted_keys, remembered_head, former)
    reading = _Reading(property_, seen_heads, remembered_head, lambda until: settings_of(store, property_, until))
    reading.read(store, resume_from, checkpoint, progress)
    reading_result, chain_result = reading.result(), reading.chains.result()
    head_findings = amiss or _missing_head(witnesses, seen_heads, reading_result.end)
    return Audit(
        property_=property_,
        position=chain_result.position,
        events=chain_result.events,
        streams=chain_result.streams,
        heads=len({each.head.number for each in seen_heads}),
        covered=reading_result.vouched,
        uncovered=chain_result.events - reading.vouched_size,
        root=reading.reckoner.tree.root().hex(),
        keys=sorted({each.head.key for each in seen_heads}),
        compared=[witness.name for witness in witnesses],
        findings=[*head_findings, *first_findings(reading_result, copies)],
        begun=resume_from.chains.events if resume_from else 0,
        left_out=[*reading.unknown, *filter(None, [reading.caused.why_not])],
        seconds=round(time.perf_counter() - began_s, 3),
    )


def _missing_head(witnesses: Sequence[Witness], seen_heads: Collection[object], end: int) -> list[Finding]:
    return [_NO_HEAD] if witnesses and not seen_heads and end else []


class _Reading:
    """One reading of the store, a chunk at a time: chains, tree, sums, and every head where its size is reached."""

    def __init__(
        self,
        property_: str,
        seen_heads: Sequence[SeenHead],
        remembered_head: LastHead | None,
        in_force: Callable[[int], HouseSettings],
    ) -> None:
        self.chains, self.reckoner, self.caused = Chains(), Reckoner(property_), KeyAudit()
        self.sums = _Sums(self.reckoner, in_force)
        self.failing: list[Finding] = []
        self.fed: list[Finding] = []
        self.vouched, self.vouched_size = 0, 0
        self.held: dict[int, tuple[int, str]] = {}  # by size: the heads that hold
        self.unknown: list[str] = []
        self._texts: list[Link] = []
        self._aside: list[Link] = []
        heads = [
            _Due(seen_head.head.size, seen_head.head.position, seen_head.head.root, _name(seen_head), seen_head.head)
            for seen_head in seen_heads
        ]
        if remembered_head is not None:
            last = f"the signer's last head {remembered_head.number}"
            heads.append(_Due(remembered_head.size, remembered_head.position, remembered_head.root, last, None))
        self._due_heads = sorted(heads, key=lambda due: due.size, reverse=True)

    @property
    def position(self) -> int:
        return self.chains.position

    def read(
        self,
        store: EventReader,
        resume_from: VerifiedState | None,
        checkpoint: Checkpoint | None,
        progress: Callable[[int], None] | None,
    ) -> None:
        """Read all stored events behind `resume_from`; and events in front of the first position."""
        self._aside = [_aside(stored) for stored in store.after(LOWEST, MAX_FINDINGS, until=0)]
        if resume_from is not None:
            self.load(resume_from)
        tally = self.caused.tally(store)
        self._read(store, tally.position, checkpoint, progress)
        self.caused.end(store, tally)
        self._read(store, None, checkpoint, progress)  # events that were appended meanwhile

    def _read(
        self,
        store: EventReader,
        until: int | None,
        checkpoint: Checkpoint | None,
        progress: Callable[[int], None] | None,
    ) -> None:
        while chunk := store.after(self.position, CHUNK, until=until):
            self.caused.take(store, self.take(chunk))
            if checkpoint is not None and (len(chunk) < CHUNK or checkpoint.due(self.chains.events)):
                self.keep(checkpoint, chunk[-1])
            if progress is not None:
                progress(self.position)

    def take(self, chunk: Sequence[Stored]) -> Sequence[Stored]:
        """The next events; as they can be read."""
        events = chunk if all(map(_is_sound, chunk)) else [self._as_sound(stored) for stored in chunk]
        digests = [sha256(stored.raw).digest() for stored in events]
        self.chains.feed(events, digests)
        taken_count = 0
        while taken_count < len(events):
            room = self._due_heads[-1].size - self.reckoner.tree.size if self._due_heads else len(events)
            part = slice(taken_count, taken_count + max(room, 1))
            self.reckoner.grow(events[part], digests[part])
            for stored_event in events[part]:
                if stored_event.type in FOLDED or "/progressives/" in stored_event.stream:
                    self.sums.feed(stored_event)
            taken_count = part.stop
            self._compare()
        return events

    def load(self, resume_from: VerifiedState) -> None:
        """Continue from there. Of the earlier heads, those that held then hold; others are not compared."""
        self.chains.load(resume_from.chains)
        self.reckoner.load(resume_from.reckoner)
        self.held, self.caused.seen = resume_from.held, resume_from.seen
        self.vouched, self.vouched_size = resume_from.vouched, resume_from.vouched_size
        before = [due for due in self._due_heads if due.size <= self.reckoner.tree.size]
        self._due_heads = [due for due in self._due_heads if due.size > self.reckoner.tree.size]
        unlike = [due for due in before if self.held.get(due.size) != (due.position, due.root)]
        self.failing += [self._rewritten(due) for due in reversed(unlike) if due.size in self.held]
        if unknown := sum(due.size not in self.held for due in unlike):
            line = f"{unknown:,} heads of events that were verified before were not compared: run without --resume"
            self.unknown.append(line)

    def keep(self, checkpoint: Checkpoint, last: Stored) -> None:
        """Record the progress from time to time and at the end; no longer after a finding."""
        findings = (
            self.chains.findings,
            self.sums.findings,
            self.failing,
            self.fed,
            self._texts,
            self.reckoner.stopped,
        )
        if any((*findings, self._aside, self.caused.findings, self.caused.why_not)) or self.sums.is_within_append:
            return
        verified_state = VerifiedState(
            chains=self.chains.dump(),
            reckoner=self.reckoner.dump(),
            last=sha256(last.raw).digest(),
            held=self.held,
            seen=self.caused.seen,
            vouched=self.vouched,
            vouched_size=self.vouched_size,
        )
        checkpoint.save(verified_state)

    def _as_sound(self, stored: Stored) -> Stored:
        """Return the event with its columns as bytes. SQLite returns values written by an editor as they are, as text
        or a number."""
        if _is_sound(stored):
            return stored
        raw: object = stored.raw
        version = stored.version if type(stored.version) is int else 0
        sound = Stored(stored.position, _text(stored.stream), version, _text(stored.type), _bytes(raw))
        how = "is stored as text" if isinstance(raw, str) else "is not stored as events are"
        self._texts.append(Link(sound.position, sound.stream, sound.version, how))
        return sound

    def _compare(self) -> None:
        """The heads that are of the tree's present size."""
        reckoner = self.reckoner
        while self._due_heads and self._due_heads[-1].size <= reckoner.tree.size:
            due = self._due_heads.pop()
            if (due.size, due.position, due.root) != (
                reckoner.tree.size,
                reckoner.position,
                reckoner.tree.root().hex(),
            ):
                self.failing.append(self._rewritten(due))
            elif not self.failing:
                self.vouched, self.vouched_size = due.position, due.size
                self.held[due.size] = (due.position, due.root)
                self._compare_fed(due)

    def _rewritten(self, due: "_Due") -> Finding:
        place = f"between {self.vouched + 1} and {due.position}" if self.vouched else f"up to {due.position}"
        message = f"the first {due.size} events are not those that {due.name} saw: one {place} is not what it was"
        return Finding("rewritten", due.position, message)

    def _compare_fed(self, due: "_Due") -> None:
        fed = self.reckoner.contributions()
        if due.head is not None and due.head.fed != fed:
            message = f"{due.name} says fed {due.head.fed}, the events make {fed}"
            self.fed.append(Finding("fed", due.position, message))

    def result(self) -> StoreFindings:
        """Return the findings, after the last event."""
        stopped = [_unread_finding(stream, position) for stream, position in self.reckoner.stopped]
        return StoreFindings(
            end=self.position,
            vouched=self.vouched,
            links=[*self._aside, *self.chains.findings, *self._texts],
            failing=self.failing,
            cut_off=[_cut(due, self.reckoner) for due in self._due_heads],
            fed=self.fed,
            sums=[*self.sums.findings, *stopped],
            keys=self.caused.findings,
        )


class _Due(msgspec.Struct, frozen=True):
    """An expected root for the tree of this size, and the head that states it."""

    size: int
    position: int
    root: str
    name: str
    head: Head | None


def _is_sound(stored: Stored) -> bool:
    """Return whether each column has a value of its kind."""
    is_read = type(stored.raw) is bytes and type(stored.version) is int
    return is_read and type(stored.stream) is str and type(stored.type) is str


def _text(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _aside(stored: Stored) -> Link:
    """Return an event in front of position 1. Positions begin at 1, and so do all readers by position; but its stream
    has the event."""
    message = f"lies at position {stored.position}, where nobody reads it but its stream"
    return Link(stored.position, stored.stream, stored.version, message)


def _name(seen_head: SeenHead) -> str:
    return f"head {seen_head.head.number} of {seen_head.witness} ({seen_head.head.time})"


def _cut(due: _Due, reckoner: Reckoner) -> Finding:
    missing = due.size - reckoner.tree.size
    message = (
        f"the store ends with event {reckoner.tree.size} at {reckoner.position}, {due.name} saw {due.size} up to "
        f"{due.position}: {missing} are missing"
    )
    return Finding("cut off", reckoner.position + 1, message)


class _Sums:
    """Lets the reckoner fold each event, and compares each event with its folds: findings in order."""

    def __init__(self, reckoner: Reckoner, in_force: Callable[[int], HouseSettings]) -> None:
        self.findings: list[Finding] = []
        self._reckoner, self._in_force = reckoner, in_force
        self._counts: dict[str, Recount] = {}

    @property
    def is_within_append(self) -> bool:
        """Return whether the last event of the chunk must be followed by another one."""
        return any(count.is_within_append for count in self._counts.values())

    def feed(self, stored_event: Stored) -> None:
        live = self._reckoner.live(stored_event.stream)
        if live is None:
            self._reckoner.fold(stored_event)
            return
        count = self._counts.setdefault(stored_event.stream, Recount(live, self._in_force))
        wrong = list(count.before(stored_event))
        self._reckoner.fold(stored_event)
        event = f"{stored_event.stream}@{stored_event.version}"
        for message in (*wrong, *count.after(stored_event))[: MAX_FINDINGS - len(self.findings)]:
            self.findings.append(Finding("sum", stored_event.position, f"{event} {message}", event))


def _unread_finding(stream: str, position: int) -> Finding:
    message = f"{stream}: the event at {position} cannot be read, no sum behind it was compared"
    return Finding("sum", position, message, f"{stream}@")
