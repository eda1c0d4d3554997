"""The Merkle tree of RFC 9162, section 2.1: over the store's events in order, a leaf an event.

A leaf has position, type and digest of an event's bytes, not the bytes. So a range can be proved complete, and shown to
hold no further fact, without showing the contents of other events. Positions may have gaps, leaves have none: the n-th
event is leaf n - 1.

A proof is a list of subtree hashes. Each kind of proof is a *plan* first: the subtrees, as (first, end) pairs of
leaves, in the proof's order.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256

EMPTY = sha256(b"").digest()
Span = tuple[int, int]  # leaves first..end-1


def leaf_hash(position: int, type_: str, digest: bytes) -> bytes:
    """The hash of a leaf: SHA-256 of 0x00, the position in 8 bytes, the type with its length in 2, the digest."""
    return sha256(b"\0" + position.to_bytes(8, "big") + _type_prefix(type_) + digest).digest()


@cache
def _type_prefix(type_: str) -> bytes:
    name = type_.encode()
    return len(name).to_bytes(2, "big") + name


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees."""
    return sha256(b"\1" + left + right).digest()


class Frontier:
    """A growing tree: its complete subtrees only, so a leaf costs two hashes on average and the root a few more."""

    __slots__ = ("hashes", "size")

    def __init__(self, size: int = 0, hashes: Iterable[bytes] = ()) -> None:
        self.size = size
        self.hashes = list(hashes)
        assert len(self.hashes) == size.bit_count(), "one complete subtree for each bit of the size"

    def add(self, leaf: bytes) -> None:
        """Add one more leaf by its hash."""
        self.extend([leaf])

    def extend(self, leaves: Iterable[bytes]) -> None:
        """More leaves, given by their hashes, in order."""
        hashes, size = self.hashes, self.size
        for leaf in leaves:
            behind = size
            while behind & 1:
                leaf = sha256(b"\1" + hashes.pop() + leaf).digest()
                behind >>= 1
            hashes.append(leaf)
            size += 1
        self.size = size

    def root(self) -> bytes:
        """The hash of the whole tree."""
        if not self.hashes:
            return EMPTY
        *left, root = self.hashes
        for hash_ in reversed(left):
            root = node_hash(hash_, root)
        return root


class Tree:
    """A tree with its leaf hashes in memory: makes the proofs.

    With a `base`, the earlier leaves are given by their complete subtrees only: enough for all proofs about later
    leaves.
    """

    def __init__(self, leaves: Iterable[bytes] = (), base: Frontier | None = None) -> None:
        self._leaves = bytearray().join(leaves)
        self._first = base.size if base else 0
        self._base = dict(zip(_complete(self._first), base.hashes if base else (), strict=True))

    def __len__(self) -> int:
        return self._first + len(self._leaves) // 32

    def add(self, leaf: bytes) -> None:
        """One more leaf, given by its hash."""
        self._leaves += leaf

    def hash(self, first: int, end: int) -> bytes:
        """The hash of the subtree of these leaves, complete or not. Raises KeyError for a part of the base."""
        if first >= self._first:
            frontier = Frontier()
            for place in range((first - self._first) * 32, (end - self._first) * 32, 32):
                frontier.add(bytes(self._leaves[place : place + 32]))
            return frontier.root()
        if (first, end) in self._base or end - first == 1:
            return self._base[first, end]
        middle = first + _split(end - first)
        return node_hash(self.hash(first, middle), self.hash(middle, end))

    def root(self, size: int | None = None) -> bytes:
        """The root when the tree had `size` leaves (default: now)."""
        return self.hash(0, len(self) if size is None else size)

    def proof(self, plan: Iterable[Span]) -> list[bytes]:
        """The hashes that a plan asks for."""
        return [self.hash(first, end) for first, end in plan]


# --- plans --------------------------------------------------------------------------------------------------------


def _split(size: int) -> int:
    """The largest power of two below `size`."""
    return 1 << (size - 1).bit_length() - 1


def _complete(size: int) -> list[Span]:
    """The complete subtrees that a frontier of `size` leaves holds, from left to right."""
    spans, first = [], 0
    for bit in reversed(range(size.bit_length())):
        if size >> bit & 1:
            spans.append((first, first + (1 << bit)))
            first += 1 << bit
    return spans


def plan_inclusion(index: int, size: int) -> list[Span]:
    """PATH(index, D[size]): from the leaf upwards. Raises ValueError for a leaf that is not in the tree."""
    if not 0 <= index < size:
        raise ValueError(f"there is no leaf {index} in a tree of {size}")
    first, end, plan = 0, size, []
    while end - first > 1:
        middle = first + _split(end - first)
        if index < middle:
            plan.append((middle, end))
            end = middle
        else:
            plan.append((first, middle))
            first = middle
    return plan[::-1]


def plan_range(first: int, end: int, size: int) -> list[Span]:
    """Return the subtrees around the leaves first..end-1, from left to right: with these leaves they make the root."""
    if not 0 <= first < end <= size:
        raise ValueError(f"leaves {first} to {end} are no range in a tree of {size}")
    return list(_outside(first, end, 0, size))


def _outside(first: int, end: int, low: int, high: int) -> Iterator[Span]:
    if high <= first or low >= end:
        yield low, high
    elif high - low > 1:
        middle = low + _split(high - low)
        yield from _outside(first, end, low, middle)
        yield from _outside(first, end, middle, high)
