"""Heads: the number of events, the root of their tree, the stakes fed by then, and the signer.

A head's bytes are a JSON object; they are kept and published as they are. Signed are the bytes of the same object
without "signature": keys sorted, no spaces, ASCII.
"""

import hashlib
import json
from typing import Literal

import msgspec

from events.error_codes import coded
from events.errors import Poison
from events.signing.house_signing_key import Signer, is_signed

Fed = dict[str, dict[str, int]]  # progressive's stream -> level -> millionths of a minor unit, since its opening


class Looked(msgspec.Struct, frozen=True, kw_only=True):
    """Extent of the access log: its number of lines, and the digest of the last ("" for an empty log)."""

    lines: int
    digest: str


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """One head. `size` events up to and with `position` make the tree with this `root`.

    Heads of a property are numbered from 1; `previous` is the SHA-256 of the bytes of the one before (of the first:
    empty). `fed` are the contributions of stakes to every level's meter by then, refusals apart. `looked` is left out
    by signers that could not read the access log, and by every head before there was one. `destroyed` are the cases
    whose key is destroyed by then, left out without any.
    """

    type: Literal["pitledger.head.v1"]
    property: str
    number: int
    size: int
    position: int
    root: str
    time: str
    previous: str
    fed: Fed
    key: str
    signature: str = ""
    looked: Looked | msgspec.UnsetType = msgspec.UNSET
    destroyed: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET


def signed_bytes(head: Head) -> bytes:
    """Return the bytes that are signed."""
    fields = msgspec.to_builtins(head)
    del fields["signature"]
    return json.dumps(fields, sort_keys=True, separators=(",", ":")).encode("ascii")


def sign(head: Head, by: Signer) -> Head:
    """The head with its signature."""
    named = msgspec.structs.replace(head, key=by.public, signature="")
    return msgspec.structs.replace(named, signature=by.sign(signed_bytes(named)))


def has_signature(head: Head) -> bool:
    """Return whether its named key signed it."""
    return is_signed(head.key, head.signature, signed_bytes(head))


def encode(head: Head) -> bytes:
    """Return the permanent bytes of a head."""
    return msgspec.json.encode(head)


def decode(raw: bytes) -> Head:
    """A head from its bytes. Raises `Poison` for anything else."""
    try:
        return msgspec.json.decode(raw, type=Head)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Poison(coded("not-a-head", why=str(error))) from error


def digest_of(raw: bytes) -> str:
    """Return the digest that the next head's `previous` must have."""
    return hashlib.sha256(raw).hexdigest()
