"""The tree of RFC 9162, and the proofs of its leaves, against their definitions, written down naively."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.integrity import merkle


def mth(leaves: list[bytes]) -> bytes:
    """MTH of RFC 9162, 2.1.1, word for word (over leaf hashes)."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return sha256(b"\1" + mth(leaves[:k]) + mth(leaves[k:])).digest()


def path(m: int, leaves: list[bytes]) -> list[bytes]:
    """PATH of 2.1.3.1."""
    if len(leaves) == 1:
        return []
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    if m < k:
        return [*path(m, leaves[:k]), mth(leaves[k:])]
    return [*path(m - k, leaves[k:]), mth(leaves[:k])]


def some(size: int) -> list[bytes]:
    return [merkle.leaf_hash(2 * n, "bet.placed.v1", sha256(b"%d" % n).digest()) for n in range(size)]


@pytest.mark.parametrize("size", range(34))
def test_the_growing_tree_has_the_root_of_the_rfc(size: int) -> None:
    frontier = merkle.Frontier()
    for leaf in some(size):
        frontier.add(leaf)
    assert frontier.root() == mth(some(size)) == merkle.Tree(some(size)).root()
    assert merkle.Frontier(frontier.size, frontier.hashes).root() == frontier.root()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 13, 32, 33])
def test_every_inclusion_proof_is_that_of_the_rfc(size: int) -> None:
    leaves, tree = some(size), merkle.Tree(some(size))
    for index in range(size):
        proof = tree.proof(merkle.plan_inclusion(index, size))
        assert proof == path(index, leaves)


@given(st.data(), st.integers(1, 60))
def test_a_range_and_its_proof_are_the_whole_tree(data: st.DataObject, size: int) -> None:
    leaves, tree = some(size), merkle.Tree(some(size))
    first = data.draw(st.integers(0, size - 1))
    end = data.draw(st.integers(first + 1, size))
    plan = merkle.plan_range(first, end, size)
    edges = [0, *(edge for span in plan if span[1] <= first for edge in span), first, end]
    edges += [edge for span in plan if span[0] >= end for edge in span] + [size]
    assert edges[::2] == edges[1::2], "no leaf is left out and none is there twice"
    assert tree.proof(plan) == [mth(leaves[low:high]) for low, high in plan]


def test_there_is_no_inclusion_proof_of_a_missing_leaf() -> None:
    with pytest.raises(ValueError, match="no"):
        merkle.plan_inclusion(3, 3)


def test_a_leaf_binds_position_type_and_content() -> None:
    leaf = merkle.leaf_hash(7, "a.v1", b"\0" * 32)
    assert leaf == sha256(b"\0" + (7).to_bytes(8, "big") + b"\0\4a.v1" + b"\0" * 32).digest()
    others = [(8, "a.v1", b"\0" * 32), (7, "a.v2", b"\0" * 32), (7, "a.v1", b"\1" * 32)]
    assert leaf not in {merkle.leaf_hash(*other) for other in others}


@given(st.integers(1, 80), st.data())
def test_a_tree_with_a_base_proves_what_comes_behind_it(size: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, size - 1))
    base = merkle.Frontier()
    for leaf in some(first):
        base.add(leaf)
    whole, behind = merkle.Tree(some(size)), merkle.Tree(some(size)[first:], base)
    assert (len(behind), behind.root()) == (size, whole.root())
    plan = merkle.plan_range(first, size, size)
    assert behind.proof(plan) == whole.proof(plan)
    if first:
        assert behind.root(first) == base.root()
    if first > 1:
        with pytest.raises(KeyError):
            behind.hash(0, 1) if first.bit_count() == 1 else behind.hash(1, 2)
