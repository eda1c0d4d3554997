"""The head that counts for a draw: the first one signed at or after the stated time, once the witness has it."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple, Protocol

import msgspec

BATCH = 1_000


class HeadReader(Protocol):
    """The heads of the property, numbered from 1, as bytes."""

    def after(self, number: int, limit: int = 1_000) -> list[bytes]: ...
    def last(self) -> bytes | None: ...


class HeadTerms(msgspec.Struct, frozen=True):
    """The fields of a head that decide about it: its number, last position and time."""

    number: int
    position: int
    time: str


class CountingHead(NamedTuple):
    """A head's number, time and bytes."""

    number: int
    time: str
    raw: bytes


def covering_head(heads: HeadReader, position: int) -> int | None:
    """Return the number of the first head that covers a position; None for none. Halves the range."""
    raw = heads.last()
    if raw is None or _terms(raw).position < position:
        return None
    low, high = 1, _terms(raw).number
    while low < high:
        middle = (low + high) // 2
        if _terms(heads.after(middle - 1, 1)[0]).position >= position:
            high = middle
        else:
            low = middle + 1
    return low


def counting_head(heads: HeadReader, covering: int, draw_at: str) -> CountingHead | None:
    """Return the first head signed at or after a time, from the one that covers the commitment on; None: none yet."""
    at = datetime.fromisoformat(draw_at)
    for raw in _heads_from(heads, covering):
        terms = _terms(raw)
        if datetime.fromisoformat(terms.time) >= at:
            return CountingHead(terms.number, terms.time, raw)
    return None


def _heads_from(heads: HeadReader, number: int) -> Iterator[bytes]:
    while batch := heads.after(number - 1, BATCH):
        yield from batch
        number += len(batch)


def _terms(raw: bytes) -> HeadTerms:
    return msgspec.json.decode(raw, type=HeadTerms)
