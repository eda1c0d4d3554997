"""The range between two heads: its heads, and the tree at the earlier one."""

from bisect import bisect_left
from collections.abc import Callable
from typing import Any

import msgspec

from events.envelope import digest
from events.error_codes import coded
from events.errors import Conflict
from events.integrity.head_signing import marked_tree
from events.integrity.merkle import Frontier, leaf_hash
from events.integrity.signed_head_format import Head, decode
from events.integrity.signed_head_stores import Heads
from events.store import EventStore, everything

CHUNK = 5_000  # events read at a time


def first_head(heads: Heads, newest: int, is_there: Callable[[Head], bool]) -> int:
    """Return the number of the first head with a property that all later heads have too, by bisection.

    It is the newest head if no earlier one has it.
    """
    return bisect_left(range(1, newest), True, key=lambda number: is_there(head_of(heads, number))) + 1


def head_of(heads: Heads, number: int) -> Head:
    """Return a stored head by its number."""
    return decode(heads.after(number - 1, 1)[0])


def base_at(store: EventStore, head: Head) -> Frontier:
    """Return the tree at a head: from the last stored mark, or from the beginning where that is wrong.

    Raises Conflict where the store makes another tree.
    """
    for base, position in (marked_tree(store, head.property, head.size), (Frontier(), 0)):
        for stored in everything(store, position, batch=CHUNK, until=head.position):
            base.add(leaf_hash(stored.position, stored.type, digest(stored.raw)))
        if (base.root().hex(), base.size) == (head.root, head.size):
            return base
    raise Conflict(coded("store-differs-from-head", number=head.number))


def must_be(root: bytes, size: int, head: Head) -> None:
    """Raise Conflict unless this is the tree that the head speaks of."""
    if (root.hex(), size) != (head.root, head.size):
        raise Conflict(coded("store-differs-from-head", number=head.number))


def head_as_json(head: Head | None) -> dict[str, Any] | None:
    """A head as JSON has it."""
    return None if head is None else msgspec.to_builtins(head)
