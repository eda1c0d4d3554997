"""Checks of the heads among themselves, of the house and of other holders, before any event is read."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise, repeat
from types import MappingProxyType
from typing import Literal

import msgspec

from events.errors import Poison
from events.integrity.signed_head_format import Head, decode, digest_of, encode, has_signature
from events.signing.last_signed_head_file import LastHead

Kind = Literal[
    "chain", "head", "signature", "fed", "sum", "cut off", "rewritten", "two heads", "guard", "topic", "log", "witness",
    "read model", "given out", "report", "looks", "key",
]  # fmt: skip


class Finding(msgspec.Struct, frozen=True):
    """One finding: its kind, position (0: nowhere in the store), event and message.

    `more` counts the consequences and further findings of the same kind.
    """

    kind: Kind
    position: int
    message: str
    event: str = ""
    further_findings: int = msgspec.field(name="more", default=0)


class Witness(msgspec.Struct, frozen=True):
    """Heads of one holder: the house ("store"), the topic, a file.

    `places`: the number under which each is stored, where its readers use that.
    """

    name: str
    heads: list[bytes]
    places: Sequence[int] = ()


class SeenHead(msgspec.Struct, frozen=True):
    """A head, and its holder."""

    head: Head
    witness: str


def examined(
    witnesses: Sequence[Witness],
    property_: str,
    trusted_keys: Collection[str],
    remembered_head: LastHead | None,
    former: Mapping[str, int] = MappingProxyType({}),
) -> tuple[list[SeenHead], list[Finding]]:
    """Return all different heads that are signed by the house, and the first error of the heads as such, by number.

    `former`: keys that no longer sign behind a head.
    """
    seen_heads, faults = _collect(witnesses)
    faults += [
        (each.head.number, finding) for each in seen_heads for finding in _signed(each, property_, trusted_keys, former)
    ]
    faults += list(_links(seen_heads))
    faults += list(_check_last_head(remembered_head, witnesses[:1]))
    faults.sort(key=lambda numbered_finding: numbered_finding[0])
    first = [msgspec.structs.replace(faults[0][1], further_findings=len(faults) - 1)] if faults else []
    own_heads = [
        each
        for each in seen_heads
        if not trusted_keys or (each.head.key in trusted_keys and not _is_former(each.head, former))
    ]
    return [each for each in own_heads if has_signature(each.head)], first


_Wrong = tuple[int, Finding]  # by the head's number


def _collect(witnesses: Sequence[Witness]) -> tuple[list[SeenHead], list[_Wrong]]:
    """All different heads, and two of one number."""
    faults: list[_Wrong] = []
    first: dict[int, tuple[bytes, str]] = {}
    seen_heads: list[SeenHead] = []
    for witness in witnesses:
        last, known_heads = 0, set[bytes]()
        for place, raw in zip(witness.places or repeat(0), witness.heads, strict=False):
            if raw in known_heads and not place:
                continue
            try:
                head = decode(raw)
            except Poison as error:
                faults.append((last + 1, Finding("head", 0, f"head {last + 1} of {witness.name} is no head: {error}")))
                continue
            if place not in (0, head.number):
                message = f"in the place of head {place} of {witness.name} lies head {head.number}"
                faults.append((min(place, head.number), Finding("head", head.position, message)))
            if raw in known_heads:
                continue
            known_heads.add(raw)
            last = head.number
            before = first.setdefault(head.number, (raw, witness.name))
            if before[0] != raw:
                message = f"head {head.number} of {witness.name} is not that of {before[1]}"
                faults.append((head.number, Finding("two heads", head.position, message)))
            elif before[1] != witness.name:
                continue  # the same head again, from another witness
            seen_heads.append(SeenHead(head, witness.name))
    return seen_heads, faults


def _links(seen_heads: Sequence[SeenHead]) -> Iterable[_Wrong]:
    """Every head names the one before it; a number that no one has is a head that was taken away.

    Of two heads of one number any may be the one that is named.
    """
    by_number: dict[int, list[Head]] = {}
    for each in seen_heads:
        by_number.setdefault(each.head.number, []).append(each.head)
    for before, number in pairwise([0, *sorted(by_number)]):
        head = by_number[number][0]
        if number != before + 1:
            lost = f"head {before + 1} is" if number == before + 2 else f"heads {before + 1} to {number - 1} are"
            yield before + 1, Finding("head", head.position, f"{lost} missing")
            continue
        named = {digest_of(encode(head_before)) for head_before in by_number[before]} if before else {""}
        if not any(named_head.previous in named for named_head in by_number[number]):
            message = f"head {number} does not follow head {before}: one was replaced"
            yield number, Finding("head", head.position, message)


def _is_former(head: Head, former: Mapping[str, int]) -> bool:
    """Return whether its named key no longer signed by then."""
    return head.number > former.get(head.key, head.number)


def _signed(
    each: SeenHead, property_: str, trusted_keys: Collection[str], former: Mapping[str, int]
) -> Iterable[Finding]:
    head = each.head
    if head.property != property_:
        yield Finding("head", head.position, f"head {head.number} of {each.witness} is of {head.property}")
    if not has_signature(head):
        yield Finding("signature", head.position, f"head {head.number} of {each.witness} is not signed by its key")
    elif trusted_keys and head.key not in trusted_keys:
        message = f"head {head.number} of {each.witness} is signed by {head.key}, which is no key of this house"
        yield Finding("signature", head.position, message)
    elif trusted_keys and _is_former(head, former):
        clause = f"which signs nothing any more behind head {former[head.key]}"
        message = f"head {head.number} of {each.witness} is signed by {head.key}, {clause}"
        yield Finding("signature", head.position, message)


def _check_last_head(last: LastHead | None, house: Sequence[Witness]) -> Iterable[_Wrong]:
    """Check that the signer's last head is stored with the house's own."""
    if last is None:
        return
    digests = {digest_of(raw) for witness in house for raw in witness.heads}
    if last.digest not in digests:
        message = f"head {last.number}, the signer's last, is missing: the heads were emptied, cut off or replaced"
        yield last.number, Finding("head", last.position, message)
