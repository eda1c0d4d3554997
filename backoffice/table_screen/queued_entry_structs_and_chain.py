"""The chain of a device's queue: running numbers, and in each entry the digest of the one before it. Pure.

An entry names its device, so that it cannot move to another. It has its number, so that none is missing. It has the
digest of the entry before it, so that none is exchanged. All of it is signed.
"""

import hashlib
from typing import Annotated, Literal

import msgspec

from events.envelope import Action
from events.error_codes import coded
from events.errors import Invalid
from events.fields import SAFE_MAX
from events.floor.device_and_entry_decider import Fault
from events.text.repeated_json_name_refusal import require_unique_names

ACTIONS_MAX = 200
BODY_MAX = 200_000  # characters
Number = Annotated[int, msgspec.Meta(ge=1, le=SAFE_MAX)]
SessionName = Annotated[str, msgspec.Meta(max_length=64, pattern=r"\A[\x20-\x7e]*\Z")]


class SignedEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sent entry: the exact text that was signed, and the signature."""

    body: str
    signature: str


class EntryAction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An action of an entry. The house gives it its key, its time and its number."""

    type: str
    data: msgspec.Raw = msgspec.Raw(b"{}")
    round: int | None = None
    corrects: str | None = None


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tap as the device recorded it: `time` by its own clock, `queued` while offline.

    `intent`: "fact" for an event in spite of a refusal; a queued entry is always a fact.
    """

    device: str
    session: SessionName
    seq: Number
    time: str
    queued: bool
    prev: str
    actions: tuple[EntryAction, ...]
    mode: Literal["atomic", "each"] = "atomic"
    intent: Literal["ask", "fact"] = "ask"
    gaming_day: str | None = None

    def to_actions(self, time: str) -> tuple[Action, ...]:
        """Return the actions as they are sent to the desk; `time` is the entry's by the house's clock."""
        is_fact = self.queued or self.intent == "fact"
        return tuple(
            Action(
                type=action.type,
                key=f"{self.device}:{self.seq}:{number}",
                intent="fact" if is_fact else "ask",
                time=time if is_fact else None,
                device_seq=self.seq,
                queued=self.queued,
                round=action.round,
                corrects=action.corrects,
                data=action.data,
            )
            for number, action in enumerate(self.actions)
        )


class ChainBreak(Exception):
    """An entry that is not the next one of the chain, by its number."""

    def __init__(self, code: Fault, seq: int, digest: str = "") -> None:
        self.text = coded(code, seq=seq)
        super().__init__(str(self.text))
        self.code: Fault = code
        self.seq = seq
        self.digest = digest


_decode = msgspec.json.Decoder(Entry).decode


def digest_of(body: str) -> str:
    """Return the digest of an entry: SHA-256 of its text, in hex."""
    return hashlib.sha256(body.encode()).hexdigest()


def first_digest(device: str) -> str:
    """Return the digest that the first entry of a device names as the entry before it."""
    return digest_of(device)


def read(body: str) -> Entry:
    """Return the entry of a signed text. Raises Invalid."""
    if len(body) > BODY_MAX:
        raise Invalid("body", coded("queue-entry-too-long", most=BODY_MAX))
    try:
        entry = _decode(body)
        require_unique_names(body.encode())
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Invalid("body", coded("body-malformed", why=str(error))) from error
    if not 1 <= len(entry.actions) <= ACTIONS_MAX:
        raise Invalid("actions", coded("queue-entry-actions", most=ACTIONS_MAX))
    return entry


def require_next(entry: Entry, last_seq: int, last_digest: str, later: frozenset[int] = frozenset()) -> None:
    """Raise ChainBreak for an entry that is not the next one after the last; `later`: numbers sent behind it."""
    expected = last_seq + 1
    if entry.seq != expected:
        raise ChainBreak("queue-entry-reordered" if expected in later else "queue-entry-missing", expected)
    if entry.prev != last_digest:
        raise ChainBreak("queue-entry-changed", entry.seq)
