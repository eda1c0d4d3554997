"""Checks of an outside witness (`tools/witness.py`) for the audit: heads, gaps, refusals.

The file is append-only and chained, and its heads are signed by the house. A file of bare heads, one a line, is read
as well: a copy of the topic is a witness who keeps no times.
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise

import msgspec

from events.error_codes import coded
from events.errors import Poison

GAP_S = 300.0  # between two heads; a longer gap is reported


class WitnessedGiveUp(msgspec.Struct, frozen=True):
    """A decision to continue from head `last_kept` after a backup, and its reason."""

    last_kept: int = msgspec.field(name="kept")
    seen: str
    reason: str


class WitnessFile(msgspec.Struct, frozen=True):
    """`heads` are those that count, in order; `aside` those that were given up. `amiss` are the errors of the file."""

    heads: list[bytes]
    aside: list[bytes]
    refused: list[bytes]
    given_up: list[WitnessedGiveUp]
    gaps: list[str]
    amiss: list[str]
    seen: str = ""


class _Line(msgspec.Struct):
    """One line of the file: exactly one of head, refused and give_up."""

    seen: str
    previous: str
    head: str | None = None
    refused: str | None = None
    give_up: int | None = None
    reason: str = ""


class _Numbered(msgspec.Struct):
    number: int


class _PropertyName(msgspec.Struct):
    property: str


_decode = msgspec.json.Decoder(_Line).decode
_number = msgspec.json.Decoder(_Numbered).decode
_decode_property = msgspec.json.Decoder(_PropertyName).decode


def read(raw: bytes, gap_s: float = GAP_S) -> WitnessFile:
    """Return the file of a witness, or of bare heads a line. Raises `Poison` for any other file."""
    lines = [line for line in raw.split(b"\n")[: None if raw.endswith(b"}") else -1] if line.strip()]
    if lines and b'"pitledger.head.v1"' in lines[0] and not lines[0].startswith(b'{"seen"'):
        return WitnessFile(lines, [], [], [], [], [])
    lines_read, amiss = _chained(lines)
    witnessed = WitnessFile([], [], [], [], _gaps(lines_read, gap_s), amiss, lines_read[-1].seen if lines_read else "")
    for line in lines_read:
        _sort(witnessed, line)
    return witnessed


def must_vouch(name: str, raws: Iterable[bytes], property_: str) -> None:
    """Raise `Poison` for a file without heads of this house.

    "Everything holds" must not depend on a witness without a head.
    """
    properties = {*map(_property_of, raws)}
    if not properties:
        raise Poison(coded("witness-without-heads", file=name))
    if properties.isdisjoint({property_, ""}):
        raise Poison(coded("witness-of-another-property", file=name, properties=sorted(properties), property=property_))


def _property_of(raw: bytes) -> str:
    """Return the property of a head; empty for a malformed head, which the audit reports."""
    try:
        return _decode_property(raw).property
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ""


def _chained(lines: Iterable[bytes]) -> tuple[list[_Line], list[str]]:
    """Return the lines, with a message about the first that does not follow the one before it."""
    lines_read: list[_Line] = []
    amiss: list[str] = []
    end = ""
    for number, line in enumerate(lines, 1):
        try:
            decoded_line = _decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise Poison(coded("witness-line-wrong", number=number, why=str(error))) from error
        if decoded_line.previous != end and not amiss:
            amiss.append(f"line {number} of the witness's file does not follow the line before it: it was changed")
        end = hashlib.sha256(line + b"\n").hexdigest()
        lines_read.append(decoded_line)
    return lines_read, amiss


def _sort(witnessed: WitnessFile, line: _Line) -> None:
    if line.head is not None:
        witnessed.heads.append(line.head.encode())
    elif line.refused is not None:
        witnessed.refused.append(line.refused.encode())
    elif line.give_up is not None:
        last_kept = line.give_up
        witnessed.given_up.append(WitnessedGiveUp(last_kept, line.seen, line.reason))
        witnessed.aside.extend(raw for raw in witnessed.heads if _number(raw).number > last_kept)
        witnessed.heads[:] = [raw for raw in witnessed.heads if _number(raw).number <= last_kept]


def _gaps(lines_read: Sequence[_Line], gap_s: float) -> list[str]:
    heads = [(line.seen, _number(line.head.encode()).number) for line in lines_read if line.head is not None]
    return [
        f"nothing was witnessed between head {before[1]} at {before[0]} and head {after[1]} at {after[0]}"
        for before, after in pairwise(heads)
        if (datetime.fromisoformat(after[0]) - datetime.fromisoformat(before[0])).total_seconds() > gap_s
    ]
