"""What the last verification came to, and whether one is at work: a small file in the data folder, for people.

It proves nothing: who wants to be sure runs `./manage.py verify`. Every run writes it, the worker's and people's.
"""

import os
from datetime import datetime
from pathlib import Path

import msgspec

from backoffice.running import children
from events import clock
from events.errors import Invalid
from events.integrity.audit import Audit
from events.integrity.vouching import Finding

_FILE = "verification.json"


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """One run that ended. `first`: what does not hold first, of `findings`; `why`: what could not be read instead.

    `events` of the store's, `read` of them by this run; `covered` is the position up to which a head vouches.
    """

    began: datetime
    ended: datetime
    holds: bool = False
    first: Finding | None = None
    findings: int = 0
    why: str = ""
    position: int = 0
    events: int = 0
    read: int = 0
    per_s: int = 0
    heads: int = 0
    covered: int = 0
    uncovered: int = 0
    compared: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that has not ended: it is at work as long as its process is there."""

    began: datetime
    who: children.Identity | None

    @property
    def at_work(self) -> bool:
        """False for one that was ended in the middle."""
        return self.who is not None and children.identify(self.who.pid) == self.who


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What the file says."""

    last: Verification | None = None
    begun: Begun | None = None


def kept(data: Path) -> Kept:
    """Empty where none ever ran."""
    try:
        return msgspec.json.decode((data / _FILE).read_bytes(), type=Kept)
    except (OSError, msgspec.MsgspecError):
        return Kept()


def begin(data: Path) -> Begun:
    """Write down that this process verifies. Raises Invalid."""
    begun = Begun(began=clock.moment(), who=children.identify(os.getpid()))
    _write(data, msgspec.structs.replace(kept(data), begun=begun))
    return begun


def end(data: Path, begun: Begun, found: Audit | None, why: str = "") -> None:
    """Write down what it came to. Raises Invalid."""
    run = Verification(began=begun.began, ended=clock.moment(), why=why)
    _write(data, Kept(last=run if found is None else _with(run, found)))


def _with(run: Verification, found: Audit) -> Verification:
    read = found.events - found.begun
    return msgspec.structs.replace(
        run,
        holds=found.holds,
        first=found.findings[0] if found.findings else None,
        findings=len(found.findings),
        position=found.position,
        events=found.events,
        read=read,
        per_s=round(read / max(found.seconds, 0.001)),
        heads=found.heads,
        covered=found.covered,
        uncovered=found.uncovered,
        compared=tuple(found.compared),
        gaps=tuple(found.gaps),
        left_out=tuple(found.left_out),
    )


def _write(data: Path, what: Kept) -> None:
    """Whole or not at all."""
    fresh = data / f"{_FILE}.{os.getpid()}"
    try:
        fresh.write_bytes(msgspec.json.encode(what))
        fresh.replace(data / _FILE)
    except OSError as error:
        raise Invalid("PITLEDGER_DATA", f"what was verified cannot be written down: {error}") from error
