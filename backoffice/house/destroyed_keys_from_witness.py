"""Destroyed keys of cases, as a witness knows them by the heads that this house signed."""

import queue
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from http.client import HTTPException
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit
from urllib.request import urlopen

from events.errors import Conflict, PitledgerError, Poison
from events.integrity import witness_file_reader
from events.integrity.signed_head_format import Head, decode, has_signature

READ_S, WHOLE_S = 5.0, 300.0  # for each read of an HTTP witness, and for the whole answer of one by HTTP or Kafka
ANSWER_MAX = 512 << 20  # bytes: about 600,000 heads, half a year of nights; a copy of the file has no limit
_PART = 1 << 20
HEADS = "heads"  # the query by which a witness hands out its file
ADVICE = (
    "The witness knows which keys of cases were destroyed after the backup. Try again, or name a copy of its file: "
    "--witness FILE. With --without-witness these keys come back"
)


def heads_of_file(path: Path, property_: str) -> tuple[bytes, ...]:
    """Return the heads in a witness's file. Raises PitledgerError where it has none of this house."""
    return _vouched(path.read_bytes(), str(path), property_)


def heads_of_witness(address: str, property_: str, *, may_be_empty: bool = False) -> tuple[bytes, ...]:
    """Return the heads that the witness at this address (PITLEDGER_WITNESS) has. Raises Conflict with the way out.

    A witness that `may_be_empty` may have no head yet, such as that of a backup without heads.
    """
    try:
        raw = _read(address, property_, may_be_empty=may_be_empty)
        return () if may_be_empty and not raw else _vouched(raw, address, property_)
    except (PitledgerError, OSError, HTTPException) as error:
        raise Conflict(f"the heads of the witness {address} cannot be read: {error}. {ADVICE}") from error


def _vouched(raw: bytes, name: str, property_: str) -> tuple[bytes, ...]:
    """Return all heads, with those that people gave up: a destruction in another history was a destruction."""
    file = witness_file_reader.read(raw)
    heads = (*file.heads, *file.aside)
    witness_file_reader.must_vouch(name, heads, property_)
    return heads


def _read(address: str, property_: str, *, may_be_empty: bool) -> bytes:
    """Return the witness's file, or bare heads a line."""
    parts = urlsplit(address)
    if parts.scheme == "file":
        folder = Path(unquote(parts.path))
        path = folder / f"heads.{quote(property_, safe='')}.jsonl"
        return b"" if may_be_empty and folder.is_dir() and not path.exists() else path.read_bytes()
    if parts.scheme in ("http", "https"):
        return _within_limits(lambda: _downloaded(f"{address}?{HEADS}"))
    return _within_limits(lambda: _records(parts.netloc, property_))


def _within_limits(parts: Callable[[], Iterator[bytes]]) -> bytes:
    """Return the whole answer of a witness. Raises OSError and HTTPException, also for a slow or long answer.

    A thread of its own asks: name servers and the head of an answer have no time limit together.
    """
    answers: queue.SimpleQueue[bytes | Exception] = queue.SimpleQueue()
    until = time.monotonic() + WHOLE_S

    def ask() -> None:
        try:
            answers.put(_collected(parts(), until))
        except Exception as error:  # raised again below
            answers.put(error)

    threading.Thread(target=ask, name="witness", daemon=True).start()
    try:
        answer = answers.get(timeout=WHOLE_S)
    except queue.Empty:
        raise _too_slow() from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _collected(parts: Iterator[bytes], until: float) -> bytes:
    content = bytearray()
    for part in parts:
        content += part
        if len(content) > ANSWER_MAX:
            raise OSError(f"its answer has more than {ANSWER_MAX >> 20} MB")
        if time.monotonic() > until:
            raise _too_slow()
    return bytes(content)


def _downloaded(address: str) -> Iterator[bytes]:
    with urlopen(address, timeout=READ_S) as answer:  # noqa: S310 - http or https
        while part := answer.read1(_PART):
            yield part
        if answer.length:
            raise OSError("its answer was cut off")


def _records(bootstrap: str, property_: str) -> Iterator[bytes]:
    from events.relay.integrity_heads_topic import published  # here: Kafka's client costs every command its start

    return (raw + b"\n" for raw in published(bootstrap, property_))


def _too_slow() -> TimeoutError:
    return TimeoutError(f"its answer took more than {WHOLE_S:.0f} s")


# --- destroyed keys ---------------------------------------------------------------------------------------------------


def destroyed_by(heads: Collection[bytes], property_: str, trusted: Collection[str]) -> frozenset[str]:
    """Return the cases whose key is destroyed by a head that a trusted key signed.

    Others who can write to the witness destroy nothing.
    """
    return frozenset(case for head in _signed(heads, property_) if head.key in trusted for case in head.destroyed or ())


def doubtful(heads: Collection[bytes], property_: str, trusted: Collection[str]) -> Mapping[str, str]:
    """Return the cases whose key is destroyed only by heads of other keys than the trusted ones: that key by case."""
    sure = destroyed_by(heads, property_, trusted)
    others = {case: head.key for head in _signed(heads, property_) for case in head.destroyed or ()}
    return {case: key for case, key in others.items() if case not in sure}


def _signed(heads: Collection[bytes], property_: str) -> Iterator[Head]:
    for raw in heads:
        try:
            head = decode(raw)
        except Poison:
            continue
        if head.property == property_ and head.destroyed and has_signature(head):
            yield head
