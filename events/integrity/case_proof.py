"""The proof of a case's export: its events under a signed head, each by an inclusion proof (RFC 9162, 2.1.3).

The reader's checks are in `tools/verify_case.py`, which needs no other module of the project.
"""

import json
from collections.abc import Callable, Collection, Mapping

import msgspec

from events.envelope import digest
from events.error_codes import coded
from events.errors import Conflict
from events.integrity.head_signing import MARK_EVERY, marked_tree
from events.integrity.merkle import Frontier, Span, Tree, leaf_hash, node_hash, plan_inclusion
from events.integrity.signed_head_format import Head
from events.integrity.tree_rebuilt_at_signed_head import CHUNK, must_be
from events.store import EventStore, Stored, everything

Progress = Callable[[int], None]
SMALL = 64  # leaves: a subtree of so few is hashed again for each proof


class ProvedEvent(msgspec.Struct, frozen=True):
    """A leaf of the head's tree: position, id, type and SHA-256 of an event, its index, and the hashes along its path.

    `raw` are the event's own bytes; they are in another file of the export.
    """

    position: int
    id: str
    type: str
    sha256: str
    index: int
    proof: tuple[str, ...]
    raw: bytes

    @property
    def leaf(self) -> dict[str, object]:
        """The leaf as JSON has it."""
        return {name: value for name, value in msgspec.to_builtins(self).items() if name != "raw"}


def prove(
    store: EventStore, head: Head, positions: Collection[int], progress: Progress | None = None
) -> dict[int, ProvedEvent]:
    """Return the events at these positions with their proofs under the head, by position.

    Reads the store from the last kept mark of its tree before the first of them. Raises Conflict where the store is not
    the one that the head covers, or has no such event.
    """
    for base, begin in (_base_before(store, head, min(positions)), (Frontier(), 0)):
        tree, placed = _read(store, head, base, begin, positions, progress)
        if (tree.root().hex(), len(tree)) == (head.root, head.size):
            break
    must_be(tree.root(), len(tree), head)
    if missing := set(positions) - placed.keys():
        raise Conflict(coded("head-does-not-cover", position=min(missing)))
    paths = _Paths(tree, base.size, head.size)
    return {position: _proved(paths, stored, index) for position, (stored, index) in sorted(placed.items())}


def _base_before(store: EventStore, head: Head, position: int) -> tuple[Frontier, int]:
    """Return the tree's last stored mark before a position. A tree has fewer leaves than positions."""
    size = position - 1
    while size >= MARK_EVERY:
        base, at = marked_tree(store, head.property, size)
        if at < position:
            return base, at
        size -= MARK_EVERY
    return Frontier(), 0


Placed = Mapping[int, tuple[Stored, int]]


def _read(
    store: EventStore, head: Head, base: Frontier, begin: int, positions: Collection[int], progress: Progress | None
) -> tuple[Tree, Placed]:
    """The tree from a mark on, and the wanted events by position, each with its index."""
    tree, placed = Tree(base=base), dict[int, tuple[Stored, int]]()
    wanted = frozenset(positions)
    for stored in everything(store, begin, batch=CHUNK, until=head.position):
        if stored.position in wanted:
            placed[stored.position] = stored, len(tree)
        tree.add(leaf_hash(stored.position, stored.type, digest(stored.raw)))
        if progress is not None and len(tree) % CHUNK == 0:
            progress(stored.position)
    return tree, placed


class _Paths:
    """The inclusion proofs of a tree. Large subtrees occur in many of them, and are hashed once."""

    def __init__(self, tree: Tree, base: int, size: int) -> None:
        self._tree, self._base, self._size = tree, base, size
        self._hashes: dict[Span, bytes] = {}

    def path(self, index: int) -> tuple[str, ...]:
        """Return the hashes along a leaf's path, in hex."""
        return tuple(self._hash(span).hex() for span in plan_inclusion(index, self._size))

    def _hash(self, span: Span) -> bytes:
        known_hash = self._hashes.get(span)
        return known_hash if known_hash is not None else self._hashes.setdefault(span, self._computed_hash(span))

    def _computed_hash(self, span: Span) -> bytes:
        first, end = span
        if first < self._base or end - first <= SMALL:
            return self._tree.hash(first, end)
        middle = first + (1 << (end - first - 1).bit_length() - 1)
        return node_hash(self._hash((first, middle)), self._hash((middle, end)))


def _proved(paths: _Paths, stored_event: Stored, index: int) -> ProvedEvent:
    return ProvedEvent(
        position=stored_event.position,
        id=json.loads(stored_event.raw)["id"],
        type=stored_event.type,
        sha256=digest(stored_event.raw).hex(),
        index=index,
        proof=paths.path(index),
        raw=stored_event.raw,
    )
