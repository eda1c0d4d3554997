"""Destroyed keys of cases, as a witness knows them by the heads that this house signed."""

from collections.abc import Collection, Iterator
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit
from urllib.request import urlopen

from events.errors import Conflict, PitledgerError, Poison
from events.integrity import witness_checks
from events.integrity.heads import Head, decode, has_signature

ANSWER_S = 10.0
HEADS = "heads"  # the query by which a witness hands out its file
ADVICE = (
    "The witness knows which keys of cases were destroyed after the backup. Try again, or name a copy of its file: "
    "--witness FILE. With --without-witness these keys come back"
)


def heads_of_file(path: Path, property_: str) -> tuple[bytes, ...]:
    """Return the heads in a witness's file. Raises PitledgerError where it has none of this house."""
    return _vouched(path.read_bytes(), str(path), property_)


def heads_of_witness(address: str, property_: str) -> tuple[bytes, ...]:
    """Return the heads that the witness at this address (PITLEDGER_WITNESS) has. Raises Conflict with the way out."""
    try:
        return _vouched(_read(address, property_), address, property_)
    except (PitledgerError, OSError) as error:
        raise Conflict(f"the heads of the witness {address} cannot be read: {error}. {ADVICE}") from error


def _vouched(raw: bytes, name: str, property_: str) -> tuple[bytes, ...]:
    """Return all heads, with those that people gave up: a destruction in another history was a destruction."""
    file = witness_checks.read(raw)
    heads = (*file.heads, *file.aside)
    witness_checks.must_vouch(name, heads, property_)
    return heads


def _read(address: str, property_: str) -> bytes:
    """Return the witness's file, or bare heads a line."""
    parts = urlsplit(address)
    if parts.scheme in ("http", "https"):
        with urlopen(f"{address}?{HEADS}", timeout=ANSWER_S) as answer:  # noqa: S310 - http or https
            return bytes(answer.read())
    if parts.scheme == "file":
        return (Path(unquote(parts.path)) / f"heads.{quote(property_, safe='')}.jsonl").read_bytes()
    from events.relay.heads import published  # here: Kafka's client costs every command its start

    return b"".join(raw + b"\n" for raw in published(parts.netloc, property_))


def destroyed_by(heads: Collection[bytes], property_: str, trusted: Collection[str]) -> frozenset[str]:
    """Return the cases whose key is destroyed by a head that a trusted key signed; none trusted: by any signed head.

    Others who can write to the witness destroy nothing.
    """
    return frozenset(case for head in _signed(heads, property_, trusted) for case in head.destroyed or ())


def _signed(heads: Collection[bytes], property_: str, trusted: Collection[str]) -> Iterator[Head]:
    for raw in heads:
        try:
            head = decode(raw)
        except Poison:
            continue
        if head.property == property_ and (not trusted or head.key in trusted) and has_signature(head):
            yield head
