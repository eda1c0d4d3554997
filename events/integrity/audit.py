"""The audit behind `./manage.py verify`: chains, heads, signatures and sums, by recomputation in one pass.

Every progressive is folded again from its events alone - no snapshot, no read model - and every share, payment and
meter that its stream states is compared with what the facts before it make.

What the chains cannot see - a log cut off at its end, or rewritten from some point on - the heads do, and those that
somebody else kept (the topic, a file) where the house's own were replaced as well.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise
from typing import Literal

import msgspec

from events.errors import Poison
from events.integrity import heads as h
from events.integrity.kept import Heads
from events.integrity.publish import Reckoner
from events.integrity.recount import Recount
from events.signing.remembered import Last
from events.store import Reader, Stored
from events.store.verify import CHUNK, MAX_FINDINGS, Chains

Kind = Literal["chain", "head", "signature", "fed", "sum", "cut off", "rewritten", "two heads", "guard", "topic"]


class Finding(msgspec.Struct, frozen=True):
    """Something that does not hold: of which kind, where (a position; 0: of a head as such), and how."""

    kind: Kind
    position: int
    message: str


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """What was read, and what did not hold (at most MAX_FINDINGS of the chains, and all of the heads).

    `covered` is the position up to which a head vouches; `uncovered` counts the events behind it. `compared` says
    with whose heads the house's own were compared.
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

    @property
    def holds(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


class Witness(msgspec.Struct, frozen=True):
    """Heads that somebody kept: the house ("store"), the topic, a file."""

    name: str
    heads: list[bytes]


class _Seen(msgspec.Struct, frozen=True):
    head: h.Head
    witness: str


def kept_by_house(heads: Heads) -> Witness:
    """All heads that lie beside the events."""
    found: list[bytes] = []
    while batch := heads.after(len(found)):
        found += batch
    return Witness("store", found)


def audit(
    store: Reader,
    property_: str,
    witnesses: Sequence[Witness],
    trusted: Collection[str] = (),
    progress: Callable[[int], None] | None = None,
    remembered: Last | None = None,
) -> Audit:
    """Recompute everything up to the last event. `trusted`: public keys in hex; none: any key that signed rightly.

    `progress` is told the position now and then. `remembered`: the signer's last head, which the first witness has.
    """
    seen, findings = _collect(witnesses)
    findings += _remembered(remembered, witnesses[:1])
    findings += [one for each in seen for one in _signed(each, property_, trusted)]
    chains, reckoner = Chains(), Reckoner(property_)
    sums = _Sums(reckoner)
    waiting = sorted(seen, key=lambda each: each.head.size, reverse=True)
    while chunk := store.after(chains.position, CHUNK):
        for event in chunk:
            stored = _as_bytes(event)
            if stored is not event:
                findings.append(Finding("chain", event.position, f"{event.stream}@{event.version} is stored as text"))
            chains.feed(stored)
            sums.feed(stored)
            while waiting and waiting[-1].head.size == reckoner.tree.size:
                findings += _compare(waiting.pop(), reckoner)
            if remembered is not None and remembered.size == reckoner.tree.size:
                findings += _as_remembered(remembered, reckoner)
        if progress is not None:
            progress(chains.position)
    findings += [_unread(stream, position) for stream, position in reckoner.stopped]
    findings += [_cut_off(each, reckoner) for each in reversed(waiting) if each.head.size > reckoner.tree.size]
    if remembered is not None and remembered.size > reckoner.tree.size:
        findings.append(_cut(remembered, reckoner, "the signer's last"))
    if witnesses and not seen and reckoner.tree.size:
        findings.append(Finding("head", 0, "no head vouches for these events: the worker makes one every few seconds"))
    found = chains.result()
    chained = [Finding("chain", one.position, f"{one.stream}@{one.version}: {one.message}") for one in found.findings]
    covered = max(
        (each.head for each in seen if each.head.size <= found.events), key=lambda one: one.size, default=None
    )
    return Audit(
        property_=property_,
        position=found.position,
        events=found.events,
        streams=found.streams,
        heads=len({each.head.number for each in seen}),
        covered=covered.position if covered else 0,
        uncovered=found.events - (covered.size if covered else 0),
        root=reckoner.tree.root().hex(),
        keys=sorted({each.head.key for each in seen}),
        compared=[witness.name for witness in witnesses],
        findings=[*chained[:MAX_FINDINGS], *sums.findings, *findings],
    )


class _Sums:
    """Lets the reckoner take each event, and asks its folds what the event should say: findings in order."""

    def __init__(self, reckoner: Reckoner) -> None:
        self.findings: list[Finding] = []
        self._reckoner = reckoner
        self._counts: dict[str, Recount] = {}

    def feed(self, stored: Stored) -> None:
        live = self._reckoner.live(stored.stream)
        if live is None:
            self._reckoner.feed(stored)
            return
        count = self._counts.setdefault(stored.stream, Recount(live))
        wrong = list(count.before(stored))
        self._reckoner.feed(stored)
        for message in (*wrong, *count.after(stored))[: MAX_FINDINGS - len(self.findings)]:
            self.findings.append(Finding("sum", stored.position, f"{stored.stream}@{stored.version} {message}"))


def _unread(stream: str, position: int) -> Finding:
    return Finding("sum", position, f"{stream}: the event there cannot be read, no sum behind it was compared")


def _as_bytes(stored: Stored) -> Stored:
    """SQLite gives back what somebody's editor put there, and that may be a text."""
    raw: object = stored.raw
    return msgspec.structs.replace(stored, raw=raw.encode()) if isinstance(raw, str) else stored


def _collect(witnesses: Sequence[Witness]) -> tuple[list[_Seen], list[Finding]]:
    """All different heads, and what is wrong among them: numbers, links, and two heads of one number."""
    findings: list[Finding] = []
    first: dict[int, tuple[bytes, str]] = {}
    seen: list[_Seen] = []
    for witness in witnesses:
        for raw in dict.fromkeys(witness.heads):
            try:
                head = h.decode(raw)
            except Poison as error:
                findings.append(Finding("head", 0, f"{witness.name}: {error}"))
                continue
            before = first.setdefault(head.number, (raw, witness.name))
            if before[0] != raw:
                message = f"head {head.number} of {witness.name} is not that of {before[1]}"
                findings.append(Finding("two heads", head.position, message))
            elif before[1] != witness.name:
                continue  # the same head again, from another witness
            seen.append(_Seen(head, witness.name))
    return seen, [*findings, *_links({number: raw for number, (raw, _) in first.items()})]


def _links(by_number: dict[int, bytes]) -> Iterable[Finding]:
    """Every head names the one before it; a number that nobody has is a head that was taken away."""
    numbers = [0, *sorted(by_number)]
    for before, number in pairwise(numbers):
        head = h.decode(by_number[number])
        if number != before + 1:
            yield Finding("head", head.position, f"heads {before + 1} to {number - 1} are missing")
        elif head.previous != (h.digest(by_number[before]) if before else ""):
            yield Finding("head", head.position, f"head {number} does not follow head {before}: one was replaced")


def _signed(each: _Seen, property_: str, trusted: Collection[str]) -> Iterable[Finding]:
    head = each.head
    if head.property != property_:
        yield Finding("head", head.position, f"head {head.number} of {each.witness} is of {head.property}")
    if not h.has_signature(head):
        yield Finding("signature", head.position, f"head {head.number} of {each.witness} is not signed by its key")
    elif trusted and head.key not in trusted:
        message = f"head {head.number} of {each.witness} is signed by {head.key}, which is no key of this house"
        yield Finding("signature", head.position, message)


def _compare(each: _Seen, reckoner: Reckoner) -> Iterable[Finding]:
    """A head against the tree that its events make now."""
    head = each.head
    if (head.position, head.root) != (reckoner.position, reckoner.tree.root().hex()):
        message = f"the first {head.size} events are not those that head {head.number} of {each.witness} saw"
        yield Finding("rewritten", head.position, message)
    elif head.fed != reckoner.fed():
        message = f"head {head.number} of {each.witness} says fed {head.fed}, the events make {reckoner.fed()}"
        yield Finding("fed", head.position, message)


def _cut_off(each: _Seen, reckoner: Reckoner) -> Finding:
    return _cut(each.head, reckoner, f"of {each.witness} ({each.head.time})")


def _cut(head: h.Head | Last, reckoner: Reckoner, whose: str) -> Finding:
    missing = head.size - reckoner.tree.size
    message = (
        f"the store ends with event {reckoner.tree.size} at {reckoner.position}, head {head.number} {whose} "
        f"saw {head.size} up to {head.position}: {missing} are missing"
    )
    return Finding("cut off", reckoner.position, message)


def _remembered(last: Last | None, house: Sequence[Witness]) -> Iterable[Finding]:
    """The head that the signer made last lies where the house keeps its own."""
    if last is None:
        return
    digests = {h.digest(raw) for witness in house for raw in witness.heads}
    if last.digest not in digests:
        message = f"head {last.number}, the signer's last, is missing: the heads were emptied, cut off or replaced"
        yield Finding("head", last.position, message)


def _as_remembered(last: Last, reckoner: Reckoner) -> Iterable[Finding]:
    if (last.position, last.root) != (reckoner.position, reckoner.tree.root().hex()):
        message = f"the first {last.size} events are not those that the signer's last head {last.number} saw"
        yield Finding("rewritten", last.position, message)
