"""The certificate of one award: the events' own bytes, and the proof that none is missing, in one JSON object.

Between two heads every event is listed by position, type and digest; those that can move a meter are shown. What the
reader then checks, and how, stands in `tools/verify_certificate.py`, which needs nothing of ours. What a certificate
claims is only what its events say: it holds no figure of its own.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from events import catalogue
from events.envelope import digest
from events.errors import Conflict, Retry
from events.integrity import heads as h
from events.integrity.kept import Heads
from events.integrity.merkle import Tree, leaf_hash, plan_consistency, plan_range
from events.progressives import history
from events.progressives import types as was
from events.progressives.award import Award, award
from events.store import Reader, Stored
from events.tables import types as at_table

TYPE = "pitledger.certificate.v1"
CHUNK = 5_000
# What can move a meter, a share or a payment: shown with their own bytes wherever they stand in the range.
TELLING = frozenset(
    {
        at_table.ProgressiveArmed.TYPE,
        at_table.HitDeclared.TYPE,
        at_table.HitDeclaredLate.TYPE,
        at_table.RoundVoided.TYPE,
        *(event.TYPE for event in was.PROGRESSIVE_EVENTS),
    }
)


class Certificate(msgspec.Struct, frozen=True, kw_only=True):
    """See `tools/verify_certificate.py`. A leaf is [position, type, digest in hex]; a proof's hashes are in hex."""

    type: str = TYPE
    property_: str = msgspec.field(name="property")
    progressive: str
    hit: str
    heads: dict[str, dict[str, Any] | None]
    consistency: list[str]
    range: dict[str, Any]
    events: list[dict[str, Any]]


def certificate(
    reader: Reader, heads: Heads, property_: str, hit: str, progress: Callable[[int], None] | None = None
) -> Certificate:
    """The certificate as of the first head that covers what is known of the hit now.

    Raises Unknown, Refused as `award`; Retry where no head covers the award yet, Conflict where one does not fit.
    Reads the store up to that head.
    """
    found = award(reader, property_, hit)
    begin, end = _bounds(reader, found)
    before, after = _heads_around(heads, begin, end)
    stream = history.stream_of(property_, found.progressive)
    tree, leaves, shown = _read(reader, before, after, stream, progress)
    first = before.size if before else 0
    if (len(tree), tree.root().hex()) != (after.size, after.root):
        raise Conflict(f"the store is not what head {after.number} saw: run `verify`")
    consistency = tree.proof(plan_consistency(first, after.size)) if before else []
    return Certificate(
        property_=property_,
        progressive=stream,
        hit=hit,
        heads={"before": _plain(before), "after": _plain(after)},
        consistency=[hash_.hex() for hash_ in consistency],
        range={
            "leaves": leaves,
            "proof": [hash_.hex() for hash_ in tree.proof(plan_range(first, after.size, after.size))],
        },
        events=[{"position": one.position, "event": one.raw.decode()} for one in shown],
    )


def encode(made: Certificate) -> bytes:
    """Its bytes, in lines that a person can scroll through."""
    return json.dumps(msgspec.to_builtins(made), ensure_ascii=False, indent=1).encode()


def _plain(head: h.Head | None) -> dict[str, Any] | None:
    """A head as JSON has it."""
    return None if head is None else msgspec.to_builtins(head)


def _bounds(reader: Reader, found: Award) -> tuple[int, int]:
    """Where the range must begin at the latest, and the last event that it must hold.

    It begins with the previous lock's hit, or the opening; and not after the arming of the winning round.
    """
    why = found.explanation
    previous = why.previous.at if why.previous else history.opening(reader, found.property_, found.progressive)[0]
    armed = [previous]
    for stored, fact in history.facts(reader, found.property_, found.progressive, until=why.lock.at):
        if stored.type == at_table.ProgressiveArmed.TYPE and _is_round(stored, found):
            armed.append(fact.at)
    return min(armed), max(deed.position for deed in found.deeds)


def _is_round(stored: Stored, found: Award) -> bool:
    data = catalogue.decode(stored.type, stored.raw).data
    return (data.table, data.gaming_day, data.round) == (found.table, found.gaming_day, found.round)


def _heads_around(heads: Heads, begin: int, end: int) -> tuple[h.Head | None, h.Head]:
    """The last head before the range, if there is one, and the first that covers it."""
    before, number = None, 0
    while batch := heads.after(number):
        for raw in batch:
            head = h.decode(raw)
            if head.position < begin:
                before = head
            if head.position >= end:
                return before, head
            number = head.number
    raise Retry(f"no head covers position {end} yet: the next one does, in a few seconds")


def _read(
    reader: Reader, before: h.Head | None, after: h.Head, stream: str, progress: Callable[[int], None] | None
) -> tuple[Tree, list[tuple[int, str, str]], Sequence[Stored]]:
    """The whole tree, the leaves behind the earlier head, and the events to show."""
    tree, leaves, position = Tree(), [], 0
    first = before.position if before else 0
    shown = [event for event in reader.stream(stream) if event.position <= first]
    while chunk := reader.after(position, CHUNK, until=after.position):
        for stored in chunk:
            mine = digest(stored.raw)
            tree.add(leaf_hash(stored.position, stored.type, mine))
            if stored.position > first:
                leaves.append((stored.position, stored.type, mine.hex()))
                if stored.type in TELLING or stored.stream == stream:
                    shown.append(stored)
        position = chunk[-1].position
        if progress is not None:
            progress(position)
    return tree, leaves, shown
