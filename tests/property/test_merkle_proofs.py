"""Auditors' programs accept every valid Merkle proof, and refuse it after any single change.

Inclusion is checked by `tools/verify_case.py` and `tools/verify_draw.py`, consistency of two heads by
`tools/verify_certificate.py` and `tools/verify_day.py`. The product makes these proofs and checks none. A change is
refused unless the proof stays a true one: each test says which by the leaves, not by what the programs accept.
"""

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any, TypeVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.integrity import merkle
from tests.unit.integrity.test_merkle import mth, path
from tools import verify_case, verify_certificate, verify_day, verify_draw

T = TypeVar("T")
Json = dict[str, Any]
Draw = st.DataObject
PROPERTY, STREAM, TYPE = "athens", "athens/progressives/blazing", "meter.noted.v1"
GAP = 10  # between two positions
NODES = ("flipped bit", "dropped node", "added node", "swapped nodes")


def digest(text: str) -> bytes:
    return sha256(text.encode()).digest()


def flipped(data: Draw, hash_: bytes) -> bytes:
    bit = data.draw(st.integers(0, 255))
    return (int.from_bytes(hash_, "big") ^ 1 << bit).to_bytes(32, "big")


def swapped(data: Draw, items: list[T]) -> list[T]:
    """The same items where a place is swapped with itself, or with an equal item."""
    first, second = (data.draw(st.integers(0, len(items) - 1)) for _ in range(2))
    copy = list(items)
    copy[first], copy[second] = copy[second], copy[first]
    return copy


def changed_nodes(data: Draw, change: str, nodes: list[bytes]) -> list[bytes]:
    if change == "added node":
        place = data.draw(st.integers(0, len(nodes)))
        return [*nodes[:place], data.draw(st.sampled_from([*nodes, merkle.EMPTY])), *nodes[place:]]
    if change == "swapped nodes":
        return swapped(data, nodes)
    place = data.draw(st.integers(0, len(nodes) - 1))
    replacement = [flipped(data, nodes[place])] if change == "flipped bit" else []
    return [*nodes[:place], *replacement, *nodes[place + 1 :]]


# --- inclusion --------------------------------------------------------------------------------------------------------


class Inclusion(msgspec.Struct, frozen=True):
    """An event with its place in a tree, and the hashes along its path."""

    position: int
    text: str
    index: int
    size: int
    root: bytes
    path: list[bytes]

    @property
    def leaf(self) -> bytes:
        return merkle.leaf_hash(self.position, json.loads(self.text)["type"], digest(self.text))


def is_accepted_in_a_case(claim: Inclusion) -> bool:
    leaf = {
        "position": claim.position,
        "type": json.loads(claim.text)["type"],
        "sha256": digest(claim.text).hex(),
        "index": claim.index,
        "proof": [node.hex() for node in claim.path],
    }
    return verify_case.is_covered({"size": claim.size, "root": claim.root.hex()}, leaf)


def is_accepted_of_a_draw(claim: Inclusion) -> bool:
    place = {"position": claim.position, "index": claim.index, "inclusion": [node.hex() for node in claim.path]}
    head = {"number": 1, "size": claim.size, "root": claim.root.hex(), "position": 1_000}
    try:
        verify_draw.check_place("the event", claim.text, place, head)
    except verify_draw.DrawProofError:
        return False
    return True


def sides(index: int, size: int) -> list[str]:
    """Return the side on which each hash of a path lies, from the leaf upwards."""
    if size == 1:
        return []
    middle = 1
    while middle * 2 < size:
        middle *= 2
    if index < middle:
        return [*sides(index, middle), "right"]
    return [*sides(index - middle, size - middle), "left"]


def is_true(claim: Inclusion, original: Inclusion, leaves: list[bytes]) -> bool:
    """Return whether the leaves have this proof.

    A root does not say of how many leaves it is: the head's signature does. So in a tree of another size a proof stays
    the same one where its hashes lie on the same sides.
    """
    if claim.root != original.root or not 0 <= claim.index < claim.size:
        return False
    if claim.size != original.size:
        return sides(claim.index, claim.size) == sides(original.index, original.size)
    return (claim.leaf, claim.path) == (leaves[claim.index], path(claim.index, leaves))


