"""The proof of a draw: the events from its commitment to its publication, byte for byte, and the heads that decided.

The reader's checks are in `tools/verify_draw.py`, which needs none of our modules.
"""

import json
from collections.abc import Sequence
from typing import Any

from events import catalogue
from events.envelope import digest
from events.error_codes import coded
from events.errors import Conflict
from events.inspection_draws.decider import Draw, stream_of
from events.inspection_draws.event_types import DrawOpened
from events.inspection_draws.head_selection import BATCH, covering_head
from events.integrity.merkle import Frontier, Tree, leaf_hash, plan_inclusion
from events.integrity.signed_head_format import decode
from events.integrity.signed_head_stores import Heads
from events.integrity.tree_rebuilt_at_signed_head import base_at, must_be
from events.store import EventStore, Stored, everything

FORM = "pitledger.draw.v1"


def proof(store: EventStore, heads: Heads, property_: str, draw: Draw) -> bytes:
    """Return the proof of a published draw. Raises Conflict before, and for a store that differs from its heads."""
    if draw.opened is None or draw.revealed is None:
        raise Conflict(coded("draw-not-published", draw=draw.terms.draw))
    events = _events(store, property_, draw)
    first, place = _place(store, heads, events[0])
    last, end = _place(store, heads, events[-1])
    content = {
        "type": FORM,
        "property": property_,
        "draw": draw.terms.draw,
        "committed": place,
        "opened": end,
        "events": [event.raw.decode() for event in events],
        "heads": [raw.decode() for raw in _heads(heads, first, draw.revealed.head)],
        "last_head": heads.after(last - 1, 1)[0].decode(),
    }
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _events(store: EventStore, property_: str, draw: Draw) -> Sequence[Stored]:
    """Return the events of the stream from the draw's commitment to its publication."""
    events = store.stream(stream_of(property_), draw.version - 1)
    end = next(
        place
        for place, event in enumerate(events)
        if event.type == DrawOpened.TYPE and catalogue.decode(event.type, event.raw).data.draw == draw.terms.draw
    )
    return events[: end + 1]


def _heads(heads: Heads, first: int, last: int) -> list[bytes]:
    raw_heads = [raw for number in range(first, last + 1, BATCH) for raw in heads.after(number - 1, BATCH)]
    return raw_heads[: last - first + 1]


def _place(store: EventStore, heads: Heads, stored: Stored) -> tuple[int, dict[str, Any]]:
    """Return the first head that covers an event, and the event's place in its tree."""
    number = covering_head(heads, stored.position)
    if number is None:
        raise Conflict(coded("draw-head-not-signed"))
    index, path = _inclusion(store, heads, number, stored)
    return number, {"position": stored.position, "index": index, "inclusion": [node.hex() for node in path]}


def _inclusion(store: EventStore, heads: Heads, number: int, event: Stored) -> tuple[int, list[bytes]]:
    """Return the leaf of an event in the tree of a head, and its path."""
    head = decode(heads.after(number - 1, 1)[0])
    before = decode(heads.after(number - 2, 1)[0]) if number > 1 else None
    base = base_at(store, before) if before else Frontier()
    tree, index = Tree(base=base), -1
    for stored in everything(store, before.position if before else 0, batch=BATCH, until=head.position):
        if stored.position == event.position:
            index = len(tree)
        tree.add(leaf_hash(stored.position, stored.type, digest(stored.raw)))
    must_be(tree.root(), len(tree), head)
    return index, tree.proof(plan_inclusion(index, len(tree)))
