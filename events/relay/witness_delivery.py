"""Sends the heads to a witness outside the house (PITLEDGER_WITNESS), in order, after the witness's last one.

Three ways: by HTTP (`tools/witness.py serve`), into a file for others to fetch (a file drop), to another broker's
topic. The sent heads are not stored, since the other side has them. The last contact is recorded in the access log's
database, for people.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import Request, urlopen

import msgspec

from events.error_codes import coded
from events.errors import Conflict, Poison, Retry
from events.integrity.signed_head_format import decode
from events.integrity.signed_head_stores import Heads, in_order
from events.settings.settings_from_environment import settings
from events.signing.last_signed_head_file import GivenUpHeads
from events.store.named_notes_shared_by_processes import Notes

ANSWER_S = 5.0
BATCH_MAX = 200  # heads at once; a witness who was away for a day lacks 8,640
FULL = 507  # the witness's disk
PASSING = {408, 425, 429}  # of a client's errors those that pass
NOTE = "witness"


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """State of the witness, as the house knows it: the last head it took, the last contact, the error.

    `since` is the time of the first attempt.
    """

    where: str
    since: str = ""
    last: int = 0
    reached: str = ""
    tried: str = ""
    why: str = ""


class _WitnessAnswer(msgspec.Struct):
    """The witness's answer."""

    last: int
    refused: list[str] = []


def hand_over(heads: Heads, address: str, property_: str, given_up_heads: Sequence[GivenUpHeads] = ()) -> int:
    """Send the heads that the witness lacks; return the number of its last head. Raises Retry, and Conflict where it
    contradicts."""
    kind = urlsplit(address).scheme
    if kind in ("http", "https"):
        return _by_http(heads, address)
    if kind == "file":
        path = Path(unquote(urlsplit(address).path)) / f"heads.{quote(property_, safe='')}.jsonl"
        return _by_file(heads, path, given_up_heads)
    from events.relay.integrity_heads_topic import (
        publish,  # here and below: the display of published heads needs no Kafka client
    )

    publish(heads, urlsplit(address).netloc, property_, given_up_heads)
    last = heads.last()
    return decode(last).number if last else 0


# --- by HTTP ----------------------------------------------------------------------------------------------------------


def _by_http(heads: Heads, url: str) -> int:
    answer = _request(url)
    if answer.last and not heads.after(answer.last - 1, 1):
        raise Conflict(coded("witness-has-more-heads", number=answer.last))
    for batch in in_order(heads, answer.last, BATCH_MAX):
        answer = _request(url, b"\n".join(batch))
    return answer.last


def _request(url: str, body: bytes | None = None) -> _WitnessAnswer:
    """The witness's answer. Raises Conflict for one that refuses, Retry for none."""
    request = Request(url, body)  # noqa: S310 - http or https: no other comes here
    try:
        with urlopen(request, timeout=ANSWER_S) as answer:  # noqa: S310 - see above
            return _read(answer)
    except HTTPError as error:
        with error:
            if error.code == 409:
                raise Conflict(coded("witness-refuses", why="; ".join(_read(error).refused))) from error
            if error.code == FULL:
                raise Retry(coded("witness-full", why="; ".join(_read(error).refused))) from error
            if 400 <= error.code < 500 and error.code not in PASSING:
                raise Conflict(coded("witness-address-wrong", status=error.code)) from error
            raise Retry(coded("witness-failed", status=error.code)) from error
    except (URLError, OSError) as error:
        raise Retry(coded("witness-silent", why=str(error))) from error


def _read(answer: Any) -> _WitnessAnswer:
    try:
        return msgspec.json.decode(answer.read(1_000_000), type=_WitnessAnswer)
    except msgspec.MsgspecError as error:
        raise Retry(coded("not-a-witness", why=str(error))) from error


# --- by a file --------------------------------------------------------------------------------------------------------


def _by_file(heads: Heads, path: Path, given_up_heads: Sequence[GivenUpHeads]) -> int:
    """Append the heads that the file lacks; its last line shows its end."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as file:
            raw = _last_line(file, path)
            number = decode(raw).number if raw else 0
            if raw and heads.after(number - 1, 1) != [raw]:
                from events.relay.integrity_heads_topic import is_given_up

                if (without := is_given_up(raw, given_up_heads)) is None:
                    raise Conflict(coded("witness-file-differs", file=path.name, number=number))
                number = without.last_kept
            for batch in in_order(heads, number, BATCH_MAX):
                file.write(b"".join(raw_head + b"\n" for raw_head in batch))
                number += len(batch)
            file.flush()
            os.fsync(file.fileno())
            return number
    except OSError as error:
        raise Retry(coded("witness-file-not-written", why=str(error))) from error
    except Poison as error:
        raise Conflict(coded("witness-file-damaged", file=path.name, why=str(error))) from error


def _last_line(file: Any, path: Path) -> bytes:
    """The last whole line; half a one behind it, of a power cut, is taken away."""
    size = file.seek(0, os.SEEK_END)
    length = 65_536
    while True:
        start = max(0, size - length)
        file.seek(start)
        tail: bytes = file.read(size - start)
        end = tail.rfind(b"\n")
        begin = tail.rfind(b"\n", 0, max(end, 0))
        if begin >= 0 or start == 0:
            break
        length *= 8
    file.truncate(start + end + 1)
    return tail[begin + 1 : end] if end >= 0 else b""


# --- state of the house -----------------------------------------------------------------------------------------------


def last_contact(address: str) -> Standing | None:
    """Return the recorded last contact with the witness; None where none is named. Raises Retry."""
    if not address:
        return None
    try:
        noted = msgspec.json.decode(Notes(settings().access).read(NOTE) or _former_note(), type=Standing)
    except msgspec.MsgspecError:
        return Standing(where=address)
    return noted if noted.where == address else Standing(where=address)


def note(state: Standing) -> None:
    """Record the contact in the access log's database, for the pages of every container. Raises Retry."""
    Notes(settings().access).write(NOTE, msgspec.json.encode(state))


def _former_note() -> bytes:
    """The file of an earlier version, until the witness is tried next."""
    try:
        return settings().data_folder.joinpath("witness.json").read_bytes()
    except OSError:
        return b""