def changed_inclusion(data: Draw, change: str, claim: Inclusion) -> Inclusion:
    if change in NODES:
        return msgspec.structs.replace(claim, path=changed_nodes(data, change, claim.path))
    if change == "other index":
        return msgspec.structs.replace(claim, index=data.draw(st.integers(-1, claim.size + 1)))
    if change == "other size":
        return msgspec.structs.replace(claim, size=data.draw(st.integers(0, 2 * claim.size + 1)))
    if change == "other root":
        return msgspec.structs.replace(claim, root=flipped(data, claim.root))
    if change == "other position":
        return msgspec.structs.replace(claim, position=data.draw(st.integers(1, 1_000)))
    event = json.loads(claim.text)
    event[data.draw(st.sampled_from(["type", "note"]))] = data.draw(st.text("ab.", max_size=3))
    return msgspec.structs.replace(claim, text=json.dumps(event))


@pytest.mark.parametrize(
    "change", [*NODES, "other index", "other size", "other root", "other position", "other content"]
)
@given(data=st.data())
def test_a_changed_inclusion_proof_is_refused(change: str, data: Draw) -> None:
    """Events repeat, unlike a house's: so equal hashes lie in a path, and an event is at more than one index."""
    kinds = data.draw(st.lists(st.integers(1, 3), min_size=2, max_size=40))
    texts = [json.dumps({"type": TYPE, "note": str(kind)}) for kind in kinds]
    leaves = [merkle.leaf_hash(kind, TYPE, digest(text)) for kind, text in zip(kinds, texts, strict=True)]
    index = data.draw(st.integers(0, len(leaves) - 1))
    hashes = merkle.Tree(leaves).proof(merkle.plan_inclusion(index, len(leaves)))
    original = Inclusion(kinds[index], texts[index], index, len(leaves), mth(leaves), hashes)
    claim = changed_inclusion(data, change, original)
    assert is_true(original, original, leaves)
    for is_accepted in (is_accepted_in_a_case, is_accepted_of_a_draw):
        assert is_accepted(original)
        assert is_accepted(claim) == is_true(claim, original, leaves)


# --- consistency ------------------------------------------------------------------------------------------------------


class Leaf(msgspec.Struct, frozen=True):
    """An event between two heads."""

    position: int
    text: str

    @property
    def type(self) -> str:
        return str(json.loads(self.text)["type"])

    @property
    def hash(self) -> bytes:
        return merkle.leaf_hash(self.position, self.type, digest(self.text))


class Consistency(msgspec.Struct, frozen=True):
    """Two heads with the events between them; `front` are the complete subtrees of the earlier one."""

    before: Json | None
    after: Json
    front: list[bytes]
    leaves: list[Leaf]


def event_of(number: int, own: int) -> Leaf:
    """Return the event of a number; `own` is that of the progressive, which a certificate shows."""
    stream = STREAM if number == own else f"{PROPERTY}/floor"
    event = {"id": f"{stream}@1", "subject": stream, "prev": digest(stream).hex(), "type": TYPE, "n": number}
    return Leaf(GAP * (number + 1), json.dumps(event))


def head(number: int, leaves: list[bytes]) -> Json:
    size = len(leaves)
    fixed = {"type": "pitledger.head.v1", "property": PROPERTY, "time": "2026-11-20", "key": "a", "signature": "b"}
    return fixed | {"number": number, "size": size, "position": GAP * size, "root": mth(leaves).hex()}


def is_accepted_in_a_certificate(claim: Consistency) -> bool:
    made = {
        "property": PROPERTY,
        "progressive": STREAM,
        "heads": {"before": claim.before, "after": claim.after},
        "range": {
            "leaves": [[leaf.position, leaf.type, digest(leaf.text).hex()] for leaf in claim.leaves],
            "proof": [node.hex() for node in claim.front],
        },
        "events": [{"position": leaf.position, "event": leaf.text} for leaf in claim.leaves if STREAM in leaf.text],
    }
    try:
        verify_certificate.open_log(made, ())
    except (
        verify_certificate.CertificateError,
        LookupError,
        StopIteration,
    ):
        return False
    return True


