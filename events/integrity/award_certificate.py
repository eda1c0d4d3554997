"""The certificate of one award: the events' own bytes, and the proof that none is missing, in one JSON object.

Between two heads every event is listed by position, type and digest; those that can move a meter are shown. The
reader's checks are in `tools/verify_certificate.py`, which needs no other module of the project. A certificate claims
only the content of its events: it holds no figure of its own.
"""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from events import catalogue
from events.envelope import digest
from events.error_codes import coded
from events.errors import Retry
from events.integrity.merkle import Tree, leaf_hash, plan_range
from events.integrity.signed_head_format import Head, decode
from events.integrity.signed_head_stores import Heads
from events.integrity.tree_rebuilt_at_signed_head import CHUNK, base_at, first_head, head_as_json, must_be
from events.progressives import event_types, history_reader
from events.progressives.award_report import Award, award
from events.store import EventReader, EventStore, Stored, everything
from events.tables.event_types.progressive import HitDeclared, HitDeclaredLate, ProgressiveArmed
from events.tables.event_types.rounds import RoundVoided

TYPE = "pitledger.certificate.v1"
# Events that can move a meter, a share or a payment: shown with their own bytes anywhere in the range.
TELLING = frozenset(
    {
        ProgressiveArmed.TYPE,
        HitDeclared.TYPE,
        HitDeclaredLate.TYPE,
        RoundVoided.TYPE,
        *(event.TYPE for event in event_types.PROGRESSIVE_EVENTS),
    }
)


class Certificate(msgspec.Struct, frozen=True, kw_only=True):
    """See `tools/verify_certificate.py`. A leaf is [position, type, digest in hex]; a proof's hashes are in hex."""

    type: str = TYPE
    property_: str = msgspec.field(name="property")
    progressive: str
    hit: str
    heads: dict[str, dict[str, Any] | None]
    range: dict[str, Any]
    events: list[dict[str, Any]]


def certificate(store: EventStore, heads: Heads, property_: str, hit: str) -> Certificate:
    """Return the certificate as of the first head that covers the hit's present events.

    Raises Unknown, Refused as `award`; Retry where no head covers the award yet, Conflict where one does not fit.
    Reads the progressive's stream, and the store from the last kept mark of its tree before the cycle to that head.
    """
    award_ = award(store, property_, hit)
    begin, end = _bounds(store, award_)
    before, after = _heads_around(heads, begin, end)
    stream = history_reader.stream_of(property_, award_.progressive)
    tree, leaves, shown_events = _read(store, before, after, stream)
    first = before.size if before else 0
    return Certificate(
        property_=property_,
        progressive=stream,
        hit=hit,
        heads={"before": head_as_json(before), "after": head_as_json(after)},
        range={
            "leaves": leaves,
            "proof": [hash_.hex() for hash_ in tree.proof(plan_range(first, after.size, after.size))],
        },
        events=[{"position": stored.position, "event": stored.raw.decode()} for stored in shown_events],
    )


def encode(made: Certificate) -> bytes:
    """Return its bytes, in lines that a person can scroll through."""
    return json.dumps(msgspec.to_builtins(made), ensure_ascii=False, indent=1).encode()


def _bounds(history: EventReader, award_: Award) -> tuple[int, int]:
    """Return the last possible beginning of the range, and the last event that it must hold.

    It begins with the previous lock's hit, or the opening; and not after the arming of the winning round.
    """
    explanation = award_.explanation
    begin = (
        explanation.previous.at
        if explanation.previous
        else history_reader.opening(history, award_.property_, award_.progressive)[0]
    )
    table = history.stream(f"{award_.property_}/tables/{award_.table}/{award_.gaming_day}")
    armed = [stored.position for stored in table if stored.type == ProgressiveArmed.TYPE and _is_round(stored, award_)]
    return min(begin, *armed), max(deed.position for deed in award_.deeds)


def _is_round(stored: Stored, award_: Award) -> bool:
    data = catalogue.decode(stored.type, stored.raw).data
    return (data.progressive, data.round) == (award_.progressive, award_.round)


def _heads_around(heads: Heads, begin: int, end: int) -> tuple[Head | None, Head]:
    """The last head before the range, if there is one, and the first that covers it."""
    last = heads.last()
    if last is None or decode(last).position < end:
        raise Retry(coded("head-does-not-cover", position=end))
    newest = decode(last).number
    behind = first_head(heads, newest, lambda head: head.position >= begin)
    before = decode(heads.after(behind - 2, 1)[0]) if behind > 1 else None
    end_at = first_head(heads, newest, lambda head: head.position >= end)
    return before, decode(heads.after(end_at - 1, 1)[0])


def _read(
    store: EventStore, before: Head | None, after: Head, stream: str
) -> tuple[Tree, list[tuple[int, str, str]], Sequence[Stored]]:
    """The tree from the earlier head on, the leaves behind it, and the events to show. Raises Conflict."""
    tree = Tree(base=base_at(store, before) if before else None)
    leaves, first = [], before.position if before else 0
    shown_events = [event for event in store.stream(stream) if event.position <= first]
    for stored_event in everything(store, first, batch=CHUNK, until=after.position):
        event_digest = digest(stored_event.raw)
        tree.add(leaf_hash(stored_event.position, stored_event.type, event_digest))
        leaves.append((stored_event.position, stored_event.type, event_digest.hex()))
        if stored_event.type in TELLING or stored_event.stream == stream:
            shown_events.append(stored_event)
    must_be(tree.root(), len(tree), after)
    return tree, leaves, shown_events