def is_accepted_of_a_day(claim: Consistency) -> bool:
    header = {
        "type": "pitledger.day.v2",
        "property": PROPERTY,
        "day": "2026-11-28",
        "until": 0,
        "heads": {"before": claim.before, "after": claim.after},
        "front": [node.hex() for node in claim.front],
    }
    try:
        log = verify_day.VerifiedLog(day_lines(claim), header, verify_day.check_heads(header, ()))
        return [*log.events()] == []
    except verify_day.DayProofError:
        return False


def day_lines(claim: Consistency) -> Iterator[bytes]:
    """Yield a file's events and the roots between, which are those of these events: only the heads contradict them."""
    tree = merkle.Frontier(claim.before["size"] if claim.before else 0, claim.front)
    for leaf in claim.leaves:
        tree.add(leaf.hash)
        yield verify_day.written([leaf.position, leaf.type, digest(leaf.text).hex()]) + b"\n"
        if tree.size % verify_day.MARK == 0 or tree.size == claim.after["size"]:
            yield verify_day.written(tree.root().hex()) + b"\n"


def changed_leaves(data: Draw, change: str, leaves: list[Leaf]) -> list[Leaf]:
    if change == "swapped events":
        texts = swapped(data, [leaf.text for leaf in leaves])
        return [Leaf(leaf.position, text) for leaf, text in zip(leaves, texts, strict=True)]
    place = data.draw(st.integers(0, len(leaves) - 1))
    if change == "added event":
        behind = Leaf(leaves[place].position + GAP // 2, json.dumps({"type": TYPE}))
        return [*leaves[: place + 1], behind, *leaves[place + 1 :]]
    if change == "other position":
        leaf = msgspec.structs.replace(leaves[place], position=leaves[place].position + data.draw(st.integers(-9, 9)))
    else:
        leaf = msgspec.structs.replace(leaves[place], text=leaves[place].text.replace('"n"', '"m"'))
    return [*leaves[:place], *([] if change == "dropped event" else [leaf]), *leaves[place + 1 :]]


def changed_head(data: Draw, change: str, head: Json) -> Json:
    if change.endswith("root"):
        return head | {"root": flipped(data, bytes.fromhex(head["root"])).hex()}
    return head | {"size": data.draw(st.integers(0, 2 * head["size"] + 1))}


EVENTS = ("other content", "other position", "dropped event", "added event", "swapped events")


def changed_consistency(data: Draw, change: str, claim: Consistency) -> Consistency:
    if change in NODES:
        return msgspec.structs.replace(claim, front=changed_nodes(data, change, claim.front))
    if change in EVENTS:
        return msgspec.structs.replace(claim, leaves=changed_leaves(data, change, claim.leaves))
    if change.startswith("later"):
        return msgspec.structs.replace(claim, after=changed_head(data, change, claim.after))
    assert claim.before is not None
    return msgspec.structs.replace(claim, before=changed_head(data, change, claim.before))


HEADS = ("earlier size", "earlier root", "later size", "later root")
MAY_BEGIN = ("added node", *EVENTS, "later size", "later root")  # also in a file that begins with the first event


@pytest.mark.parametrize("change", [*NODES, *EVENTS, *HEADS])
@given(data=st.data())
def test_a_changed_consistency_proof_is_refused(change: str, data: Draw) -> None:
    """Even where the house signed every head: no signature is checked here."""
    size = data.draw(st.integers(2, 80))
    first = data.draw(st.integers(change not in MAY_BEGIN, size - 1))
    own = data.draw(st.integers(first, size - 1))
    events = [event_of(number, own) for number in range(size)]
    hashes = [leaf.hash for leaf in events]
    front = merkle.Tree(hashes).proof(merkle.plan_range(first, size, size))
    before = head(1, hashes[:first]) if first else None
    original = Consistency(before, head(2, hashes), front, events[first:])
    claim = changed_consistency(data, change, original)
    is_accepted: Callable[[Consistency], bool]
    with pytest.MonkeyPatch.context() as patched:
        for program, is_accepted in (
            (verify_certificate, is_accepted_in_a_certificate),
            (verify_day, is_accepted_of_a_day),
        ):
            patched.setattr(program, "is_signed", lambda *_: True)
            assert is_accepted(original)
            assert is_accepted(claim) == (claim == original)
